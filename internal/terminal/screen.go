//go:build unix

package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// screen is what a person would see.
type screen struct {
	*vt.Emulator
	changed map[ansi.Mode]bool // modes that are not as on a fresh screen
	frame   string             // what a person sees while the program draws a synchronised frame
}

func newScreen(size Size) *screen {
	s := &screen{Emulator: vt.NewEmulator(size.Cols, size.Rows), changed: map[ansi.Mode]bool{}}
	s.SetCallbacks(vt.Callbacks{
		EnableMode:  func(mode ansi.Mode) { s.setMode(mode, true) },
		DisableMode: func(mode ansi.Mode) { s.setMode(mode, false) },
	})
	return s
}

func (s *screen) setMode(mode ansi.Mode, on bool) {
	if mode == ansi.ModeSaveCursor { // an act, not a state
		return
	}
	if mode == ansi.ModeSynchronizedOutput && on {
		s.frame = s.text()
	}
	if fresh := mode == ansi.ModeAutoWrap || mode == ansi.ModeTextCursorEnable; on != fresh {
		s.changed[mode] = true
	} else {
		delete(s.changed, mode)
	}
}

func (s *screen) draw(output []byte) {
	_, _ = s.Write(output) // it fails only once closed
}

func (s *screen) text() string {
	if s.changed[ansi.ModeSynchronizedOutput] {
		return s.frame
	}
	return strings.TrimRight(s.String(), "\n")
}

// answer types into the program what a terminal answers to its questions (where is the cursor?), until close. The
// emulator waits for its answers to be read, so they are read even after the program has gone.
func (s *screen) answer(program io.Writer) {
	answer := make([]byte, 256)
	for {
		n, err := s.Read(answer)
		if err != nil {
			return
		}
		_, _ = program.Write(answer[:n])
	}
}

// close ends answer. The emulator's own Close would race with it.
func (s *screen) close() {
	_ = s.InputPipe().(io.Closer).Close()
}

// restored returns an error that names the modes in which the program left the screen.
func (s *screen) restored() error {
	if len(s.changed) == 0 {
		return nil
	}
	var names []string
	for mode := range s.changed {
		names = append(names, fmt.Sprintf("%T %d", mode, mode.Mode()))
	}
	slices.Sort(names)
	return fmt.Errorf("modes of the screen are not as they were: %s", strings.Join(names, ", "))
}
