package schema_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/conformance/wcp/schema"
	"fakepi.example/watchdog"
)

// TestVocabularies compares each list of words of the schema with the contract's, which grows in Go.
func TestVocabularies(t *testing.T) {
	var doc any
	if err := json.Unmarshal(schema.Text(), &doc); err != nil {
		t.Fatal(err)
	}
	lists := enums(doc)
	for name, want := range map[string][]string{
		"verdicts":       words(watchdog.VerdictNames()),
		"commands":       words(watchdog.CommandKinds()),
		"observations":   words(watchdog.ObservationKinds()),
		"effect classes": words(watchdog.EffectClasses()),
	} {
		found := 0
		for _, list := range lists {
			if !slices.Contains(list, want[0]) {
				continue
			}
			found++
			if diff := cmp.Diff(want, list); diff != "" {
				t.Errorf("%s of wcp-1.schema.json (-want +got):\n%s", name, diff)
			}
		}
		if found == 0 {
			t.Errorf("the schema does not list the %s", name)
		}
	}
}

// enums returns every list of words in a part of the schema.
func enums(part any) [][]string {
	var lists [][]string
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			lists = append(lists, enums(p)...)
		}
	case map[string]any:
		if list, ok := part["enum"].([]any); ok {
			var words []string
			for _, w := range list {
				words = append(words, w.(string))
			}
			lists = append(lists, words)
		}
		for _, p := range part {
			lists = append(lists, enums(p)...)
		}
	}
	return lists
}

func words[T ~string](list []T) []string {
	texts := make([]string, len(list))
	for i, w := range list {
		texts[i] = string(w)
	}
	return texts
}
