package conformance_test

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"fakepi.example/conformance"
)

// The reference as a vendor's test would run it.
func TestSubtests(t *testing.T) {
	conformance.Test(t, reference{}, func(o *conformance.Options) { o.CaseGlob = "ttft/*" })
}

// vendorVariable chooses the subject of TestVendor, which is of use in a process of its own only.
const vendorVariable = "CONFORMANCE_VENDOR"

func TestVendor(t *testing.T) {
	subjects := map[string]conformance.Subject{"hasty": hasty(), "broken": broken{}, "reference": reference{}, "nil": nil}
	s, ok := subjects[os.Getenv(vendorVariable)]
	if !ok {
		t.Skip("started by the other tests")
	}
	conformance.Test(t, s, func(o *conformance.Options) {
		o.CaseGlob = "ttft/*"
		o.Known = []conformance.Known{{Case: "ttft/slow-model", Requirement: "WDC-TTFT-004"}}
	})
}

// vendor runs TestVendor in a process of its own and returns what it printed, and whether it passed.
func vendor(t *testing.T, subject, token string, args ...string) (string, bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-test.v"}, args...)...)
	cmd.Env = append(os.Environ(), vendorVariable+"="+subject, conformance.TokenVariable+"="+token)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// A vendor's watchdog that breaks a requirement fails the subtests of its cases, and the replay line plays the history
// again, which fails in the same way.
func TestVendorFails(t *testing.T) {
	out, passed := vendor(t, "hasty", "", "-test.run=^TestVendor$", "-test.short")
	if passed || !strings.Contains(out, "--- FAIL: TestVendor/ttft/") {
		t.Fatalf("a watchdog that judges too early passes:\n%s", out)
	}
	if want := "WDC-TTFT-002 is broken in "; !strings.Contains(out, want) {
		t.Errorf("no line %q in:\n%s", want, out)
	}
	line := regexp.MustCompile(`replay    CONFORMANCE_TOKEN='(\S+)' go test -v -run '\^TestVendor\$'`).FindStringSubmatch(out)
	if line == nil {
		t.Fatalf("no replay line:\n%s", out)
	}
	out, passed = vendor(t, "hasty", line[1], "-test.run=^TestVendor$")
	if passed || !strings.Contains(out, "breaks WDC-TTFT-") {
		t.Errorf("the replay does not show the failure:\n%s", out)
	}
	if out, passed = vendor(t, "reference", line[1], "-test.run=^TestVendor$"); !passed {
		t.Errorf("the reference fails on the history:\n%s", out)
	}
}

// One case is picked by its name; known failures that do not happen, and a subject that does not start, are failures.
func TestVendorPicks(t *testing.T) {
	cases := []struct {
		reason, subject, pattern, want string
		passed                         bool
	}{
		{"one scenario", "reference", "^TestVendor$/^ttft$/^just-in-time$", "--- PASS: TestVendor/ttft/just-in-time ", true},
		{"a stale entry", "reference", "^TestVendor$/^ttft$/^slow-model$", "WDC-TTFT-004 is listed as a known failure", false},
		{"it does not start", "broken", "^TestVendor$/^ttft$/^just-in-time$", "harness_error: broken did not start: no licence", false},
	}
	for _, c := range cases {
		out, passed := vendor(t, c.subject, "", "-test.short", "-test.shuffle=on", "-test.count=2", "-test.run="+c.pattern)
		if passed != c.passed || !strings.Contains(out, c.want) {
			t.Errorf("%s: passed %t, want %t and %q:\n%s", c.reason, passed, c.passed, c.want, out)
		}
	}
}

// A nil subject and a known failure that can never happen are errors of the options, before anything is played.
func TestOptionsThatCannotBe(t *testing.T) {
	all := small(t)
	cases := []struct {
		reason  string
		subject conformance.Subject
		known   []conformance.Known
		says    string
	}{
		{"nobody to judge", nil, nil, "the subject is nil"},
		{"a case that does not exist", reference{}, []conformance.Known{{Case: "ttft/nowhere", Requirement: "WDC-TTFT-002"}}, `"ttft/nowhere"`},
		{"a requirement that does not exist", reference{}, []conformance.Known{{Case: all[0].ID, Requirement: "WDC-TTFT-999"}}, `"WDC-TTFT-999"`},
	}
	for _, c := range cases {
		_, err := conformance.Run(t.Context(), c.subject, all, conformance.Options{Known: c.known})
		if !errors.Is(err, conformance.ErrOptions) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want ErrOptions that says %s", c.reason, err, c.says)
		}
	}
	out, passed := vendor(t, "nil", "", "-test.run=^TestVendor$", "-test.short")
	if passed || !strings.Contains(out, "the subject is nil") || strings.Contains(out, "panic") {
		t.Errorf("Test with a nil subject does not fail with a sentence:\n%s", out)
	}
}
