"""An adapter of WCP/1: the suite talks to this program over stdin and stdout, one JSON object a line."""

import json
import sys

FEATURES = []  # what is not named here is not supported


class Watchdog:
    """Your watchdog. It knows the time from tick() alone, never from a clock of its own."""

    def __init__(self, boot):
        self.policy = boot["policy"]  # limits, as in docs/policy.md
        self.ack = 0

    def tick(self, now, seen):
        """Return messages, and when to be woken on mono_ms if nothing happens; 0 = no need."""
        messages = []
        for observation in seen:
            self.ack = observation["n"]
            if observation["kind"] == "bytes":
                pass  # a piece of a stream: observation["bytes"]["data"], cut anywhere; split it into lines
        # Say what you believe: messages.append({"type": "verdict", "verdict": {
        #   "worker": "w1", "generation": 1, "name": "stalled_stream", "status": "suspected",
        #   "since_ms": now["mono_ms"], "next_ms": 0}})
        return messages, 0


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")


def answer(message, watchdog):
    """Answer one message; return the watchdog that runs from now on."""
    kind = message["type"]
    if kind == "hello":
        say({"type": "hello_ok", "protocol": 1, "name": "my-watchdog", "features": FEATURES,
             "wakeups": "exact", "storage": "none", "reuse": True})
    elif kind == "start":
        missing = [f for f in message.get("needs", []) if f not in FEATURES]
        if missing:
            say({"type": "unsupported", "reason": "no " + ", ".join(missing)})
            return None
        watchdog = Watchdog(message["boot"])
        say({"type": "ready"})
    elif kind == "tick":
        messages, wake = watchdog.tick(message["now"], message["seen"])
        for m in messages:
            say(m)
        say({"type": "quiescent", "wake_ms": wake, "ack": watchdog.ack})
    elif kind == "stop":
        say({"type": "bye"})
        return None
    return watchdog


def main():
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    watchdog = None
    for line in sys.stdin:
        watchdog = answer(json.loads(line), watchdog)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
