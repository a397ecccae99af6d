package mistakes

// These are about the reasons that verdicts and commands give.
const (
	ReasonMissing Mistake = "reason_missing"
	ReasonWrong   Mistake = "reason_wrong"
)

var ofReasons = []Row{
	{ReasonMissing, "WDC-EXPL-001",
		"A verdict or a command has no cause, no evidence or no next check.",
		"Look at cause, evidence and next of the verdict, or at cause and evidence of the command."},
	{ReasonWrong, "WDC-EXPL-002",
		"The cause is another one, or the evidence is of something else.",
		"Follow the numbers of the evidence: whose observations are they, how old, and of which turn?"},
}
