package recovery

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/watchdog"
)

// planning fills a plan with items.
type planning struct {
	*Plan
	facts  *Facts
	means  Means
	record *evidence.Record
	brief  string // file of the successor's brief
}

// omit notes what is not planned, and why.
func (p *planning) omit(kind ItemKind, format string, args ...any) {
	p.Omitted = append(p.Omitted, string(kind)+": "+fmt.Sprintf(format, args...))
}

func (p *planning) item(kind ItemKind, effect watchdog.EffectClass, reason, rollback string, commands ...[]string) {
	p.Items = append(p.Items, Item{
		ID: string(kind), Kind: kind, Effect: effect, Commands: commands, Dir: p.Worktree, Reason: reason, Rollback: rollback,
	})
}

// add plans what class and debris call for. A veto of the tracker leaves the row alone and everything else too
// (WDC-GATE-005).
func (p *planning) add() {
	if t := p.facts.Task; t != nil && len(t.Vetoes) > 0 {
		p.Omitted = append(p.Omitted, "everything: the tracker's veto: "+cut(strings.Join(t.Vetoes, ", "), 200))
		return
	}
	switch p.Class {
	case Waiting:
		p.omit(StopWorker, "it waits, and is not hung")
	case Hung:
		if p.Target == nil {
			p.omit(StopWorker, "its process is not known; name it with --pid")
			return
		}
		p.stop()
		p.goOn()
	case RowWrong:
		p.repair("the worker works, and the row does not say so")
	case DeadAtRisk, DeadClean:
		if len(p.facts.Inside) > 0 {
			p.omit("everything", "%s still in the worktree; wait until it has ended, and plan again", listed(p.facts.Inside))
			return
		}
		p.goOn()
		p.repair("the worker is dead, and the row says that it runs")
	}
}

// goOn plans what becomes of the debris. Whoever names a gate wants to publish, and is told why it is not planned.
func (p *planning) goOn() {
	if len(p.means.Gate) > 0 && p.Debris != Publishable {
		p.omit(Publish, "%s", unpublished(p.Debris))
	}
	switch p.Debris {
	case Orphaned:
		p.recreate()
		p.resume("the successor goes on in the worktree that comes back first")
	case Publishable:
		p.publish()
	case HalfDone:
		p.commit()
		p.resume("unfinished work lies in the worktree; the successor is told to look before it repeats")
	case Resumable:
		p.resume("commits lie in the worktree; the successor is told to look before it repeats")
	case Empty:
		if p.proven() {
			p.remove()
			return
		}
		p.resume("nothing is left to save; the task starts again in place")
	}
}

// unpublished is why debris of a kind is not published.
func unpublished(d Debris) string {
	switch d {
	case Orphaned:
		return "the worktree is gone"
	case HalfDone:
		return "not all of the work is in commits"
	case Resumable:
		return "no row of a tracker says that a gate has passed; name one that has gates, with --task-cmd or --db and --query"
	}
	return "no commit is ahead of the remotes"
}

func (p *planning) stop() {
	pid := strconv.Itoa(p.Target.PID)
	p.item(StopWorker, watchdog.EffectStopWorker,
		fmt.Sprintf("it is hung; the second command only if it lives %s after the first", p.means.Grace),
		"none: what it had in memory alone is lost; its worktree is in the evidence",
		[]string{"kill", "-TERM", pid}, []string{"kill", "-KILL", pid})
}

func (p *planning) recreate() {
	from := "as a repository of its own"
	if p.record.Repository != "" {
		from = "as a worktree of " + p.record.Repository
	}
	p.item(RecreateWorktree, watchdog.EffectTaskState,
		"the worktree is gone; the evidence has it as it was, and it comes back "+from+" after a proven restore",
		Spell([]string{"rm", "-r", p.Worktree})+": it was not there",
		[]string{"piwatch", "restore", p.Evidence, "--to", p.Worktree, "--linked"})
	p.Items[len(p.Items)-1].Dir = ""
}

// commit plans a commit of what is in none, where that can be undone.
func (p *planning) commit() {
	g := p.facts.Worktree.Git
	switch {
	case g == nil:
		p.omit(CommitWIP, "the worktree has no git")
	case len(p.facts.Worktree.Edited) == 0 && p.facts.Worktree.Untracked == 0:
		p.omit(CommitWIP, "the work lies in the stash or in a nested repository")
	case g.Branch == "" || g.Head == "":
		p.omit(CommitWIP, "HEAD is on no branch that has a commit")
	case len(g.Progress) > 0 || len(g.Unmerged) > 0:
		p.omit(CommitWIP, "git is in the middle of something; only a person can finish it")
	case p.facts.Work == nil:
		p.omit(CommitWIP, "%s", p.facts.NoWork)
	case len(p.facts.Work.Take) == 0:
		p.omit(CommitWIP, "there is nothing that git would take up, but for files that are ignored or hold secrets")
	default:
		p.item(CommitWIP, watchdog.EffectTaskState,
			"the successor then begins with a clean worktree; no hook or filter runs",
			Spell([]string{"git", "-C", p.Worktree, "reset", "--mixed", g.Head})+"  # what was only staged is in the evidence",
			[]string{"git", "add", "--all"}, []string{"git", "commit", "--no-verify", "--message", p.message()})
		it := &p.Items[len(p.Items)-1]
		it.Files, it.Leave = p.facts.Work.Take, p.facts.Work.Leave
	}
}

// message is that of a commit of work in progress, by which it is known again.
func (p *Plan) message() string {
	return "WIP: what a worker left\n\nRecovery: " + p.ID + "\nEvidence: " + p.Digest
}

// resume fills the two files into the successor's command. Pi reads a file that is named with an @.
func (p *planning) resume(reason string) {
	if t := p.facts.Task; t != nil && t.Dropped() {
		p.omit(Resume, "the row says %q: nobody is to go on", cut(t.Status, 40))
		return
	}
	if what := p.facts.Known.wait(); what != "" {
		p.omit(Resume, "its predecessor ended in a wait for %s; a successor would end there too", what)
		return
	}
	command := slices.Clone(p.means.Resume)
	if len(command) == 0 {
		command = slices.Clone(DefaultResume)
	}
	if p.Session == "" {
		command = slices.DeleteFunc(command, func(w string) bool { return w == "--session" || w == "@session" })
	}
	for i, w := range command {
		switch w {
		case "@session":
			command[i] = p.Session
		case "@brief":
			command[i] = "@" + p.brief
		}
	}
	p.item(Resume, watchdog.EffectRespawn, reason,
		Spell([]string{"piwatch", "restore", p.Evidence, "--to", "DIR"})+" gives the worktree as it was", command)
}

func (p *planning) publish() {
	g := p.facts.Worktree.Git
	switch {
	case p.means.Remote == "" || len(p.means.Gate) == 0:
		p.omit(Publish, "name the remote with --remote, and with --gate what must succeed first")
	case g == nil || g.Branch == "":
		p.omit(Publish, "HEAD is on no branch")
	default:
		p.item(Publish, watchdog.EffectPublish,
			fmt.Sprintf("%s done and on no remote; the gate is run again first", are(p.facts.Worktree.Ahead())),
			"set "+g.Branch+" of the remote back to what it was; the plan's log names it",
			p.means.Gate, []string{"git", "push", p.means.Remote, g.Head + ":" + g.Branch})
	}
}

func are(commits int) string {
	if commits == 1 {
		return "1 commit is"
	}
	return fmt.Sprintf("%d commits are", commits)
}

func (p *planning) repair(reason string) {
	t := p.facts.Task
	switch {
	case t == nil || p.Class != RowWrong && !t.Running():
		return
	case len(p.means.Repair) == 0:
		p.omit(RepairRow, "name the tracker's own command with --repair")
		return
	}
	p.item(RepairRow, watchdog.EffectTaskState, fmt.Sprintf("%s: it is %q", reason, cut(t.Status, 40)),
		fmt.Sprintf("the row said %q", cut(t.Status, 40)), p.means.Repair)
	p.Items[len(p.Items)-1].Dir = ""
}

// proven reports whether the task is over, and the world shows it here and at the remote (WDC-WORK-007).
func (p *planning) proven() bool {
	return p.facts.Task != nil && p.facts.Task.Finished() && p.means.Remote != "" && len(p.facts.Against) == 0
}

func (p *planning) remove() {
	if err := p.record.Removable(); err != nil {
		p.omit(RemoveWorktree, "%v", err)
		return
	}
	p.item(RemoveWorktree, watchdog.EffectRemove,
		"the task is done, and the remote has all of it; removed only after a proven restore, the branch stays",
		Spell([]string{"piwatch", "restore", p.Evidence, "--to", p.Worktree, "--linked"}),
		[]string{"git", "worktree", "remove", p.Worktree})
}
