package mistakes

// These are about what the owner is told.
const (
	NeedlessNotice   Mistake = "needless_notice"
	NoticeMissing    Mistake = "notice_missing"
	NoticeRepeated   Mistake = "notice_repeated"
	AttentionMissing Mistake = "attention_missing"
	AttentionEarly   Mistake = "attention_early"
	ReminderMissing  Mistake = "reminder_missing"
	ReminderEarly    Mistake = "reminder_early"
	AuthNotice       Mistake = "auth_notice"
	ControlSequence  Mistake = "control_sequence"
)

var ofNotices = []Row{
	{NeedlessNotice, "WDC-ALERT-004",
		"It told the owner of something that is no reason for a notice.",
		"Compare the notice with the verdict that stands, and with its status."},
	{NoticeMissing, "WDC-ALERT-003",
		"A verdict was confirmed, and the owner was not told.",
		"Look for a notify or escalate command after the confirmed verdict."},
	{NoticeRepeated, "WDC-ALERT-002",
		"It told the owner the same thing twice in one episode.",
		"Look for two notices of one name without progress between them."},
	{AttentionMissing, "WDC-ALERT-004",
		"A worker was silent for longer than the limit attention, and the owner was not told.",
		"Add attention to the last progress, without waits and declared delays."},
	{AttentionEarly, "WDC-ALERT-004",
		"It asked for attention before that limit had passed, or in a phase that excuses silence.",
		"Add attention to the last progress, without waits and declared delays, and compare."},
	{ReminderMissing, "WDC-WAIT-006",
		"A worker waited for a person for longer than user_wait, and nobody was reminded.",
		"Add user_wait to the begin of the wait, or to the last reminder."},
	{ReminderEarly, "WDC-WAIT-006",
		"It reminded of a wait before user_wait had passed.",
		"Add user_wait to the begin of the wait, or to the last reminder, and compare."},
	{AuthNotice, "WDC-PAUSE-004",
		"A refused credential was reported twice, or not at all.",
		"Count the notices of awaiting_auth for each credential."},
	{ControlSequence, "WDC-SAFE-002",
		"A text for people holds control characters that could drive their terminal.",
		"Look at the text of the command."},
}
