// A small watchdog of one kind of worker: Pi 1.6 in rpc or json mode, whose stdout and stdin it is shown. It gives verdicts and
// notices as docs/verdicts.md of the suite has it, and acts on nothing. Times are in ms on the monotonic clock.

export type Policy = Record<string, number>;
export interface Instant { mono_ms: number; boot_ms: number; wall: string; boot_id: string }
interface Blob { text?: string; base64?: string }
export interface Observation {
  n: number; at: Instant; worker?: string; generation?: number; kind: string;
  bytes?: { stream: string; offset: number; data?: Blob };
  spawned?: { mode: string };
}
interface Call { id: string; output: string; count: number; limit: number }
interface Dialog { id: string; call: string; until: number }
interface Cause { name: string; phase: string; limit?: string }

// What each phase is called past its limit, and the limit.
const limits: Record<string, [string, string]> = {
  starting: ["never_started", "startup"], awaiting_first_token: ["slow_first_token", "first_token"], streaming: ["stalled_stream", "stream_gap"],
  running_tool: ["stalled_tool", "tool"], ending: ["stalled_ending", "settle"], working: ["stalled", "stall"],
};

export class Watchdog {
  ack = 0;
  policy: Policy;
  workers = new Map<string, Worker>();

  constructor(policy: Policy) {
    this.policy = { ...policy, first_token_ms: policy.first_token_ms ?? policy.stall_ms, stream_gap_ms: policy.stream_gap_ms ?? policy.stall_ms };
  }

  // Returns messages, and when to be woken on mono_ms if nothing happens; 0 = no need.
  tick(now: Instant, seen: Observation[]): { said: object[]; wake: number } {
    for (const o of seen) {
      this.ack = o.n;
      if (o.kind === "spawned") {
        this.workers.set(o.worker!, new Worker(this.policy, o));
      }
      const w = this.workers.get(o.worker ?? "");
      if (w !== undefined && w.generation === o.generation) {
        w.observe(o);
      }
    }
    const said: object[] = [];
    let wake = 0;
    for (const w of this.workers.values()) {
      const at = w.judge(now.mono_ms, said);
      wake = at > 0 && (wake === 0 || at < wake) ? at : wake;
    }
    return { said, wake };
  }
}

class Worker {
  policy: Policy;
  id: string;
  generation: number;
  spawned: number; // observation
  tails = new Map<string, Buffer>(); // of lines that are not whole yet
  base = "idle"; // the phase of the run; calls and dialogs lie over it
  count = 0; // what its limit counts from
  moved = 0; // the last progress
  calls: Call[] = [];
  dialogs: Dialog[] = [];
  last = ""; // the call that started last
  exited = false;

  said = { name: "", status: "", phase: "", since: 0, flags: 0 };
  suspected = -1; // the count that is past its limit
  checked = 0; // when it was last found so, checks times in a row
  checks = 0;
  reminders = 0;
  alerted = false; // attention was drawn to this silence
  keys = 0;
  wake = 0;

  constructor(policy: Policy, o: Observation) {
    this.policy = policy;
    this.id = o.worker!;
    this.generation = o.generation!;
    this.spawned = o.n;
    if (o.spawned!.mode === "json" || o.spawned!.mode === "print") {
      this.enter("starting", o.at.mono_ms);
    }
  }

  enter(phase: string, at: number): void {
    this.base = phase;
    this.count = at;
  }

  observe(o: Observation): void {
    const at = o.at.mono_ms;
    if (o.kind === "exited") {
      this.exited = true;
      this.calls = [];
      this.dialogs = [];
      if (this.base !== "settled" && this.base !== "idle") {
        this.enter("dead", at);
      }
    }
    if (o.kind !== "bytes") {
      return;
    }
    const { stream, data } = o.bytes!;
    const piece = data?.base64 !== undefined ? Buffer.from(data.base64, "base64") : Buffer.from(data?.text ?? "", "utf8");
    let rest = Buffer.concat([this.tails.get(stream) ?? Buffer.alloc(0), piece]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.line(stream, rest.subarray(0, end).toString("utf8"), at);
      rest = rest.subarray(end + 1);
    }
    this.tails.set(stream, rest);
  }

  line(stream: string, text: string, at: number): void {
    let record: any;
    try {
      record = JSON.parse(text);
    } catch {
      return; // what cannot be read says nothing
    }
    this.expire(at);
    if (stream === "in") {
      this.sent(record, at);
    } else if (stream === "out" && this.wrote(record, at)) {
      this.moved = at;
      this.alerted = false;
    }
  }

  sent(r: any, at: number): void {
    if (r?.type === "prompt" && (this.base === "idle" || this.base === "settled")) {
      this.enter("starting", at);
    } else if (r?.type === "extension_ui_response") {
      this.answered(at, (d) => d.id === r.id);
    }
  }

  // Reports whether a line is progress.
  wrote(r: any, at: number): boolean {
    switch (r?.type) {
      case "response":
        if (r.command === "prompt" && this.base === "starting") {
          this.enter("awaiting_first_token", at);
        }
        return false;
      case "extension_ui_request":
        if (["select", "confirm", "input", "editor"].includes(r.method)) { // the others are decoration
          this.dialogs.push({ id: r.id, call: this.last, until: r.timeout > 0 ? at + r.timeout : 0 });
        }
        return false;
      case "agent_start":
      case "turn_start":
        this.enter("awaiting_first_token", at);
        return true;
      case "message_update":
        this.enter("streaming", at);
        return true;
      case "message_end":
        if (r.message?.stopReason === "toolUse") { // its calls are about to start
          this.enter("streaming", at);
        } else if (r.message?.role === "assistant") {
          this.enter("working", at);
        } else if (this.calls.length === 0) {
          this.enter("awaiting_first_token", at);
        }
        return true;
      case "tool_execution_start": {
        const own = r.args?.timeout > 0 ? r.args.timeout * 1000 + this.policy.declared_grace_ms : 0;
        this.last = r.toolCallId;
        this.calls.push({ id: this.last, output: "", count: at, limit: Math.max(this.policy.tool_ms, own) });
        return true;
      }
      case "tool_execution_update":
      case "tool_execution_end":
        return this.worked(r, at);
      case "agent_end":
        this.enter("ending", at);
        return true;
      case "agent_settled":
        this.enter("settled", at);
        return true;
    }
    return r?.type === "message_start" || r?.type === "turn_end";
  }

  worked(r: any, at: number): boolean {
    this.answered(at, (d) => d.call === r.toolCallId); // it could not go on otherwise
    const call = this.calls.find((c) => c.id === r.toolCallId);
    if (call === undefined) {
      return false;
    }
    if (r.type === "tool_execution_end") {
      this.calls = this.calls.filter((c) => c !== call);
      if (this.calls.length === 0) {
        this.enter("awaiting_first_token", at);
      }
      return true;
    }
    const output = JSON.stringify(r.partialResult);
    if (call.output === output) {
      return false; // the same again
    }
    call.output = output;
    call.count = at;
    return true;
  }

  // Closes dialogs. Whatever they held up counts afresh.
  answered(at: number, which: (d: Dialog) => boolean): void {
    const kept = this.dialogs.filter((d) => !which(d));
    if (kept.length < this.dialogs.length) {
      this.count = at;
      for (const c of this.calls) {
        c.count = at;
      }
    }
    this.dialogs = kept;
  }

  expire(now: number): void {
    for (const x of this.dialogs.filter((d) => d.until > 0 && d.until <= now)) {
      this.answered(x.until, (d) => d === x);
    }
  }

  // Gives the verdict if it has changed, tells the owner what is due, and returns when to look again; 0 = no need.
  judge(now: number, said: object[]): number {
    this.wake = 0;
    this.expire(now);
    let phase = this.base, count = this.count, past = limits[phase]?.[0] ?? "", limit = limits[phase]?.[1] ?? "";
    let span = this.policy[limit + "_ms"] ?? 0;
    const detail: Record<string, unknown> = {};
    if (this.dialogs.length > 0) {
      [phase, past, limit] = ["awaiting_user", "", "user_wait"];
      this.dialogs.forEach((d) => this.look(now, d.until));
    } else if (this.calls.length > 0) {
      [phase, past, limit] = ["running_tool", ...limits.running_tool];
      const first = this.calls.reduce((a, b) => (b.count + b.limit < a.count + a.limit ? b : a));
      [count, span, detail.calls] = [first.count, first.limit, [first.id]];
    }
    let name = phase, status = phase === "dead" ? "confirmed" : "ok", since = this.said.since;
    if (phase !== this.said.phase) {
      since = now;
      this.reminders = 0;
    }
    if (phase === "awaiting_user") {
      const due = Math.floor((now - since) / this.policy.user_wait_ms);
      if (due > this.reminders) {
        this.reminders = due;
        this.notify(said, { name, phase, limit }, "a person is waited for");
      }
      this.look(now, since + (this.reminders + 1) * this.policy.user_wait_ms);
    }
    if (past !== "") {
      this.look(now, count + span);
      if (now >= count + span) {
        name = past;
        status = this.confirm(now, count);
      }
      const silence = Math.max(count, this.moved) + this.policy.attention_ms;
      if (phase !== "running_tool" && !this.alerted) {
        this.look(now, silence);
        if (now >= silence) {
          this.alerted = true;
          this.notify(said, { name, phase, limit: "attention" }, "silent for a while");
        }
      }
    }
    const cause: Cause = limit === "" ? { name, phase } : { name, phase, limit };
    const flags = this.exited && phase !== "dead" ? ["exited"] : [];
    if (name !== this.said.name || status !== this.said.status || flags.length !== this.said.flags) {
      if (status === "confirmed" && this.said.status !== status) {
        this.notify(said, cause, name.replaceAll("_", " "));
      }
      said.push({ type: "verdict", verdict: { worker: this.id, generation: this.generation, name, status, since_ms: since, next_ms: this.wake, cause, flags, detail } });
    }
    this.said = { name, status, phase, since, flags: flags.length };
    return this.wake;
  }

  // Counts the checks of a suspicion, and returns its status.
  confirm(now: number, count: number): string {
    if (this.suspected !== count) {
      [this.suspected, this.checked, this.checks] = [count, now, 0];
    } else if (now >= this.checked + this.policy.confirm_every_ms) {
      [this.checked, this.checks] = [now, this.checks + 1];
    }
    this.look(now, this.checked + this.policy.confirm_every_ms);
    if (this.checks < this.policy.confirmations) {
      return "suspected";
    }
    this.alerted = true;
    return "confirmed";
  }

  // Asks to be woken at a time, if none earlier was asked for.
  look(now: number, at: number): void {
    if (at > now && (this.wake === 0 || at < this.wake)) {
      this.wake = at;
    }
  }

  notify(said: object[], cause: Cause, text: string): void {
    this.keys++;
    const key = `${this.id}/${this.generation}/${this.keys}`;
    said.push({ type: "command", command: { key, kind: "notify", worker: this.id, generation: this.generation, cause, evidence: [this.spawned], text: `${this.id}: ${text}` } });
  }
}
