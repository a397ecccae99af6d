"""What a worker's lines say: the model of one run, as docs/verdicts.md has it. Times are in ms on the monotonic clock."""

import datetime
import json
import re

NEVER = float("inf")
ZERO = (-1.0, 0)  # a mark: a moment, and the number of the observation that it rests on
DIALOGS = ("select", "confirm", "input", "editor")  # the other methods of extension_ui_request are decoration
SILENT = ("queue_update", "session", "session_info_changed", "thinking_level_changed", "extension_error", "entry_appended",
          "bash_execution_update", "summarization_retry_start", "summarization_retry_end")
STOPS = ("stop", "toolUse", "length", "error", "aborted", "pending")
IN_RUN = ("turn_start", "turn_end", "message_start", "message_update", "message_end", "tool_execution_start",
          "tool_execution_update", "tool_execution_end", "agent_end")
MOST = 64  # calls, dialogs and steps of a loop that are kept
LONGEST = 20 << 20  # bytes of a line

QUOTA = ("insufficient_quota", "usage limit", "session limit", "spend limit", "spending limit", "weekly limit",
         "quota exceeded", "exceeded your current quota", "usage_limit", "credit balance")
AUTH = ("authentication_error", "invalid api key", "invalid_api_key", "incorrect api key", "unauthorized",
        "token expired", "expired token", "token has expired", "credentials expired")
READS = {"read", "grep", "find", "ls", "glob"}
VOLATILE = re.compile(r'"(?:wall_time_seconds|durationMs)":[\d.]+|(?:/var)?/tmp/[^\s"\\:,)]*|/var/folders/[^\s"\\:,)]*'
                      r'|(?<!\w)[\d.]+ ?(?:ns|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)(?!\w)')
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Lines:
    """Cuts a stream into lines. One that is too long is dropped, and said: None."""

    def __init__(self):
        self.tail, self.size, self.dropping = [], 0, False

    def feed(self, data):
        for piece in data.splitlines(keepends=True) if b"\r" not in data else re.findall(rb"[^\n]*\n|[^\n]+", data):
            if not self.dropping:
                self.tail.append(piece)
                self.size += len(piece)
                if self.size > LONGEST:
                    self.tail, self.dropping = [], True
            if piece.endswith(b"\n"):
                yield None if self.dropping else b"".join(self.tail)
                self.__init__()

    def rest(self):
        line, self.tail = b"".join(self.tail), []
        self.size = 0
        return line


def trouble(text):
    """Whether an error text is about a credential or a quota."""
    text = text[:4096].lower()
    status = int(text[:3]) if re.match(r"[1-9]\d\d(?!\d)", text) else 0
    if status == 401:
        return "auth"
    if status == 402 or any(w in text for w in QUOTA):
        return "quota"
    if status == 403 or status == 0 and any(w in text for w in AUTH):
        return "auth"
    return ""


def reset(text, wall):
    """When a quota returns, in seconds of the epoch, or None: no time of day without its zone is guessed."""
    when, text = None, text[:4096]
    stamp = re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)", text)
    epoch = re.search(r"reset.*?(?<!\d)(\d{13}|\d{10})(?!\d)", text.lower(), re.S)
    span = re.search(r"(?: in| after|in:) ((?:[ ,]*(?:and )?\d{1,6} *(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b)+)", text.lower())
    if stamp:
        when = seconds(stamp.group())
    elif epoch:
        when = int(epoch.group(1)) / (1000 if len(epoch.group(1)) == 13 else 1)
    elif span:
        when = wall + sum(int(n) * UNITS[u] for n, u in re.findall(r"(\d+) *([smhd])", span.group(1)))
    return when if when and wall < when < wall + 400 * 86400 else None


def seconds(stamp):
    """Seconds of the epoch of an RFC 3339 time."""
    whole = re.sub(r"\.\d+", "", stamp).replace("Z", "+00:00")
    part = re.search(r"\.\d+", stamp)
    return datetime.datetime.fromisoformat(whole).timestamp() + (float(part.group()) if part else 0)


class Cycle:
    """A sequence that repeats at the tail of what was fed: A-A-A, A-B-A-B."""

    def __init__(self):
        self.steps, self.total, self.period, self.repeats = [], 0, 0, 0
        self.wanted, self.base, self.looked, self.proven = False, "", 0, False

    def add(self, step, mark, least):
        self.steps = (self.steps + [(step, mark)])[-24:]
        self.total += 1
        period = repeats = 0
        for p in range(1, 24 // least + 1):
            same, i = 0, len(self.steps) - 1
            while i >= p and self.steps[i][0] == self.steps[i - p][0]:
                same, i = same + 1, i - 1
            if (same + p) // p >= 2:
                period, repeats = p, (same + p) // p
                break
        if period != self.period:
            self.base, self.proven, self.wanted, self.looked = "", False, False, 0
        self.period, self.repeats = period, repeats
        if not self.proven and repeats >= least - 1 and self.total - self.looked >= period > 0:
            self.wanted = True

    def world(self, digest):
        self.wanted = False
        if not digest:
            self.looked = 0
        elif not self.base:
            self.base = digest
        elif digest != self.base:
            total = self.total
            self.__init__()
            self.total = total
        else:
            self.proven = True


class Run:
    """The model of a worker's run. It is fed by lines of stdout and stdin."""

    def __init__(self, limits_of):
        self.limits_of = limits_of  # by model and tool
        self.model = ""
        self.open = self.ran = self.ended = self.retrying = self.terminal = self.settled = self.quit = False
        self.prompted = self.presumed = self.due = self.streaming = self.called = self.message = False
        self.compacting = self.backing_off = self.refused = self.aborted = False
        self.end = self.prompt = self.due_at = self.compaction = self.backoff = ZERO
        self.progress = self.resumed = ZERO
        self.calls, self.dialogs, self.last = [], [], ""
        self.final = None  # stop reason, empty, number of calls
        self.trouble, self.until, self.mended = "", None, 0
        self.doubt = self.records = self.known = self.strange = self.turned = False
        self.whole, self.started, self.results = True, 0, 0  # all of the stream was read; calls and results since the last reply
        self.odd = ZERO  # the last record that was not understood
        self.loops = {"calls": Cycle(), "sizes": Cycle(), "bare": Cycle()}

    @property
    def limits(self):
        return self.limits_of(self.model, "")

    def owe(self, m):
        self.due, self.due_at = True, m

    def close_turn(self):
        self.message = self.streaming = self.called = False
        self.calls = []

    def begin(self, m):
        self.open = self.ran = True
        self.ended = self.retrying = self.settled = self.quit = self.prompted = self.presumed = False
        self.backing_off = self.compacting = self.aborted = False
        self.close_turn()
        self.final = None
        self.owe(m)

    def within(self, m):
        if not self.open:
            self.begin(m)

    def stop(self, m, retry):
        self.open, self.ended, self.retrying, self.end = False, True, retry, m
        self.refused = self.trouble != "" and not retry
        self.due = False
        self.close_turn()

    def rest(self):
        self.open = self.ended = self.retrying = self.due = self.presumed = self.compacting = False
        self.close_turn()

    def moved(self, m):
        self.progress = max(self.progress, m)

    def boundary(self, m):
        self.moved(m)
        self.doubt = False

    def answer(self, m, which):
        kept = [d for d in self.dialogs if not which(d)]
        if len(kept) < len(self.dialogs):
            self.resumed = max(self.resumed, m)
        self.dialogs = kept

    def unproven(self):
        """Why an end proves nothing, or the empty string."""
        if self.quit:
            return "exit_0"
        stop, empty, calls = self.final or ("", False, 0)
        if self.aborted or stop == "aborted":
            return "aborted"
        if self.final is None:
            return ""
        if stop in ("error", "length"):
            return {"error": "error", "length": "cut_off"}[stop]
        if stop in ("toolUse", "pending") or calls:
            return "contradiction"
        return "empty" if empty else ""

    def sent(self, r, m):
        """Takes a line that was sent to the worker. It is never progress."""
        if r.get("type") == "prompt":
            if not (self.open or self.retrying or self.due or self.prompted):
                self.prompted, self.prompt = True, m
        elif r.get("type") == "extension_ui_response":
            self.answer(m, lambda d: d["id"] == r.get("id"))

    def wrote(self, r, m, wall):
        """Takes a line that the worker wrote."""
        kind = r.get("type")
        do = getattr(self, "on_" + kind, None) if isinstance(kind, str) else None
        if do is None:
            if kind in SILENT:
                self.records = True
            else:
                self.odd = m
                # Where the next known record is due at once, one of an unknown type is no news of a known dialect.
                self.fits(not self.called and not (self.ended and self.terminal and not self.retrying))
            return
        self.records = True
        if kind == "agent_start":
            self.whole, self.turned = True, False
        elif kind == "agent_settled":
            self.fits(not self.open or not self.turned)
        elif kind in IN_RUN:
            self.fits(self.open)
        self.turned = self.turned or kind == "turn_start"
        do(r, m, wall)

    def fits(self, right):
        """Notes what no known dialect writes, if nothing of the stream was missed."""
        self.strange = self.strange or not right and self.whole

    def misses(self, count):
        """Whether a record came since that may be what the count stands for, in a dialect that nobody knows."""
        return self.odd[1] > count[1] and (self.strange or not self.known)

    def on_agent_start(self, r, m, wall):
        self.begin(m)
        self.boundary(m)

    def on_turn_start(self, r, m, wall):
        self.within(m)
        self.close_turn()
        self.owe(m)
        self.boundary(m)

    def on_agent_end(self, r, m, wall):
        self.known = True
        self.terminal = self.terminal or "willRetry" in r
        self.stop(m, r.get("willRetry") is True)
        self.boundary(m)

    def on_agent_settled(self, r, m, wall):
        self.terminal = True
        if self.open:
            if not self.doubt:
                return  # the spurious one of two quick prompts
            self.stop(m, False)
        self.settled, self.ended, self.retrying = True, False, False
        self.prompted = self.presumed = self.backing_off = self.compacting = self.due = False
        self.aborted = r.get("aborted") is True
        self.boundary(m)

    def on_turn_end(self, r, m, wall):
        if self.message:
            self.finish(r.get("message") or {}, m, wall)
        self.close_turn()
        self.boundary(m)

    def on_message_start(self, r, m, wall):
        self.boundary(m)
        message = r.get("message") or {}
        if message.get("role") == "assistant":
            self.within(m)
            self.close_turn()
            self.message = True
            if not self.due:
                self.owe(m)
            self.model = message.get("model") or self.model

    def on_message_update(self, r, m, wall):
        event = r.get("assistantMessageEvent") or {}
        kind = event.get("type") or ""
        if not kind.startswith(("text_", "thinking_", "toolcall_")):
            self.odd = m
            self.fits(False)
            return
        if "message" not in r and "partial" not in event:
            self.terminal = self.known = True
        self.within(m)
        self.close_turn()
        self.compacting = False
        self.message, self.streaming, self.due = True, True, False
        if self.refused and self.trouble == "auth":
            self.mended = m[1]
        self.trouble, self.refused = "", False
        self.boundary(m)

    def on_message_end(self, r, m, wall):
        self.boundary(m)
        message = r.get("message") or {}
        role = message.get("role")
        if role == "assistant":
            self.finish(message, m, wall)
            if self.final[0] not in ("error", "aborted"):
                self.loops["bare"] = Cycle()
        elif role == "user":
            self.loops = {name: Cycle() for name in self.loops}
            self.owe(m)
        elif role == "toolResult":
            self.results += 1
            self.fits(self.results <= self.started)
            self.calls = [c for c in self.calls if c["id"] != message.get("toolCallId")]
            if not self.calls:
                self.owe(m)

    def finish(self, message, m, wall):
        streamed, self.started, self.results = self.streaming, 0, 0
        content = message.get("content")
        content = content if isinstance(content, list) else []
        calls = sum(1 for c in content if c.get("type") == "toolCall")
        text = sum(len((c.get("text") or "").strip()) for c in content if c.get("type") == "text")
        stop, error = message.get("stopReason") or "", message.get("errorMessage") or ""
        self.message = self.streaming = self.due = False
        self.called = stop == "toolUse" and calls > 0
        self.final = (stop, not text and not calls, calls)
        thought = any(c.get("thinking") for c in content)
        self.fits(stop in STOPS and (streamed or stop in ("error", "aborted") or not (text or calls or thought)))
        self.trouble = trouble(error) if stop == "error" else ""
        self.until = reset(error, wall) if self.trouble == "quota" else None
        self.refused = self.refused and self.trouble != ""

    def on_tool_execution_start(self, r, m, wall):
        self.boundary(m)
        self.within(m)
        self.called = self.due = False
        self.started += 1
        if len(self.calls) < MOST:
            tool, args = r.get("toolName") or "", r.get("args") if isinstance(r.get("args"), dict) else {}
            limit, own = self.limits_of(self.model, tool)["tool_ms"], args.get("timeout")
            if isinstance(own, (int, float)) and own > 0:
                limit = max(limit, own * 1000 + self.limits["declared_grace_ms"])
            self.last = r.get("toolCallId")
            self.calls.append({"id": self.last, "tool": tool, "key": hash_of(tool, args), "shell": tool == "bash", "start": m, "progress": m,
                               "limit": limit, "output": "", "running": False, "tree": None, "dead": None, "holder": 0, "terminal": 0})

    def on_tool_execution_update(self, r, m, wall):
        self.answer(m, lambda d: d["call"] and d["call"] == r.get("toolCallId"))
        partial = r.get("partialResult")
        output = "" if partial == {"content": []} or partial is None else hash_of(partial)
        for c in self.calls:
            if c["id"] == r.get("toolCallId"):
                if output != c["output"]:
                    c["output"], c["progress"], c["dead"] = output, m, None
                    self.moved(m)
                c["running"] = c["running"] or c["shell"]

    def on_tool_execution_end(self, r, m, wall):
        self.answer(m, lambda d: d["call"] and d["call"] == r.get("toolCallId"))
        self.boundary(m)
        for i, c in enumerate(self.calls):
            if c["id"] == r.get("toolCallId"):
                del self.calls[i]
                result = VOLATILE.sub("~", json.dumps(r.get("result"), separators=(",", ":")))
                self.loops["calls"].add((c["key"], hash_of(result)), m, self.limits["loop_repeats"])
                self.loops["bare"] = Cycle()
                break
        if not self.calls:
            self.owe(m)

    def on_auto_retry_start(self, r, m, wall):
        self.trouble, self.refused, self.ended, self.retrying = "", False, False, False
        self.backing_off = True
        self.backoff = (m[0] + (r.get("delayMs") or 0) + self.limits["declared_grace_ms"], m[1])
        self.owe(self.backoff)
        self.boundary(m)

    def on_auto_retry_end(self, r, m, wall):
        self.boundary(m)
        if r.get("success") is not True:
            self.backing_off = self.retrying = self.due = False
            if not self.open and not self.settled:
                self.ended, self.end = True, m

    def on_compaction_start(self, r, m, wall):
        if self.compacting:
            return  # markers that come again do not extend it
        if self.open and not self.terminal and r.get("reason") == "manual":
            self.rest()
            self.settled, self.final, self.aborted = True, ("", False, 0), True
        self.compacting, self.compaction = True, m
        self.boundary(m)

    def on_compaction_end(self, r, m, wall):
        if self.open and self.doubt:
            self.stop(m, False)
        self.compacting = False
        self.resumed = max(self.resumed, m)
        if self.ended:
            self.end = m
        if r.get("willRetry") is True:
            self.ended = False
            self.owe(m)
        self.boundary(m)
        if r.get("aborted") is True:
            return
        result, least = r.get("result") or {}, self.limits["loop_repeats"]
        before, after = result.get("tokensBefore") or 0, result.get("estimatedTokensAfter") or 0
        self.loops["bare"].add("compaction", m, least)
        if before and after:
            if after < before * 0.9:
                self.loops["sizes"] = Cycle()
            else:
                self.loops["sizes"].add("compaction", m, least)

    def on_extension_ui_request(self, r, m, wall):
        if r.get("method") in DIALOGS and all(d["id"] != r.get("id") for d in self.dialogs):
            until = m[0] + r["timeout"] if isinstance(r.get("timeout"), (int, float)) and r["timeout"] > 0 else NEVER
            call = self.last if any(c["id"] == self.last for c in self.calls) else ""
            self.dialogs = self.dialogs[-7:] + [{"id": r.get("id"), "call": call, "since": m, "until": until}]

    def on_response(self, r, m, wall):
        command = r.get("command")
        if command == "prompt":
            asked, self.prompted = self.prompted, False
            said = (r.get("data") or {}).get("disposition")
            bare = said is None and asked
            if r.get("success") is True and not self.open and (bare or said == "started"):
                self.owe(m)
                self.presumed = bare
        elif command in ("new_session", "switch_session", "fork", "clone"):
            if r.get("success") is True and not (r.get("data") or {}).get("cancelled"):
                keep = self.limits_of, self.model, self.terminal, self.known, self.progress, self.resumed, self.records
                self.__init__(self.limits_of)
                self.limits_of, self.model, self.terminal, self.known, self.progress, self.resumed, self.records = keep


def hash_of(*parts):
    """Stands for a value, so that two can be compared without keeping them."""
    import hashlib
    return hashlib.sha1(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
