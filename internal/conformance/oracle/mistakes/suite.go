package mistakes

// These are found outside the oracle.
const (
	Expectation Mistake = "expectation"
	TwinAlarm   Mistake = "twin_alarm"
	Unstable    Mistake = "unstable"
	MemoryGrows Mistake = "memory_grows"
)

var ofSuite = []Row{
	{Expectation, "",
		"The history does not show what the scenario expects.",
		"The failure names the line of the scenario; \"piconform explain\" prints the file."},
	{TwinAlarm, "",
		"It raised an alarm in a history that ends well.",
		"Look at the twin: what is shown is the same until the point at which it goes on."},
	{Unstable, "WDC-GATE-006",
		"The same history came out differently when it was played again.",
		"The failure shows the first answer that was another one."},
	{MemoryGrows, "WDC-SAFE-001",
		"Its memory grows with what a worker writes.",
		"The failure names the flood; run the case safe/memory under a heap profile."},
}
