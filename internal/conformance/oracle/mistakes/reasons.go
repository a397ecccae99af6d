package mistakes

// These are about the reasons that verdicts and commands give.
const (
	ReasonMissing Mistake = "reason_missing"
	ReasonWrong   Mistake = "reason_wrong"
	DialogWrong   Mistake = "dialog_wrong"
	EvidenceOld   Mistake = "evidence_old"
	NextWrong     Mistake = "next_wrong"
	SinceWrong    Mistake = "since_wrong"
)

var ofReasons = []Row{
	{ReasonMissing, "WDC-EXPL-001",
		"A verdict or a command has no cause, no evidence or no next check.",
		"Look at cause, evidence and next of the verdict, or at cause and evidence of the command."},
	{ReasonWrong, "WDC-EXPL-002",
		"The cause is another one, or the evidence is of something else.",
		"Follow the numbers of the evidence: whose observations are they, how old, and of which turn?"},
	{DialogWrong, "WDC-EXPL-001",
		"A wait for a person names another dialog than the one that is open.",
		"Compare detail.dialog of the verdict with the dialogs that were asked and not answered."},
	{EvidenceOld, "WDC-EXPL-001",
		"A command about an alarm names nothing as its evidence that is of the turn which stalls.",
		"Follow the numbers of the command's evidence."},
	{NextWrong, "WDC-EXPL-001",
		"The next check that a verdict names is in the past, or later than the limit that it is about.",
		"Compare next of the verdict with its time and with the end of the limit."},
	{SinceWrong, "WDC-EXPL-001",
		"A verdict names another time at which its phase or silence began.",
		"Compare since of the verdict with the truth."},
}
