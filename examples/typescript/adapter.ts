// An adapter of WCP/1: the suite talks to this program over stdin and stdout, one JSON object a line. It needs a Node that strips
// types: 22.18 or later, or 22.6 with --experimental-strip-types.
import * as readline from "node:readline";

import { Watchdog, type Instant, type Observation, type Policy } from "./watchdog.ts";

interface Message { type: string; needs?: string[]; boot?: { policy: Policy }; now?: Instant; seen?: Observation[] }

const features: string[] = []; // what is not named here is not supported

let watchdog: Watchdog | undefined;

function answer(m: Message): object[] {
  switch (m.type) {
    case "hello":
      return [{ type: "hello_ok", protocol: 1, name: "typescript-example", features, wakeups: "exact", storage: "none", reuse: true }];
    case "start": {
      const missing = (m.needs ?? []).filter((f) => !features.includes(f));
      if (missing.length > 0) {
        return [{ type: "unsupported", reason: "no " + missing.join(", ") }];
      }
      watchdog = new Watchdog(m.boot!.policy);
      return [{ type: "ready" }];
    }
    case "tick": {
      const { said, wake } = watchdog!.tick(m.now!, m.seen!);
      return [...said, { type: "quiescent", wake_ms: wake, ack: watchdog!.ack }];
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
