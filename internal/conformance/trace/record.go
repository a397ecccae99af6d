package trace

// Record is one record that a worker wrote, as its kind of agent means it, for whoever judges: its bytes stand in an
// observation. The subject is shown the bytes alone.
type Record struct {
	N       int // number of the observation that holds its bytes
	Kind    RecordKind
	Tells   bool // it shows what the worker is doing, whatever came before it
	Foreign bool // no known version of the agent writes it

	Call   string // of a call, and of a result that was saved
	Tool   string // of a call that begins
	Shell  bool   // of a call that begins: its tool runs as a process
	Key    string // of a call that begins: stands for the tool and its arguments
	Stop   string // of every message of the model: why it ended
	Result string // of a call that ends: stands for the result
	Parent string // of a message in a session file: the entry before it; empty: there is none
	Before int64  // tokens before a compaction
	After  int64  // and after it; -1 = it does not say
}

// RecordKind is what a record says.
type RecordKind uint8

// The kinds. A comment names the fields that count beside Tells and Foreign.
const (
	RecordOther     RecordKind = iota
	RecordRun                  // a run begins
	RecordTaken                // a prompt was taken, and it is not said whether a run follows
	RecordAnswer               // an answer to the client, or a question of its extensions: no progress
	RecordPerson               // a message of a person
	RecordReply                // a finished message of the model
	RecordSaved                // a message with the result of a call: Call
	RecordCall                 // a call begins: Call, Tool, Shell, Key
	RecordOutput               // output of a call: Call
	RecordCallEnd              // a call ends: Call, Result
	RecordCompacted            // a compaction ends that was not aborted: Before, After
	RecordRetry                // the worker tries again by itself
	RecordEntry                // a message in a session file: Parent
)
