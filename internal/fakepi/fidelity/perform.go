package fidelity

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
)

// do does one act.
func (d *driver) do(a Act) error {
	v, ok := verbOf(a.Verb)
	if !ok || v.do == nil {
		return fmt.Errorf("a client cannot do that")
	}
	return v.do(d, d.pis[d.is], a)
}

// prompt sends a prompt and awaits the response.
func (d *driver) prompt(p *process, a Act) error {
	if d.c.Mode.OneShot() {
		return nil // it got them as arguments
	}
	text := a.Text
	if a.Next {
		if len(p.prompts) == 0 {
			return fmt.Errorf("the worker's half has no prompt left for this Pi")
		}
		text, p.prompts = p.prompts[0], p.prompts[1:]
	}
	line := native.AppendValue(nil, native.Object{
		{Key: "type", Value: native.String("prompt")}, {Key: "message", Value: native.String(text)},
	})
	return d.command(p, Act{Text: string(line)})
}

// command sends a command with an id before its other keys, and awaits its response.
func (d *driver) command(p *process, a Act) error {
	d.sent++
	line := `{"id":"c` + strconv.Itoa(d.sent) + `",` + strings.TrimSpace(strings.TrimPrefix(d.filled(a.Text), "{")) + "\n"
	if err := p.write([]byte(line)); err != nil {
		return err
	}
	v, _ := native.ParseValue([]byte(a.Text))
	o, _ := v.(native.Object)
	if err := p.on(d.ctx, "response("+o.Text("type")+")", 1); err != nil {
		return err
	}
	d.learn(p)
	return nil
}

func (d *driver) send(p *process, a Act) error {
	text := d.filled(a.Text)
	if !a.Raw {
		text += "\n"
	}
	return p.write([]byte(text))
}

func (d *driver) on(p *process, a Act) error {
	err := p.on(d.ctx, a.Text, a.N)
	if err == nil && strings.HasPrefix(a.Text, "extension_ui_request") {
		d.learn(p)
	}
	return err
}

// lines awaits that so many lines were printed.
func (d *driver) lines(p *process, a Act) error {
	return p.await(d.ctx, fmt.Sprintf("line %d", a.N), 0, func(lines []Record) bool { return len(lines) >= a.N })
}

// learn takes what later acts refer to out of the response that was awaited last.
func (d *driver) learn(p *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o, _ := p.lines[p.seen-1].Value.(native.Object)
	if o.Text("type") == "extension_ui_request" {
		d.vars["$DIALOG"] = o.Text("id")
	}
	data := object(o, "data")
	if file := data.Text("sessionFile"); file != "" {
		d.vars["$SESSION"] = file
	}
	if list, _ := data.Get("messages").(native.Array); len(list) > 0 {
		if first, _ := list[0].(native.Object); first.Text("entryId") != "" {
			d.vars["$ENTRY"] = first.Text("entryId")
		}
	}
}

// answer replies to the last dialog.
func (d *driver) answer(p *process, a Act) error {
	p.mu.Lock()
	var asked native.Object
	for _, r := range p.lines {
		if r.is("extension_ui_request") {
			asked, _ = r.Value.(native.Object)
		}
	}
	p.mu.Unlock()
	if asked == nil {
		return fmt.Errorf("there is no dialog to answer")
	}
	reply := native.Object{{Key: "type", Value: native.String("extension_ui_response")}, {Key: "id", Value: asked.Get("id")}}
	switch {
	case a.Verb == "cancel":
		reply = append(reply, native.Member{Key: "cancelled", Value: native.Bool(true)})
	case asked.Text("method") == "confirm":
		reply = append(reply, native.Member{Key: "confirmed", Value: native.Bool(a.Text == "yes")})
	default:
		reply = append(reply, native.Member{Key: "value", Value: native.String(a.Text)})
	}
	return p.write(append(native.AppendValue(nil, reply), '\n'))
}

func (d *driver) wait(_ *process, a Act) error { return d.sleep(a.Wait) }

func (d *driver) sleep(t time.Duration) error {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-d.ctx.Done():
		return d.ctx.Err()
	}
}

// until looks at a file of the worktree again and again.
func (d *driver) until(_ *process, a Act) error {
	for began := time.Now(); ; {
		data, _ := os.ReadFile(filepath.Join(d.at.Work, filepath.FromSlash(a.File))) // it may not be there yet
		if bytes.Contains(data, []byte(a.Text)) {
			return nil
		}
		if time.Since(began) > patience {
			return fmt.Errorf("%q in %s %w in %v", a.Text, a.File, errAwaited, patience)
		}
		if err := d.sleep(20 * time.Millisecond); err != nil {
			return err
		}
	}
}

func (d *driver) eof(p *process, _ Act) error { return p.closeStdin() }

func (d *driver) signal(p *process, a Act) error {
	p.signalled = p.signalled || a.Text != "SIGSTOP" && a.Text != "SIGCONT" // of which nothing exits
	return p.cmd.Process.Signal(signalOf(a.Text))
}

// next starts the next Pi when this one has left.
func (d *driver) next(p *process, a Act) error {
	if err := d.leave(p, a); err != nil {
		return err
	}
	return d.start(a.Args)
}

func (d *driver) beside(_ *process, a Act) error { return d.start(a.Args) }

// turn turns to another Pi.
func (d *driver) turn(_ *process, a Act) error {
	if a.N > len(d.pis) {
		return fmt.Errorf("only %d were started", len(d.pis))
	}
	d.is = a.N - 1
	return nil
}

// leave closes stdin unless a signal was sent, and awaits the exit.
func (d *driver) leave(p *process, a Act) error {
	if !p.signalled {
		if err := p.closeStdin(); err != nil {
			return err
		}
	}
	return d.exited(p, a)
}

// exited awaits the exit and keeps what the Pi has left.
func (d *driver) exited(p *process, _ Act) error {
	if err := p.wait(d.ctx); err != nil {
		return err
	}
	if p.left {
		return nil
	}
	p.left = true
	p.cmd.Exited()
	sessions, sessionsErr := readSessions(d.at)
	settings, settingsErr := readSettings(d.at)
	p.ended = Ended{
		Stdout: p.lines, Seen: p.seen, Stderr: p.stderr.String(), Exit: p.exit(), Title: p.title, Settings: settings, Sessions: sessions,
	}
	return errors.Join(sessionsErr, settingsErr)
}
