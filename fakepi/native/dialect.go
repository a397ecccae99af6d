package native

// Dialect names a family of Pi versions that write the same records.
type Dialect string

const (
	DialectUnknown Dialect = ""
	Pi058          Dialect = "pi-0.58" // cumulative updates, auto_compaction_*, no terminal event
	Pi073          Dialect = "pi-0.73" // cumulative updates, no terminal event
	Pi16           Dialect = "pi-1.6"  // delta-only updates, agent_settled
)

// Codec is one dialect's mapping between lines (without the LF) and records.
type Codec interface {
	Dialect() Dialect
	// Append writes the bytes that Pi would write for r, from its typed values alone.
	// Its error is an [ErrRecord].
	Append(dst []byte, r Record) ([]byte, error)
	// Decode reads one line. What the dialect does not know is kept in the record (see
	// [Odd], [UnknownRecord]). Its error is an [ErrSyntax] or [ErrNotObject].
	Decode(line []byte) (Record, error)
	// Examine is Decode that also lists what the dialect did not expect.
	Examine(line []byte) (Record, []Unknown, error)
}
