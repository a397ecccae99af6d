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
	"time"

	"github.com/google/renameio/v2"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/watchdog"
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
	Head     string    `json:"head,omitempty"`          // the worktree's commit
	Tree     string    `json:"worktree_tree,omitempty"` // SHA-256 of its files
	Session  string    `json:"session,omitempty"`
	Leaf     string    `json:"session_leaf,omitempty"` // id of its last entry
	Target   *Target   `json:"target,omitempty"`       // the worker's process
	Tracker  *Tracker  `json:"tracker,omitempty"`      // where the row was read
	Row      *Task     `json:"row,omitempty"`          // as it was
	Items    []Item    `json:"items"`
	Omitted  []string  `json:"omitted,omitempty"` // what was not planned, and why
	Bound    Bound     `json:"bound"`             // what an approval is for beside the worktree
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
	StopWorker       ItemKind = "stop-worker"       // SIGTERM, and SIGKILL after the grace
	RecreateWorktree ItemKind = "recreate-worktree" // from a proven restore
	CommitWIP        ItemKind = "commit-wip"        // edits and new files become a commit of the branch
	Resume           ItemKind = "resume"            // a successor goes on in the worktree
	Publish          ItemKind = "publish"
	RepairRow        ItemKind = "repair-row"
	RemoveWorktree   ItemKind = "remove-worktree" // after a proven restore; the branch stays
)

// Item is one thing that could be done.
type Item struct {
	ID       string               `json:"item"`
	Kind     ItemKind             `json:"kind"`
	Effect   watchdog.EffectClass `json:"effect"`
	Commands [][]string           `json:"commands"` // exactly what is run, without a shell
	Dir      string               `json:"dir,omitempty"`
	Files    []string             `json:"files,omitempty"` // of commit-wip: what the commit takes up
	Leave    []evidence.Left      `json:"leave,omitempty"` // of commit-wip: new files that it leaves
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

// Make plans what a diagnosis calls for. The snapshot must be of the worktree as it is now, or of one that is gone:
// otherwise ErrChanged.
func Make(f *Facts, d *Diagnosis, at Places, record *evidence.Record, m Means, boot string) (*Plan, error) {
	if f.Worktree.Missing && !samePlace(record.Worktree, at.Worktree) {
		return nil, fmt.Errorf("%w: the snapshot %s is of %s, and %s is gone", ErrChanged, at.Evidence, record.Worktree, at.Worktree)
	}
	if !f.Worktree.Missing && f.Worktree.Digest != record.Digest {
		return nil, fmt.Errorf("%w: the snapshot %s is of another state of %s; take a new one", ErrChanged, at.Evidence, at.Worktree)
	}
	p := &Plan{
		Version: 1, Made: f.Now.UTC(), Class: d.Class, Debris: d.Debris, Rests: d.Evidence, Worktree: at.Worktree,
		Evidence: at.Evidence, Digest: record.Digest, Tracker: f.Tracker, Row: f.Task, Items: []Item{},
	}
	p.Tree = f.Worktree.Tree
	if g := f.Worktree.Git; g != nil {
		p.Head = g.Head
	}
	if s := f.Session; s != nil && !s.Missing {
		p.Session, p.Leaf = s.Path, s.Leaf
	}
	if f.Process != nil && !f.Process.Gone {
		p.Target = &Target{f.Process.PID, f.Process.Process.Start, boot}
	}
	for _, unknown := range d.Unknown {
		p.Omitted = append(p.Omitted, "everything: not known "+unknown)
	}
	p.ID = p.identify()
	(&planning{Plan: p, facts: f, means: m, record: record, brief: filepath.Join(at.Case, BriefFile)}).add()
	return p, nil
}

// samePlace compares two names of a folder that may be gone.
func samePlace(a, b string) bool {
	if above, err := filepath.EvalSymlinks(filepath.Dir(b)); err == nil {
		b = filepath.Join(above, filepath.Base(b))
	}
	return a == b
}

func (p *Plan) identify() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s", p.Digest, p.Worktree, p.Made.Format(time.RFC3339Nano)))
	return hex.EncodeToString(sum[:6])
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

// Write puts a plan into a new case folder, with the successor's brief, and binds it to that and to what is there now.
func (p *Plan) Write(folder string, brief string) error {
	if _, err := os.Lstat(filepath.Join(folder, PlanFile)); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s has a plan already; name another folder with --case", ErrPlan, folder)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var err error
	if p.Bound, err = bind(brief, p.Session, p.Worktree); err != nil {
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
