package redact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/canary/redact"
)

func TestTerminal(t *testing.T) {
	for _, row := range []struct{ reason, drawn, want string }{
		{"text", "my key\r\n", "xx xxx\r\n"},
		{"colours and moves stay", "\x1b[1;31mred\x1b[0m\x1b[2J\x1b[?2026h", "\x1b[1;31mxxx\x1b[0m\x1b[2J\x1b[?2026h"},
		{"frames and spinners stay", "│⠋│", "│⠋│"},
		{"wide signs are two", "日本", "xxxx"},
		{"a title goes", "\x1b]0;~/secret\x07a", "x"},
		{"a link goes", "\x1b]8;;file:///home/alice\x1b\\here\x1b]8;;\x1b\\", "xxxx"},
		{"the state stays, its text goes", "\x1b]7501;state=blocked:app=pi:msg=c2VjcmV0\x07", "\x1b]7501;state=blocked:app=pi\x07"},
		{"progress stays", "\x1b]9;4;3\x07", "\x1b]9;4;3\x07"},
		{"images go", "\x1b_Gf=100;AAAA\x1b\\", ""},
		{"a sequence with letters for numbers", "\x1b[12;alice", "\x1b[12;axxxx"},
		{"one letter", "\x1b7\x1b8\x1b(B", "\x1b7\x1b8\x1b(B"},
		{"no UTF-8", "\xff\xfe!", "xxx"},
	} {
		for _, size := range []int{1, 2, 1000} {
			var got []byte
			var terminal redact.Terminal
			for data := []byte(row.drawn); len(data) > 0; data = data[min(size, len(data)):] {
				got = append(got, terminal.Redact(data[:min(size, len(data))])...)
			}
			if diff := cmp.Diff(row.want, string(got)); diff != "" {
				t.Errorf("%s, in pieces of %d (-want +got):\n%s", row.reason, size, diff)
			}
		}
	}
}
