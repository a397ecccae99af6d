package live

import (
	"time"

	"github.com/gofrs/flock"

	"fakepi.example/watchdog"
)

// Status is what is known of a worker, as piwatch status --json prints it.
type Status struct {
	ID          string               `json:"id"`
	Incarnation int                  `json:"incarnation"` // starts of the watchdog
	Watcher     int                  `json:"watcher"`     // pid of the process that watches, or did so last
	Ack         int                  `json:"ack"`         // observations that the watchdog has durably read
	Phase       watchdog.VerdictName `json:"phase,omitempty"`
	Status      watchdog.Status      `json:"status,omitempty"`
	Since       time.Time            `json:"since,omitzero"`      // civil: when the phase began
	Limit       watchdog.Limit       `json:"limit,omitempty"`     // that passed
	NextCheck   time.Time            `json:"next_check,omitzero"` // civil; zero: when there is news
	Flags       []watchdog.Flag      `json:"flags,omitempty"`
	Detail      watchdog.Detail      `json:"detail,omitzero"`
	Told        int                  `json:"told"`           // notices so far
	Exit        *watchdog.Exited     `json:"exit,omitempty"` // of the worker
}

// note takes over a verdict. Its times are on the monotonic clock; people read civil time.
func (s *Status) note(v *watchdog.Verdict, now watchdog.Instant) {
	s.ID, s.Phase, s.Status, s.Limit = v.Worker, v.Name, v.Status, v.Cause.Limit
	s.Flags, s.Detail = v.Flags, v.Detail
	s.Since = now.Wall.Add(v.Since - now.Mono)
	s.NextCheck = time.Time{}
	if v.Next > 0 {
		s.NextCheck = now.Wall.Add(v.Next - now.Mono)
	}
}

func (f Folder) readStatus() (Status, error) {
	var s Status
	_, err := f.readJSON("status.json", &s)
	return s, err
}

func (f Folder) writeStatus(s *Status) error { return f.writeJSON("status.json", s) }

// View is the status of a worker as somebody else sees it.
type View struct {
	Folder  Folder `json:"folder"`
	Worker  Spec   `json:"worker"`
	Status  Status `json:"status"`
	Watched bool   `json:"watched"` // a process watches it now
}

// Look reads the status of a worker.
func (f Folder) Look() (View, error) {
	spec, err := f.ReadSpec()
	if err != nil {
		return View{}, err
	}
	status, err := f.readStatus()
	if err != nil {
		return View{}, err
	}
	lock := flock.New(f.lock())
	free, err := lock.TryRLock()
	if err != nil {
		return View{}, err
	}
	if free {
		err = lock.Unlock()
	}
	return View{Folder: f, Worker: spec, Status: status, Watched: !free}, err
}

// Ended reports whether the worker is known to have exited.
func (v *View) Ended() bool { return v.Status.Exit != nil }
