package tui_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/internal/fakepi/tui"
)

func press(key string) tui.Input { return tui.Input{Key: key} }

func typed(keys ...string) []tui.Input {
	var in []tui.Input
	for _, key := range keys {
		in = append(in, tui.Input{Key: key, Text: key})
	}
	return in
}

func TestDecoder(t *testing.T) {
	tests := []struct {
		bytes  string
		want   []tui.Input
		reason string
	}{
		{"aé漢", typed("a", "é", "漢"), "characters of one to three bytes"},
		{" ", []tui.Input{{Key: "space", Text: " "}}, ""},
		{"\r\t\x7f\x03\x1a\n\x00\x1f", []tui.Input{
			press("enter"), press("tab"), press("backspace"), press("ctrl+c"), press("ctrl+z"), press("ctrl+j"),
			press("ctrl+space"), press("ctrl+-"),
		}, "control characters"},
		{"\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F", []tui.Input{
			press("up"), press("down"), press("right"), press("left"), press("home"), press("end"),
		}, ""},
		{"\x1bOA\x1bOF", []tui.Input{press("up"), press("end")}, "application mode"},
		{"\x1b[3~\x1b[5~\x1b[1~\x1b[24~", []tui.Input{press("delete"), press("pageUp"), press("home"), press("f12")}, ""},
		{"\x1b[1;5D\x1b[1;3A\x1b[1;2C\x1b[3;6~", []tui.Input{
			press("ctrl+left"), press("alt+up"), press("shift+right"), press("ctrl+shift+delete"),
		}, "modifiers"},
		{"\x1b[Z", []tui.Input{press("shift+tab")}, ""},
		{"\x1ba\x1b\r\x1b\x7f\x1b\x03", []tui.Input{press("alt+a"), press("alt+enter"), press("alt+backspace"), press("ctrl+alt+c")}, "alt as a prefix"},
		{"\x1b\x1b[A", []tui.Input{press("escape"), press("up")}, "the key, and a sequence"},
		{"\x1b[97u\x1b[97;2u\x1b[99;5u\x1b[13;2u\x1b[13;3u\x1b[27u\x1b[32u", []tui.Input{
			typed("a")[0], typed("A")[0], press("ctrl+c"), press("shift+enter"), press("alt+enter"), press("escape"), {Key: "space", Text: " "},
		}, "the enhanced protocol"},
		{"\x1b[49:33;2u", typed("!"), "the shifted key of another layout"},
		{"\x1b[97;1:1u\x1b[97;1:3u", typed("a"), "a release is none"},
		{"\x1b[97;1:2u", typed("a"), "a repeat is one"},
		{"\x1b[57441;2u\x1b[57414u", []tui.Input{press("enter")}, "a modifier alone is none, the pad's enter is one"},
		{"\x1b[27;5;99~\x1b[27;2;13~", []tui.Input{press("ctrl+c"), press("shift+enter")}, "xterm's way"},
		{"\x1b[<0;10;5M\x1b[<0;10;5m\x1b[M !!\x1b[I\x1b[Oa", typed("a"), "mouse and focus"},
		{"\x1b[?7u\x1b[?62;1c\x1b]7501;?\x1b\\\x1b]11;rgb:0/0/0\a\x1b[?997;1n", []tui.Input{
			{Kind: tui.Reply, Text: "\x1b[?7u"}, {Kind: tui.Reply, Text: "\x1b[?62;1c"}, {Kind: tui.Reply, Text: "\x1b]7501;?\x1b\\"},
			{Kind: tui.Reply, Text: "\x1b]11;rgb:0/0/0\a"}, {Kind: tui.Reply, Text: "\x1b[?997;1n"},
		}, "replies"},
		{"\x1b[200~a\r\nb\x1b[A\x1b[201~c", []tui.Input{{Kind: tui.Paste, Text: "a\r\nb\x1b[A"}, typed("c")[0]}, "what is pasted is no keys"},
		{"\x1b[200~\x1b[201~", []tui.Input{{Kind: tui.Paste}}, "nothing pasted"},
		{"\xff\xc3(\u0085a", typed("\ufffd", "\ufffd", "(", "a"), "bytes that are no characters"},
		{"\xe2\x82(\xf0\x9f\x98a", typed("\ufffd", "(", "\ufffd", "a"), "each beginning of one is one"},
		{"\x1b[1\x03", []tui.Input{press("ctrl+c")}, "a sequence that breaks off"},
	}
	for _, tt := range tests {
		var d tui.Decoder
		if diff := cmp.Diff(tt.want, d.Decode([]byte(tt.bytes), nil)); diff != "" {
			t.Errorf("%q (%s): -want +got\n%s", tt.bytes, tt.reason, diff)
		}
		if wait := d.Wait(); wait != 0 {
			t.Errorf("%q (%s): waits %s for more", tt.bytes, tt.reason, wait)
		}
	}
}

// What has begun is waited for; when nothing comes, an escape is the key, and the beginning of anything else is dropped
// or was typed with alt.
func TestDecoderWaits(t *testing.T) {
	const key, sequence = 10 * time.Millisecond, 50 * time.Millisecond
	tests := []struct {
		bytes string
		wait  time.Duration
		want  []tui.Input
	}{
		{"\x1b", key, []tui.Input{press("escape")}},
		{"\x1b[", sequence, []tui.Input{press("alt+[")}},
		{"\x1bO", sequence, []tui.Input{press("alt+O")}},
		{"\x1b[1;5", sequence, nil},
		{"\x1b]11;rgb", sequence, nil},
		{"\xe6\xbc", 0, nil},
		{"\x1b[200~open", 0, nil},
	}
	for _, tt := range tests {
		var d tui.Decoder
		if got := d.Decode([]byte(tt.bytes), nil); len(got) > 0 {
			t.Errorf("%q: got %v before its end", tt.bytes, got)
		}
		if got := d.Wait(); got != tt.wait {
			t.Errorf("%q: waits %s, want %s", tt.bytes, got, tt.wait)
		}
		if diff := cmp.Diff(tt.want, d.Flush(nil)); diff != "" {
			t.Errorf("%q: -want +got\n%s", tt.bytes, diff)
		}
	}
}

// Copies of a decoder that is in the middle of a paste do not disturb each other.
func TestDecoderClone(t *testing.T) {
	var d tui.Decoder
	d.Decode([]byte("\x1b[200~one "), nil)
	c := d.Clone()
	d.Decode([]byte("two"), nil)
	want := []tui.Input{{Kind: tui.Paste, Text: "one three"}}
	if diff := cmp.Diff(want, c.Decode([]byte("three\x1b[201~"), nil)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// decodeCut decodes in pieces of the given sizes, the last one as long as need be.
func decodeCut(data []byte, sizes []int) []tui.Input {
	var d tui.Decoder
	var in []tui.Input
	for _, n := range sizes {
		n = min(n, len(data))
		in = d.Decode(data[:n], in)
		data = data[n:]
	}
	return d.Flush(d.Decode(data, in))
}

var pieces = []string{
	"a", "é", "漢字", " ", "\r", "\x03", "\x1b", "\x1b[", "\x1b[A", "\x1b[1;5D", "\x1b[97;2u", "\x1b[27;5;99~", "\x1b[<0;1;1M",
	"\x1b[M", "\x1b[?7u", "\x1b]11;x\a", "\x1bP>|x\x1b\\", "\x1b[200~", "\x1b[201~", "\xff", "\x1b\x1b", ";", "~", "M", "\a", "\\",
}

// However the bytes are cut, they are the same inputs.
func TestDecoderCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var data []byte
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces") {
			data = append(data, piece...)
		}
		sizes := rapid.SliceOf(rapid.IntRange(0, 4)).Draw(t, "sizes")
		if diff := cmp.Diff(decodeCut(data, nil), decodeCut(data, sizes)); diff != "" {
			t.Errorf("%q cut into %v: -whole +cut\n%s", data, sizes, diff)
		}
	})
}

func FuzzDecoder(f *testing.F) {
	for _, piece := range pieces {
		f.Add([]byte(piece+"x"+piece), uint8(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		sizes := make([]int, len(data))
		for i := range sizes {
			sizes[i] = int(size)
		}
		whole := decodeCut(data, nil)
		if diff := cmp.Diff(whole, decodeCut(data, sizes)); diff != "" {
			t.Errorf("%q cut into pieces of %d: -whole +cut\n%s", data, size, diff)
		}
		for _, in := range whole {
			if in.Kind == tui.Press && in.Key == "" || in.Kind == tui.Reply && in.Text == "" {
				t.Errorf("%q: an input without a name: %+v", data, in)
			}
		}
	})
}
