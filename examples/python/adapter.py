"""An adapter of WCP/1: the suite talks to this program over stdin and stdout, one JSON object a line."""

import json
import sys

from watchdog import Watchdog

FEATURES = []  # what is not named here is not supported


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")


def answer(message, watchdog):
    """Answer one message; return the watchdog that runs from now on."""
    kind = message["type"]
    if kind == "hello":
        say({"type": "hello_ok", "protocol": 1, "name": "python-example", "features": FEATURES,
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
