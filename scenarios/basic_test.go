package scenarios_test

import (
	"testing"

	"fakepi.example/fakepi/script"
	"fakepi.example/scenarios"
)

// TestBasic: a first watchdog meets one worker, whose stdout it holds, in dialects and with features that nobody has to know.
func TestBasic(t *testing.T) {
	families := map[string]bool{}
	for _, s := range load(t) {
		if s.Profile != scenarios.ProfileBasic {
			continue
		}
		families[s.Family] = true
		if len(s.Features)+len(s.Dialects)+len(s.Renames) > 0 || s.Crash != nil || s.Twin == nil || s.Acts() {
			t.Errorf("%s needs features, dialects or durable state, or has no twin", s.ID)
		}
		spawns := 0
		for _, step := range append(s.Timeline, s.Twin.Timeline...) {
			spawn, ok := step.Action.(script.Spawn)
			if !ok {
				continue
			}
			spawns++
			if step.Actor != "w1" || spawn.Source != "held" || spawn.Mode != script.ModeRPC && spawn.Mode != script.ModeJSON {
				t.Errorf("%s: %+v; want one worker, rpc or json, held", s.ID, spawn)
			}
		}
		if spawns != 2 {
			t.Errorf("%s spawns %d times with its twin, want one each", s.ID, spawns)
		}
	}
	for _, want := range []string{"TTFT", "STALL", "WAIT", "TOOL"} {
		if !families[want] {
			t.Errorf("no scenario of family %s is basic", want)
		}
	}
}
