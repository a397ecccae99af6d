// An adapter of WCP/1: the suite talks to this program over stdin and stdout, one JSON object a line.
use serde_json::{json, Value};
use std::io::{self, BufRead, Write};

const FEATURES: [&str; 0] = []; // what is not named here is not supported

// Your watchdog. It knows the time from tick alone, never from a clock of its own. If yours runs on tokio: build the runtime
// with start_paused(true) and tokio::time::advance to now["mono_ms"] before each tick.
struct Watchdog {
    ack: u64,
    _policy: Value, // limits, as in docs/policy.md
}

impl Watchdog {
    // Returns messages, and when to be woken on mono_ms if nothing happens; 0 = no need.
    fn tick(&mut self, _now: &Value, seen: &[Value]) -> (Vec<Value>, f64) {
        let said = Vec::new();
        for o in seen {
            self.ack = o["n"].as_u64().unwrap_or(self.ack);
        }
        // Say what you believe: said.push(json!({"type": "verdict", "verdict": {"worker": "w1", "generation": 1,
        //   "name": "stalled_stream", "status": "suspected", "since_ms": now["mono_ms"], "next_ms": 0}}));
        (said, 0.0)
    }
}

fn answer(m: &Value, watchdog: &mut Option<Watchdog>) -> Vec<Value> {
    match m["type"].as_str() {
        Some("hello") => vec![json!({"type": "hello_ok", "protocol": 1, "name": "my-watchdog", "features": FEATURES,
            "wakeups": "exact", "storage": "none", "reuse": true})],
        Some("start") => {
            let needs = m["needs"].as_array().cloned().unwrap_or_default();
            if needs.iter().any(|f| !FEATURES.contains(&f.as_str().unwrap_or(""))) {
                return vec![json!({"type": "unsupported", "reason": "a feature is missing"})];
            }
            *watchdog = Some(Watchdog { ack: 0, _policy: m["boot"]["policy"].clone() });
            vec![json!({"type": "ready"})]
        }
        Some("tick") => {
            let w = watchdog.as_mut().expect("start comes before tick");
            let seen = m["seen"].as_array().cloned().unwrap_or_default();
            let (mut said, wake) = w.tick(&m["now"], &seen);
            said.push(json!({"type": "quiescent", "wake_ms": wake, "ack": w.ack}));
            said
        }
        _ => vec![json!({"type": "bye"})],
    }
}

fn main() -> io::Result<()> {
    let (stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let mut watchdog = None;
    for line in stdin.lines() {
        let message: Value = serde_json::from_str(&line?)?;
        for said in answer(&message, &mut watchdog) {
            writeln!(stdout, "{said}")?;
        }
        stdout.flush()?;
    }
    Ok(())
}
