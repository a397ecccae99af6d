//go:build unix

package terminal

import "sync"

// output keeps what a program prints, and gives it out in steps.
type output struct {
	mu    sync.Mutex
	data  []byte
	drawn int // of data
	ended bool
	news  chan struct{} // holds one: there may be more by now
}

func newOutput() *output { return &output{news: make(chan struct{}, 1)} }

// Write never waits, however much is not yet drawn.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.data = append(o.data, p...)
	o.tell()
	return len(p), nil
}

func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.tell()
}

func (o *output) tell() {
	select {
	case o.news <- struct{}{}:
	default:
	}
}

// next returns what is to be drawn before the screen is worth another look: everything up to the next control character,
// since only behind one can a program take away what it has shown. It is empty if there is nothing more yet, or, once
// ended, ever.
func (o *output) next() (step []byte, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	rest := o.data[o.drawn:]
	end := min(1, len(rest))
	for end < len(rest) && rest[end] >= ' ' {
		end++
	}
	o.drawn += end
	return rest[:end:end], o.ended
}

func (o *output) all() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.data)
}
