package stdio

import (
	"bufio"
	"bytes"
	"io"
)

// readSize is how much Node reads of a pipe at once.
const readSize = 64 << 10

// ReadLines sends the lines of stdin; a last one without its newline is one too. Those that came in one read go together:
// Pi acts on none of them before it has heard them all.
func ReadLines(in io.Reader) <-chan [][]byte {
	lines := make(chan [][]byte)
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, readSize)
		for {
			line, err := r.ReadBytes('\n')
			together := [][]byte{line}
			for hasLine(r) {
				line, err = r.ReadBytes('\n')
				together = append(together, line)
			}
			if len(line) > 0 {
				lines <- together
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// hasLine reports whether a whole line has been read and not taken.
func hasLine(r *bufio.Reader) bool {
	read, _ := r.Peek(r.Buffered()) // it is there
	return bytes.IndexByte(read, '\n') >= 0
}
