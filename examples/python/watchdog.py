"""A watchdog that watches: it gives verdicts and notices, and acts on nothing. docs/verdicts.md of the suite is what it follows."""

import base64
import datetime
import json

from pi import NEVER, READS, ZERO, Lines, Run, seconds

AFTER_WAKE = 1000  # after a sleep of the host no limit is judged for so long
PAST = {"starting": "never_started", "awaiting_first_token": "slow_first_token", "streaming": "stalled_stream",
        "running_tool": "stalled_tool", "compacting": "stalled_compaction", "ending": "stalled_ending", "working": "stalled"}
LIMIT = {"starting": "startup", "awaiting_first_token": "first_token", "streaming": "stream_gap", "running_tool": "tool",
         "compacting": "compaction", "backing_off": "declared_grace", "ending": "settle", "working": "stall",
         "awaiting_user": "user_wait", "awaiting_auth": "user_wait", "awaiting_quota": "user_wait"}
WAITING = ("awaiting_user", "awaiting_auth", "awaiting_quota")
EXCUSED = ("compacting", "backing_off", "running_tool")
OVER = ("dead", "settled", "settled_unproven", "idle")


class Watchdog:
    def __init__(self, boot):
        self.policy = boot["policy"]
        self.ack, self.workers, self.now, self.told = 0, {}, None, set()
        self.woke = -AFTER_WAKE

    def limits(self, worker, model, tool):
        limits = dict(self.policy)
        for o in self.policy.get("overrides", []):
            if all(o.get(k, "") in ("", v) for k, v in (("worker", worker), ("model", model), ("tool", tool))):
                limits.update(o["set"])
        limits.setdefault("first_token_ms", limits["stall_ms"])
        limits.setdefault("stream_gap_ms", limits["stall_ms"])
        return limits

    def tick(self, now, seen):
        """Return messages, and when to be woken on mono_ms if nothing happens; 0 = no need."""
        last, self.now, self.said = self.now, now, []
        if last and now["boot_ms"] - now["mono_ms"] - last["boot_ms"] + last["mono_ms"] > 100:
            self.woke = now["mono_ms"]
        if last and last["boot_id"] != now["boot_id"]:
            for w in self.workers.values():
                w.exited((now["mono_ms"], w.spawned[1]), -1, "reboot")
        for o in seen:
            self.ack = o["n"]
            if not o.get("worker"):
                continue
            w = self.workers.get(o["worker"])
            if w is None or w.generation < o["generation"]:
                w = self.workers[o["worker"]] = Worker(self, o["worker"], o["generation"], w)
            if w.generation == o["generation"]:
                w.observe(o)
        wake = min([w.judge() for w in self.workers.values()], default=NEVER)
        return self.said, 0 if wake == NEVER else wake

    def first(self, what):
        new = what not in self.told
        self.told.add(what)
        return new


class Worker:
    """What is known of one worker's current generation."""

    def __init__(self, dog, name, generation, before):
        self.dog, self.name, self.generation = dog, name, generation
        self.spawn, self.spawned = {"mode": "rpc", "source": "held", "parent": True, "pid": 0, "start": 0}, ZERO
        self.run = Run(lambda model, tool: dog.limits(name, model or self.spawn.get("model", ""), tool))
        self.run.mended = before.run.mended if before else 0
        self.lines = {"out": Lines(), "in": Lines()}
        self.ends, self.size = {}, 0  # of streams: shown, and inspected
        self.broken = self.pull = self.dirty = self.early = self.reports = False
        self.exit, self.before, self.ambiguous, self.head = None, "", False, ""
        self.phase, self.since = "", ZERO
        self.alarm, self.noticed, self.attended, self.reminded, self.waits = None, False, None, 0, None
        self.asked, self.gone, self.foreign, self.gone_at, self.rests = {}, 0, False, ZERO, None
        self.keys, self.shown, self.found = 0, None, ("", "ok", False)

    # Observations.

    def observe(self, o):
        m = (min(o["at"]["mono_ms"], self.dog.now["mono_ms"]), o["n"])
        self.expire(m[0])
        getattr(self, "see_" + o["kind"], lambda b, m, o: None)(o.get(o["kind"]) or {}, m, o)
        self.settle(m)

    def see_spawned(self, b, m, o):
        self.spawn, self.spawned = b, m
        self.run.progress = self.run.resumed = m

    def see_bytes(self, b, m, o):
        stream, data = b["stream"], b.get("data") or {}
        data = data["text"].encode("utf-8", "surrogatepass") if "text" in data else base64.b64decode(data.get("base64", ""))
        if stream == "out":
            self.run.whole = self.run.whole and self.ends.get("out", 0) == b["offset"]
            self.broken = False
        self.ends[stream] = b["offset"] + len(data)
        if stream not in self.lines or self.spawn["mode"] == "print" or self.spawn["mode"] == "tui":
            return
        wall = seconds(o["at"]["wall"])
        for line in self.lines[stream].feed(data):
            self.line(stream, line, m, wall)

    def line(self, stream, line, m, wall):
        if line is None:
            self.run.whole = self.run.whole and stream != "out"
            return
        try:
            record = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return  # what cannot be read says nothing
        if not isinstance(record, dict):
            return
        if stream == "in":
            self.run.sent(record, m)
        elif not self.exit:
            try:
                self.run.wrote(record, m, wall)
            except (TypeError, AttributeError, ValueError, OverflowError):
                pass  # members of another type than Pi's
            self.gone, self.foreign = (0, False) if self.run.progress == m else (self.gone, self.foreign)
        elif self.early:
            self.late(record, m, wall)
        self.settle(m)

    def late(self, record, m, wall):
        """Takes a record that was written before the exit: it can prove that the run had come to its end."""
        kind, ends = record.get("type"), False
        if kind == "message_end" and (record.get("message") or {}).get("role") == "assistant":
            self.run.finish(record["message"], m, wall)
            self.run.called = False
        elif kind == "agent_end":
            ends = not self.run.terminal and not record.get("willRetry")
        elif kind == "agent_settled":
            ends, self.run.aborted = True, record.get("aborted") is True
        if ends and self.run.final:
            self.early, self.run.quit, self.run.settled = False, False, True
            self.run.refused = self.run.trouble != ""

    def see_closed(self, b, m, o):
        if b["stream"] in self.lines:
            rest = self.lines[b["stream"]].rest()
            if rest:
                self.line(b["stream"], rest, m, seconds(o["at"]["wall"]))

    def see_file(self, b, m, o):
        self.ends[b["stream"]], self.size = 0, 0
        self.lines[b["stream"]] = Lines()

    def see_gap(self, b, m, o):
        if b["stream"] in self.lines:
            self.lines[b["stream"]] = Lines()
        if b["stream"] in ("in", "err") or b["stream"] == "session" and self.spawn["mode"] in ("rpc", "json"):
            return
        self.run.resumed, self.broken, self.run.doubt, self.run.whole = m, True, True, False

    def see_exited(self, b, m, o):
        self.exited(m, b["code"], b.get("signal", ""))

    def see_worktree(self, b, m, o):
        head = b.get("head", "")
        if head and self.head and head != self.head:
            self.run.moved(m)
        self.head, self.dirty = head or self.head, b.get("dirty", False)

    def see_task(self, b, m, o):
        self.pull = b.get("pull_request", False)

    def see_probe(self, b, m, o):
        if self.asked.get(b["what"], {}).get("key") != b["key"] or b["result"] != "ok":
            return
        self.asked[b["what"]]["key"] = ""
        if b["what"] == "processes":
            self.tree(b, m)
        elif b.get("state") is not None:
            self.state(b["state"], m)
        else:
            return
        self.check(m)

    def see_inspect(self, b, m, o):
        if self.asked.get(b["what"], {}).get("key") != b["key"]:
            return
        self.asked[b["what"]]["key"] = ""
        if b["what"] == "world":
            for c in self.run.loops.values():
                if c.wanted:
                    c.world(b.get("world", ""))
        elif b["offset"] >= 0:
            end = self.ends.get(b.get("stream"), 0)
            if b["offset"] == end:
                self.check(m)
                self.broken = False
            elif b["offset"] == self.size:
                self.check(m)
            elif b["offset"] > end and self.spawn["source"] != "held":
                self.run.resumed = max(self.run.resumed, m)
            self.size = b["offset"]

    def exited(self, m, code, signal):
        if self.exit:
            return
        r = self.run
        self.before, self.ambiguous = self.phase, any(c["tool"] not in READS for c in r.calls)
        r.dialogs = []
        if (r.ended or r.settled) and not r.terminal and not r.retrying:
            r.settled, r.ended = True, False
            if self.spawn["mode"] in ("json", "print") and not code and not signal:
                r.compacting = False
        self.settle(m)
        self.exit = {"at": m, "code": code, "signal": signal}
        self.early = self.phase not in ("settled", "settled_unproven", "idle", "awaiting_auth", "awaiting_quota")
        self.gone, self.foreign = 0, False
        if self.early:
            r.rest()
            r.prompted = r.backing_off = r.settled = False
            r.quit = not code and not signal
        self.settle(m)

    def state(self, s, m):
        """Takes get_state, where it is not certain whether a run is open. Elsewhere it is no news: alive is no progress."""
        r, self.broken = self.run, False
        streaming, compacting = s.get("streaming"), s.get("compacting")
        if not r.doubt and not r.presumed:
            return
        if compacting and r.doubt:
            self.rests = None
            if not r.compacting:
                r.rest()
                r.compacting, r.compaction = True, m
        elif streaming or compacting:
            self.rests = None
        else:
            if r.doubt and not r.terminal:
                if self.rests is None or r.progress[0] > self.rests:
                    self.rests = m[0]
                if m[0] - self.rests < r.limits["settle_ms"]:
                    return
            r.rest()
            r.dialogs, r.doubt, self.rests = [], False, None

    def tree(self, b, m):
        """Takes a look at the process table."""
        processes = b.get("processes") or []
        own = next((p for p in processes if p["pid"] == self.spawn["pid"]), None)
        if own and own["start"] != self.spawn["start"] and own["start"] and self.spawn["start"]:
            self.exited(m, -1, "unknown")  # another process under its pid
        elif own and own.get("state") != "Z" or not self.spawn["pid"]:
            self.gone, self.foreign = 0, False
            for c in self.run.calls:
                self.descendants(c, processes, m)
        elif b.get("source") != "proc":
            self.foreign, self.gone_at = True, m
        elif not self.gone or m[0] >= self.gone_at[0] + self.run.limits["confirm_every_ms"]:
            self.gone, self.gone_at = self.gone + 1, m
            if self.gone > max(1, self.run.limits["confirmations"]):
                self.exited(m, -1, "unknown")

    def descendants(self, c, processes, m):
        """Takes the processes of a call: their work is progress, and when all have ended the chain is dead."""
        mine = [p for p in processes if p.get("role") != "agent" and p.get("tool_call", "") in ("", c["id"])][:32]
        was, c["tree"] = c["tree"], {(p["pid"], p["start"]): (p["cpu_ms"], p["io"]) for p in mine}
        if was is not None and any(cpu > was.get(k, (0, 0))[0] or io > was.get(k, (0, 0))[1] for k, (cpu, io) in c["tree"].items()):
            c["progress"] = m
            self.run.moved(m)
        left = any(p.get("state") != "Z" for p in mine)
        known = [p for p in mine if p.get("tool_call") or len(self.run.calls) == 1]
        c["running"] = c["running"] or any(p.get("tool_call") or c["shell"] for p in known)
        shell = any(p.get("role") == "shell" and p.get("state") != "Z" for p in known)
        c["holder"] = 0 if shell else next((p["pid"] for p in known if p.get("holds_pipe") and p.get("role") == "tool"), 0)
        c["terminal"] = next((p["pid"] for p in known if p.get("reads_tty")), 0)
        c["dead"] = None if left or not c["running"] else c["dead"] or m

    # The phase.

    def stand(self):
        """The first row of the phase table that holds."""
        r = self.run
        one_shot = self.spawn["mode"] in ("json", "print")
        starting = not self.exit and self.spawned != ZERO and (not r.ran if one_shot else self.spawn["mode"] == "rpc" and r.prompted)
        ending = not r.retrying if r.ended else not r.terminal and r.open and r.final is not None
        over = r.settled or r.quit
        rows = (("dead", self.exit and self.early and (self.exit["code"] or self.exit["signal"])), ("awaiting_user", r.dialogs),
                ("awaiting_auth", r.refused and r.trouble == "auth"), ("awaiting_quota", r.refused), ("compacting", r.compacting),
                ("backing_off", r.backing_off), ("running_tool", r.calls), ("starting", starting),
                ("awaiting_first_token", r.due and not r.streaming), ("streaming", r.streaming or r.called), ("ending", ending),
                ("settled_unproven", over and r.unproven()), ("settled", over), ("working", r.open or r.retrying))
        return next((name for name, holds in rows if holds), "idle")

    def settle(self, m):
        phase = self.stand()
        if phase != self.phase:
            self.phase, self.since = phase, m

    def expire(self, now):
        """Takes what the passing of time alone has changed."""
        r = self.run
        for d in [d for d in r.dialogs if d["until"] <= now]:
            r.answer((d["until"], d["since"][1]), lambda x: x is d)
            self.settle(r.resumed)
        if r.backing_off and r.backoff[0] <= now:
            r.backing_off = False
            self.settle(r.backoff)
        if r.ended and not (r.retrying or r.terminal or r.compacting) and now >= r.end[0] + r.limits["settle_ms"]:
            r.settled, r.ended = True, False
            self.settle((r.end[0] + r.limits["settle_ms"], r.end[1]))

    def deadline(self):
        """When the phase passes its limit, and what that counts from."""
        r, phase = self.run, self.phase
        if phase == "running_tool":
            return min(self.call_deadline(c) for c in r.calls)
        if phase not in PAST:
            return NEVER, self.since
        count = max(r.resumed, {"starting": r.prompt if r.prompted else self.spawned, "awaiting_first_token": r.due_at,
                                "compacting": r.compaction, "ending": r.end if r.ended else r.progress}.get(phase, r.progress))
        return count[0] + r.limits[LIMIT[phase] + "_ms"], count

    def call_deadline(self, c):
        count = max(c["progress"], self.run.resumed)
        at = (count[0] + c["limit"], count)
        if c["dead"]:
            since = max(c["dead"], self.run.resumed)
            at = min(at, (since[0] + self.run.limits["settle_ms"], since))
        return at

    # The verdict.

    def judge(self):
        now, r = self.dog.now["mono_ms"], self.run
        self.expire(now)
        if r.refused and r.until is not None and not self.exit and seconds(self.dog.now["wall"]) >= r.until + r.limits["declared_grace_ms"] / 1000:
            r.refused, r.resumed = False, max(r.resumed, (now, 0))  # the quota is back: judged afresh
            if r.ended:
                r.end = max(r.end, (now, r.end[1]))
        self.settle((now, 0))
        name, status, limit, count, reason, deadline, past = self.find(now)
        silent = name != "livelock" and reason != "conflict"
        status = self.follow(name, status, count, silent, now)
        self.tell(name, status, limit, count, reason, past, now)
        self.look(name, limit, count, reason, silent, now)
        wake = self.wake(status, count, deadline, past, silent, now)
        self.found = (name, status, silent)
        self.show(name, status, limit, count, reason, past, wake, now)
        return wake

    def find(self, now):
        r, phase = self.run, self.phase
        deadline, count = self.deadline()
        limit = LIMIT.get(phase, "")
        loop = next((c for c in r.loops.values() if c.repeats >= r.limits["loop_repeats"]), None)
        if phase == "dead" or phase == "settled_unproven":
            return phase, "confirmed", limit, count, r.unproven() if phase != "dead" else "", deadline, False
        if phase in WAITING or phase in OVER:
            return phase, "ok", limit, count, "", deadline, False
        if self.gone or self.foreign:
            return "inconclusive", "suspected", "", count, "conflict", deadline, True
        if loop and not (phase == "ending" and r.ended and not r.terminal) and (loop.proven or now < deadline):
            first = loop.steps[-loop.period * r.limits["loop_repeats"]:][0][1]
            return "livelock", "confirmed" if loop.proven else "suspected", "loop_repeats", first, "", deadline, True
        if now < deadline or self.pull and phase == "working" or now < self.dog.woke + AFTER_WAKE and not self.alarm:
            return phase, "ok", limit, count, "", deadline, False
        name, reason = PAST.get(phase, phase), ""
        if self.spawn["mode"] in ("print", "tui") or self.spawn["mode"] != "rpc" and not r.records and self.spawn["source"] != "held":
            name, reason = "inconclusive", "source"
        elif r.doubt or self.size > self.ends.get("out", 0):
            name, reason = "inconclusive", "gap"
        elif r.misses(count):
            name, reason = "inconclusive", "dialect"
        if phase == "running_tool" and any(c["dead"] and max(c["dead"], r.resumed) == count for c in r.calls):
            limit = "settle"
        return name, "suspected", limit, count, reason, deadline, True

    def follow(self, name, status, count, silent, now):
        """Counts the checks of a suspicion, and confirms it."""
        a = self.alarm
        if status == "ok":
            self.alarm, self.noticed = None, False
            return status
        if not a or a["name"] != name or a["count"] != count[0] and name != "livelock":
            self.alarm, self.noticed = {"name": name, "count": count[0], "last": now, "checks": 0, "evidence": [], "sure": False}, False
        elif silent and self.spawn["source"] == "held" and not self.broken and now >= a["last"] + self.run.limits["confirm_every_ms"]:
            a["checks"], a["last"] = a["checks"] + 1, now
        if silent and (status == "confirmed" or self.alarm["checks"] >= self.run.limits["confirmations"]):
            self.alarm["sure"], status = True, "confirmed"
        return status

    def check(self, m):
        """Counts a fresh look that found the worker still silent."""
        a = self.alarm
        if a and not a["sure"] and self.found[2] and m[0] >= a["last"] + self.run.limits["confirm_every_ms"]:
            a["checks"], a["last"] = a["checks"] + 1, m[0]
            a["evidence"].append(m)

    def evidence(self, count, now):
        marks = {self.since, count} | {d["since"] for d in self.run.dialogs[:1]} | {c["start"] for c in self.run.calls}
        marks |= set(self.alarm["evidence"]) if self.alarm else set()
        return [{"n": m[1], "age_ms": now - m[0], "generation": self.generation} for m in sorted(marks, key=lambda m: m[1]) if m[1] > 0 and m[0] <= now]

    def cause(self, name, limit):
        c = {"name": name, "phase": self.before if self.early and self.before else self.phase}
        return c | ({"limit": limit} if limit else {})

    def show(self, name, status, limit, count, reason, past, wake, now):
        r, detail = self.run, {}
        if reason:
            detail["reason"] = reason
        if self.phase == "awaiting_user":
            detail["dialog"] = printable(str(r.dialogs[0]["id"]))
        elif self.phase == "awaiting_auth":
            detail["credential"] = self.spawn.get("credential", "")
        elif self.phase == "awaiting_quota" and r.until is not None:
            detail["until"] = datetime.datetime.fromtimestamp(r.until, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        elif self.phase == "running_tool":
            detail["calls"] = [printable(str(c["id"])) for c in r.calls if not past or self.call_deadline(c)[0] <= now]
            first = min(r.calls, key=self.call_deadline)
            detail |= {k: first[k] for k in ("holder", "terminal") if first[k]} | ({"dead_chain": True} if first["dead"] and past else {})
        elif self.phase in ("settled", "settled_unproven") and r.final and r.final[0]:
            detail["stop_reason"] = r.final[0]
        flags = (["exited"] if self.exit else []) + (["dirty"] if name == "dead" and self.dirty else []) + (["ambiguous"] if name == "dead" and self.ambiguous else [])
        vetoes = ["pull_request"] if self.pull and self.phase == "working" and now >= self.deadline()[0] else []
        shown = (name, status, self.phase, json.dumps(detail), flags, vetoes)
        if shown == self.shown:
            return
        self.shown = shown
        v = {"worker": self.name, "generation": self.generation, "name": name, "status": status, "since_ms": count[0] if past else self.since[0],
             "next_ms": 0 if wake == NEVER else wake, "cause": self.cause(name, limit), "evidence": self.evidence(count, now)}
        v |= {k: x for k, x in (("detail", {k: x for k, x in detail.items() if x}), ("flags", flags), ("vetoes", vetoes)) if x}
        self.dog.said.append({"type": "verdict", "verdict": v})

    # Notices and looks.

    def command(self, label, name, limit, count, now, **more):
        self.keys += 1
        key = f"{self.name}/{self.generation}/{self.keys}/{label}"
        c = {"key": key, "worker": self.name, "generation": self.generation, "cause": self.cause(name, limit),
             "evidence": [e["n"] for e in self.evidence(count, now)]}
        self.dog.said.append({"type": "command", "command": c | more})
        return key

    def notify(self, what, name, limit, count, now, text):
        self.command(what, name, limit, count, now, kind="notify", text=printable(f"{self.name}: {text}"))

    def tell(self, name, status, limit, count, reason, past, now):
        r = self.run
        if status == "confirmed" and not self.noticed:
            self.noticed = True
            self.notify(name, name, limit, count, now, f"{name} {reason}".strip())
        silence = max(count, r.progress, r.resumed)
        if self.attentive(silence, past) and now >= silence[0] + r.limits["attention_ms"] and now >= self.dog.woke + AFTER_WAKE:
            self.attended = silence[0]
            self.notify("attention", name, "attention", count, now, f"no progress while {name}")
        if self.phase in WAITING:
            self.remind(name, count, now)

    def attentive(self, silence, past):
        quiet = self.phase == "ending" and self.run.ended and not self.run.terminal and not past
        return self.phase in PAST and self.phase not in EXCUSED and not quiet and silence[0] != self.attended and not self.noticed

    def remind(self, name, count, now):
        if self.waits != self.since[0]:
            self.waits, self.reminded = self.since[0], 0
        auth = name == "awaiting_auth"
        credential = self.spawn.get("credential") or f"{self.name}/{self.generation}"
        mended = max(w.run.mended for w in self.dog.workers.values() if w is self or w.spawn.get("credential") and w.spawn.get("credential") == self.spawn.get("credential"))
        if auth and self.dog.first((credential, mended, 0)):
            self.notify(name, name, "", count, now, "the credential was refused")
        due = int((now - self.since[0]) / self.run.limits["user_wait_ms"])
        if due > self.reminded:
            self.reminded = due
            if not auth or self.dog.first((credential, mended, due)):
                self.notify(f"reminder-{due}", name, "user_wait", count, now, f"{name} goes on")

    def due(self, what, start):
        """When a kind of look is due again."""
        q = self.asked.get(what)
        return max(start, q["at"] if q else start) + self.run.limits["confirm_every_ms"]

    def looks(self, silent):
        """What is to be asked, and when."""
        r = self.run
        if self.exit or self.spawned == ZERO:
            return
        if not self.spawn["parent"] or self.gone:
            yield self.due("processes", self.spawned[0]), "probe", "processes"
        if self.phase == "running_tool":
            yield self.due("processes", max(min(c["progress"] for c in r.calls), r.resumed)[0]), "probe", "processes"
        if self.spawn["mode"] == "rpc":
            if r.doubt:
                yield self.due("state", r.resumed[0]), "probe", "state"
            elif r.presumed:
                yield self.due("state", r.due_at[0]), "probe", "state"
            elif self.phase == "awaiting_quota" and r.until is None:
                q, every = self.asked.get("state"), r.limits["backoff_ms"]
                if not q or q["at"] < self.since[0]:
                    yield self.since[0] + every, "probe", "state"
                else:
                    yield q["at"] + min(every * 2 ** min(q["times"] + 1, 20), r.limits["backoff_cap_ms"]), "probe", "state"
        if self.alarm and not self.alarm["sure"] and silent:
            yield self.due("stream", self.alarm["last"]), "inspect", "stream"
        if any(c.wanted for c in r.loops.values()):
            q = self.asked.get("world")
            yield (self.due("world", 0) if q and q["key"] else 0), "inspect", "world"

    def look(self, name, limit, count, reason, silent, now):
        for what, kind in sorted({(what, kind) for at, kind, what in self.looks(silent) if at <= now}):
            q = self.asked.get(what)
            times = q["times"] + 1 if q and q["at"] >= self.since[0] else 0
            more = {"stream": "out" if self.spawn["mode"] in ("rpc", "json") else "session"} if what == "stream" else {}
            not_after = datetime.datetime.fromtimestamp(seconds(self.dog.now["wall"]) + self.run.limits["confirm_every_ms"] / 1000, datetime.timezone.utc)
            key = self.command(what, name, limit, count, now, kind=kind, what=what, if_gen=self.generation,
                               not_after=not_after.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), **more)
            self.asked[what] = {"key": key, "at": now, "times": times}
            if what == "world":
                for c in self.run.loops.values():
                    if c.wanted:
                        c.looked = c.total

    def wake(self, status, count, deadline, past, silent, now):
        r = self.run
        times = [at for at, _, _ in self.looks(silent)] + [d["until"] for d in r.dialogs]
        if status == "ok":
            times.append(max(deadline, self.dog.woke + AFTER_WAKE))
        if past:
            times += [self.call_deadline(c)[0] for c in r.calls]
        if self.alarm and not self.alarm["sure"] and silent:
            times.append(self.alarm["last"] + r.limits["confirm_every_ms"])
        if r.backing_off:
            times.append(r.backoff[0])
        if r.ended and not r.terminal and not r.retrying:
            times.append(r.end[0] + r.limits["settle_ms"])
        if r.refused and r.until is not None and not self.exit:
            left = (r.until - seconds(self.dog.now["wall"])) * 1000 + r.limits["declared_grace_ms"]
            times.append(now + min(max(left, 1000), 60000))  # the civil clock may jump
        silence = max(count, r.progress, r.resumed)
        if self.attentive(silence, past):
            times.append(max(silence[0] + r.limits["attention_ms"], self.dog.woke + AFTER_WAKE))
        if self.phase in WAITING:
            times.append(self.since[0] + (self.reminded + 1) * r.limits["user_wait_ms"])
        return min([t for t in times if t > now], default=NEVER)


def printable(text):
    """A text without what could drive a terminal, and not too long."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text[:200])
