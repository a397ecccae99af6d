package watchdog_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/watchdog"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden fixes the JSON form of every type, and of every kind of observation. A change of a golden file is a change
// of the contract.
func TestGolden(t *testing.T) {
	golden(t, "instant", instant)
	for name, body := range bodies() {
		golden(t, "observation-"+name, observation(body))
	}
	golden(t, "command", command())
	golden(t, "verdict", verdict())
	golden(t, "decision", decision())
	golden(t, "policy", policy())
	golden(t, "policy-default", watchdog.DefaultPolicy())
	golden(t, "boot", boot())
}

func golden[T any](t *testing.T, name string, value T) {
	t.Run(name, func(t *testing.T) {
		got := indented(t, value)
		file := filepath.Join("testdata", "json", name+".json")
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v; run the test with -update if the value is new", err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("the JSON form changed (-want +got):\n%s", cmp.Diff(string(want), string(got)))
		}
		var read T
		if err := json.Unmarshal(want, &read); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(read, value) {
			t.Errorf("reading the golden file back (-want +got):\n%s", cmp.Diff(value, read))
		}
	})
}

func indented(t *testing.T, value any) []byte {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestGoldenValuesAreFull keeps the samples honest: a field without a value would not be fixed by any golden file.
func TestGoldenValuesAreFull(t *testing.T) {
	full(t, "Instant", reflect.ValueOf(instant))
	full(t, "Command", reflect.ValueOf(command()))
	full(t, "Verdict", reflect.ValueOf(verdict()))
	full(t, "Decision", reflect.ValueOf(decision()))
	full(t, "Policy", reflect.ValueOf(policy().Limits))
	seen := map[watchdog.ObservationKind]bool{}
	for name, body := range bodies() {
		seen[body.Kind()] = true
		full(t, name, reflect.ValueOf(body))
	}
	for _, kind := range watchdog.ObservationKinds() {
		if !seen[kind] {
			t.Errorf("no sample of observation kind %q", kind)
		}
	}
	b := boot()
	full(t, "Boot.Now", reflect.ValueOf(b.Now))
	if b.Incarnation == 0 || b.Spawner == "" || len(b.OwnerKey) == 0 || b.Poll == 0 || len(b.Roster) == 0 {
		t.Errorf("a field of the Boot sample is zero: %+v", b)
	}
}

// full reports every zero field of a value, through pointers and slices.
func full(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	if v.IsZero() {
		t.Errorf("%s is zero in the sample", path)
		return
	}
	switch {
	case v.Type() == reflect.TypeFor[watchdog.Observation]() || v.Type().PkgPath() == "time":
	case v.Kind() == reflect.Pointer:
		full(t, path, v.Elem())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		for i := range v.Len() {
			full(t, path, v.Index(i))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			full(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	}
}
