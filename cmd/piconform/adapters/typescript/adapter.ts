// An adapter of WCP/1: the suite talks to this program over stdin and stdout, one JSON object a line.
import * as readline from "node:readline";

interface Instant { mono_ms: number; boot_ms: number; wall?: string; boot_id?: string }
interface Observation { n: number; at: Instant; worker?: string; generation?: number; kind: string; [body: string]: unknown }
interface Message { type: string; needs?: string[]; boot?: { policy: Record<string, unknown> }; now?: Instant; seen?: Observation[] }

const features: string[] = []; // what is not named here is not supported

// Your watchdog. It knows the time from tick alone, never from a clock of its own.
class Watchdog {
  ack = 0;
  policy: Record<string, unknown>; // limits, as in docs/policy.md

  constructor(policy: Record<string, unknown>) {
    this.policy = policy;
  }

  // Returns messages, and when to be woken on mono_ms if nothing happens; 0 = no need.
  tick(now: Instant, seen: Observation[]): { said: object[]; wake: number } {
    const said: object[] = [];
    for (const o of seen) {
      this.ack = o.n;
    }
    // Say what you believe: said.push({ type: "verdict", verdict: { worker: "w1", generation: 1,
    //   name: "stalled_stream", status: "suspected", since_ms: now.mono_ms, next_ms: 0 } });
    return { said, wake: 0 };
  }
}

let watchdog = new Watchdog({});

function answer(m: Message): object[] {
  switch (m.type) {
    case "hello":
      return [{ type: "hello_ok", protocol: 1, name: "my-watchdog", features, wakeups: "exact", storage: "none", reuse: true }];
    case "start": {
      const missing = (m.needs ?? []).filter((f) => !features.includes(f));
      if (missing.length > 0) {
        return [{ type: "unsupported", reason: "no " + missing.join(", ") }];
      }
      watchdog = new Watchdog(m.boot!.policy);
      return [{ type: "ready" }];
    }
    case "tick": {
      const { said, wake } = watchdog.tick(m.now!, m.seen!);
      return [...said, { type: "quiescent", wake_ms: wake, ack: watchdog.ack }];
    }
    default:
      return [{ type: "bye" }];
  }
}

// readline would also end a line at U+2028 and U+2029, which the suite escapes.
const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on("line", (line: string) => {
  process.stdout.write(answer(JSON.parse(line)).map((s) => JSON.stringify(s) + "\n").join(""));
});
