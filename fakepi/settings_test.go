package fakepi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

func object(t *testing.T, text string) native.Object {
	t.Helper()
	v, err := native.ParseValue([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o, ok := v.(native.Object)
	if !ok {
		t.Fatalf("%s is no object", text)
	}
	return o
}

func TestSettingIn(t *testing.T) {
	tests := []struct {
		settings string
		change   fakepi.Setting
		want     string
		reason   string
	}{
		{`{}`, fakepi.Setting{Key: "a", Value: native.Number(1)}, `{"a":1}`, ""},
		{`{"a":2,"b":3}`, fakepi.Setting{Key: "a", Value: native.Number(1)}, `{"a":1,"b":3}`, "a key stays where it is"},
		{`{"a":2,"b":3}`, fakepi.Setting{Key: "a"}, `{"b":3}`, "undefined is not written"},
		{`{"b":3}`, fakepi.Setting{Section: "c", Key: "d", Value: native.Bool(true)}, `{"b":3,"c":{"d":true}}`, ""},
		{`{"c":{"x":1,"d":2},"b":3}`, fakepi.Setting{Section: "c", Key: "d", Value: native.Null{}}, `{"c":{"x":1,"d":null},"b":3}`, ""},
		{`{"c":null}`, fakepi.Setting{Section: "c", Key: "d", Value: native.Number(1)}, `{"c":{"d":1}}`, "a section that is none begins anew"},
		{`{}`, fakepi.Setting{Section: "c", Key: "d"}, `{"c":{}}`, "an empty section is written"},
		{`{"c":[7,[]]}`, fakepi.Setting{Section: "c", Key: "d", Value: native.Number(1)}, `{"c":{"0":7,"1":[],"d":1}}`, "a list is saved with its indices as keys"},
	}
	for _, tt := range tests {
		settings := object(t, tt.settings)
		got := string(native.AppendValue(nil, tt.change.In(settings)))
		if got != tt.want {
			t.Errorf("%s with %v: got %s, want %s (%s)", tt.settings, tt.change, got, tt.want, tt.reason)
		}
		if d := cmp.Diff(object(t, tt.settings), settings); d != "" {
			t.Errorf("%s was changed in place: %s", tt.settings, d)
		}
	}
}

func TestSettingsGet(t *testing.T) {
	const global = `{"a":1,"b":2,"c":{"x":1,"y":2},"d":{"x":1},"e":{"x":1}}`
	const project = `{"b":null,"c":{"x":3,"z":null},"d":5,"f":{"x":4}}`
	s := fakepi.Settings{Global: object(t, global), Project: object(t, project)}
	tests := []struct{ section, key, want, reason string }{
		{"", "a", "1", "the project does not say"},
		{"", "b", "null", "it says null, which counts"},
		{"", "g", "", ""},
		{"c", "x", "3", ""},
		{"c", "y", "2", "sections are merged"},
		{"c", "z", "null", ""},
		{"d", "x", "", "what is no section stands for all of it"},
		{"e", "x", "1", ""},
		{"f", "x", "4", ""},
		{"a", "x", "", ""},
	}
	for _, tt := range tests {
		got := ""
		if v := s.Get(tt.section, tt.key); v != nil {
			got = string(native.AppendValue(nil, v))
		}
		if got != tt.want {
			t.Errorf("%s/%s: got %q, want %q (%s)", tt.section, tt.key, got, tt.want, tt.reason)
		}
	}
}

// A section that can have no settings is refused in JavaScript's words, unless it counts for nothing; the real Pis say so.
func TestSettingInNoSection(t *testing.T) {
	for section, want := range map[string]string{
		`"x"`: "Cannot create property 'enabled' on string 'x'", `5`: "Cannot create property 'enabled' on number '5'",
		`true`: "Cannot create property 'enabled' on boolean 'true'", `""`: "", `0`: "", `false`: "", `null`: "", `[1]`: "", `{}`: "",
	} {
		for command, key := range map[string]string{"set_auto_compaction": "compaction", "set_auto_retry": "retry"} {
			settings := fakepi.Settings{Global: object(t, `{"`+key+`":`+section+`}`)}
			w, err := fakepi.New(fakepi.Config{Mode: "rpc", Driven: true, Settings: settings})
			if err != nil {
				t.Fatal(err)
			}
			w.Step(0, nil)
			failure, saved := "", false
			for _, o := range w.Send(0, []byte(`{"type":"`+command+`","enabled":false}`), nil) {
				saved = saved || o.Setting != nil
				if o.Stream == fakepi.Out {
					said, _ := object(t, string(o.Data)).Get("error").(native.String)
					failure = string(said)
				}
			}
			if failure != want || saved != (want == "") {
				t.Errorf("%s, %s: got %q, saved %v, want %q", command, section, failure, saved, want)
			}
		}
	}
}
