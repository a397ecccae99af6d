package canary

import (
	"errors"
	"os"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// surrogates writes each byte that is no UTF-8 as the surrogate DC80..DCFF, in the three bytes that UTF-8 would give it.
func surrogates(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	out := make([]byte, 0, len(line)+8)
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && size == 1 {
			out = append(out, 0xed, 0xb0|line[i]>>6, 0x80|line[i]&0x3f)
		} else {
			out = append(out, line[i:i+size]...)
		}
		i += size
	}
	return out
}

// appendTo appends one line to a file in one write.
func appendTo(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}
