package recovery

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/google/renameio/v2"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/evidence"
)

// The files of a case: the folder in which a recovery is planned, approved and recorded.
const (
	PlanFile      = "plan.json"
	ApprovalsFile = "approvals.jsonl"
	EventsFile    = "events.jsonl"
	BriefFile     = "brief.md"
)

// Plan is what could be done, as data. Nothing of it is done before its item is approved (WDC-GATE-001, 003).
type Plan struct {
	Version  int       `json:"version"` // of this format: 1
	ID       string    `json:"recovery_id"`
	Made     time.Time `json:"made"`
	Class    Class     `json:"class"`
	Debris   Debris    `json:"debris"`
	Rests    []string  `json:"rests_on"` // the diagnosis's evidence
	Worktree string    `json:"worktree"`
	Evidence string    `json:"evidence"` // the folder
	Digest   string    `json:"evidence_digest"`
	Session  string    `json:"session,omitempty"`
	Leaf     string    `json:"session_leaf,omitempty"` // id of its last entry
	Target   *Target   `json:"target,omitempty"`       // the worker's process
	Items    []Item    `json:"items"`
}

// Target is a process by its identity (WDC-FENCE-001).
type Target struct {
	PID    int    `json:"pid"`
	Start  uint64 `json:"start"`
	BootID string `json:"boot_id"`
}

// ItemKind is what an item does.
type ItemKind string

// The kinds of items, in the order in which a plan has them.
const (
	StopWorker ItemKind = "stop-worker" // SIGTERM, and SIGKILL after the grace
	Resume     ItemKind = "resume"      // a successor goes on in the worktree
	Publish    ItemKind = "publish"
	RepairRow  ItemKind = "repair-row"
)

// Item is one thing that could be done.
type Item struct {
	ID       string               `json:"item"`
	Kind     ItemKind             `json:"kind"`
	Effect   watchdog.EffectClass `json:"effect"`
	Commands [][]string           `json:"commands"` // exactly what is run, without a shell
	Dir      string               `json:"dir,omitempty"`
	Reason   string               `json:"reason"`
	Rollback string               `json:"rollback"`
}

// Means are the owner's: what may be run for a plan's items. An item whose means are missing is not planned.
type Means struct {
	Resume []string // starts the successor; @brief and @session stand for the two files. Default: DefaultResume
	Remote string   // where to publish: a URL or path, from the owner and not from the worker's configuration
	Gate   []string // must exit with 0, run by us, before a publish
	Repair []string // writes the tracker's row
	Grace  time.Duration
}

// DefaultResume is how a successor is started.
var DefaultResume = []string{"pi", "--session", "@session", "--print", "@brief"}

// Places are the folders of a recovery, as absolute paths.
type Places struct {
	Worktree string
	Evidence string
	Case     string
}

// Make plans what a diagnosis calls for. The snapshot must be of the worktree as it is now: otherwise ErrChanged.
func Make(f *Facts, d *Diagnosis, at Places, record *evidence.Record, m Means, boot string) (*Plan, error) {
	if f.Worktree.Digest != record.Digest {
		return nil, fmt.Errorf("%w: the snapshot %s is of another state of %s; take a new one", ErrChanged, at.Evidence, at.Worktree)
	}
	p := &Plan{
		Version: 1, Made: f.Now.UTC(), Class: d.Class, Debris: d.Debris, Rests: d.Evidence, Worktree: at.Worktree,
		Evidence: at.Evidence, Digest: record.Digest,
	}
	if s := f.Session; s != nil && !s.Missing {
		p.Session, p.Leaf = s.Path, s.Leaf
	}
	if f.Process != nil && !f.Process.Gone {
		p.Target = &Target{f.Process.PID, f.Process.Process.Start, boot}
	}
	p.ID = p.identify()
	p.add(f, m, filepath.Join(at.Case, BriefFile))
	return p, nil
}

func (p *Plan) identify() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s", p.Digest, p.Worktree, p.Made.Format(time.RFC3339Nano)))
	return hex.EncodeToString(sum[:6])
}

func (p *Plan) add(f *Facts, m Means, brief string) {
	switch p.Class {
	case Hung:
		if p.Target != nil {
			p.Items = append(p.Items, p.stop(m))
		}
	case RowWrong:
		p.repair(f, m, "the worker works, and the row does not say so")
		return
	case DeadAtRisk, DeadClean:
	default: // alive, or not known to be dead: there is nothing to do but to wait or to look
		return
	}
	switch p.Debris {
	case Publishable:
		p.publish(f, m)
	case HalfDone, Resumable, Empty:
		p.Items = append(p.Items, p.resume(m, brief))
	case Orphaned: // a person names the repository: the worktree that named it is gone
	}
	if p.Class != Hung {
		p.repair(f, m, "the worker is dead, and the row says that it runs")
	}
}

func (p *Plan) stop(m Means) Item {
	pid := strconv.Itoa(p.Target.PID)
	return Item{
		ID: string(StopWorker), Kind: StopWorker, Effect: watchdog.EffectStopWorker,
		Commands: [][]string{{"kill", "-TERM", pid}, {"kill", "-KILL", pid}},
		Reason:   fmt.Sprintf("it is hung; the second command only if it lives %s after the first", m.Grace),
		Rollback: "none: what it had in memory alone is lost; its worktree is in the evidence",
	}
}

// resume fills the two files into the successor's command. Pi reads a file that is named with an @.
func (p *Plan) resume(m Means, brief string) Item {
	command := slices.Clone(m.Resume)
	if len(command) == 0 {
		command = slices.Clone(DefaultResume)
	}
	reason := "unfinished work lies in the worktree; the successor is told to look before it repeats"
	if p.Debris == Empty {
		reason = "nothing is left to save; the task starts again in place"
	}
	if p.Session == "" {
		command = slices.DeleteFunc(command, func(w string) bool { return w == "--session" || w == "@session" })
	}
	for i, w := range command {
		switch w {
		case "@session":
			command[i] = p.Session
		case "@brief":
			command[i] = "@" + brief
		}
	}
	return Item{
		ID: string(Resume), Kind: Resume, Effect: watchdog.EffectRespawn, Commands: [][]string{command}, Dir: p.Worktree,
		Reason:   reason,
		Rollback: "piwatch restore " + p.Evidence + " --to DIR gives the worktree as it was",
	}
}

func (p *Plan) publish(f *Facts, m Means) {
	g := f.Worktree.Git
	if m.Remote == "" || len(m.Gate) == 0 || g == nil || g.Branch == "" {
		return
	}
	p.Items = append(p.Items, Item{
		ID: string(Publish), Kind: Publish, Effect: watchdog.EffectPublish, Dir: p.Worktree,
		Commands: [][]string{m.Gate, {"git", "push", m.Remote, g.Head + ":" + g.Branch}},
		Reason:   fmt.Sprintf("%d commits are done and on no remote; the gate is run again first", f.Worktree.Ahead()),
		Rollback: "set " + g.Branch + " of the remote back to what it was; the plan's log names it",
	})
}

func (p *Plan) repair(f *Facts, m Means, reason string) {
	if f.Task == nil || len(m.Repair) == 0 || p.Class != RowWrong && !f.Task.Running() {
		return
	}
	p.Items = append(p.Items, Item{
		ID: string(RepairRow), Kind: RepairRow, Effect: watchdog.EffectTaskState, Commands: [][]string{m.Repair},
		Reason:   fmt.Sprintf("%s: it is %q", reason, cut(f.Task.Status, 40)),
		Rollback: fmt.Sprintf("the row said %q", cut(f.Task.Status, 40)),
	})
}

// Item finds an item of the plan. The error names those that there are.
func (p *Plan) Item(id string) (*Item, error) {
	var ids []string
	for i := range p.Items {
		if p.Items[i].ID == id {
			return &p.Items[i], nil
		}
		ids = append(ids, p.Items[i].ID)
	}
	return nil, fmt.Errorf("%w: it has no item %q; it has %q", ErrPlan, id, ids)
}

// hash identifies a plan with all its items.
func (p *Plan) hash() string {
	data, _ := json.Marshal(p)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Write puts a plan into a new case folder, with the successor's brief.
func (p *Plan) Write(folder string, brief string) error {
	if _, err := os.Lstat(filepath.Join(folder, PlanFile)); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s has a plan already; name another folder with --case", ErrPlan, folder)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(folder, BriefFile), []byte(brief), 0o600); err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(folder, PlanFile), append(data, '\n'), 0o600)
}

// ReadPlan reads the plan of a case.
func ReadPlan(folder string) (*Plan, error) {
	data, err := os.ReadFile(filepath.Join(folder, PlanFile))
	if err != nil {
		return nil, fmt.Errorf("%w: %w; make one with piwatch plan", ErrPlan, err)
	}
	var p Plan
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPlan, filepath.Join(folder, PlanFile), err)
	}
	if p.Version != 1 {
		return nil, fmt.Errorf("%w: %s is of version %d; this program reads version 1", ErrPlan, filepath.Join(folder, PlanFile), p.Version)
	}
	return &p, nil
}
