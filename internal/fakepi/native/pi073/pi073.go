// Package pi073 is the dialect of Pi 0.73: the keys of each object that it does not share
// with others, in the order that Pi writes them (docs/pi-formats.md, sections 2, 3, 6 and
// 8). Updates carry the whole message, there is no terminal event, no system message and
// no duration. What a later version adds is no field of this dialect: Append leaves it
// out, and Decode keeps it in Odd.
package pi073

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/dialect"
	"fakepi.example/internal/fakepi/native/schema"
)

// Codec implements [native.Codec].
type Codec struct{}

// Dialect returns [native.Pi073].
func (Codec) Dialect() native.Dialect { return native.Pi073 }

// Append is [Append].
func (Codec) Append(dst []byte, r native.Record) ([]byte, error) { return Append(dst, r) }

// Decode is [Decode].
func (Codec) Decode(line []byte) (native.Record, error) { return Decode(line) }

// Examine is [Examine].
func (Codec) Examine(line []byte) (native.Record, []native.Unknown, error) { return Examine(line) }

// Append is that of [dialect.Codec].
func Append(dst []byte, r native.Record) ([]byte, error) { return codec.Append(dst, r) }

// Decode is that of [dialect.Codec].
func Decode(line []byte) (native.Record, error) { return codec.Decode(line) }

// Examine is that of [dialect.Codec].
func Examine(line []byte) (native.Record, []native.Unknown, error) { return codec.Examine(line) }

var objects = dialect.Objects{Block: block, Message: message, ToolResult: toolResult, Compaction: compactionResult}

var codec = dialect.New(native.Pi073, slices.Concat(
	events,
	objects.Events(),
	objects.RPC(objects.Data()),
	dialect.Entries[native.Record](message),
	[]schema.Case[native.Record]{
		schema.Of[native.Record](compactionEntry, "compaction"),
		dialect.Header(),
	},
)...)
