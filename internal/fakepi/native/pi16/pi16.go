// Package pi16 is the dialect of Pi 1.6: the keys of each object that it does not share
// with others, in the order that Pi writes them (docs/pi-formats.md, sections 2, 3, 6 and
// 8).
package pi16

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/dialect"
	"fakepi.example/internal/fakepi/native/schema"
)

// Codec implements [native.Codec].
type Codec struct{}

// Dialect returns [native.Pi16].
func (Codec) Dialect() native.Dialect { return native.Pi16 }

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

var codec = dialect.New(native.Pi16, slices.Concat(
	events,
	objects.Events(),
	objects.RPC(slices.Concat(data, objects.Data()), commands...),
	entryCases[native.Record](),
	[]schema.Case[native.Record]{dialect.Header()},
)...)
