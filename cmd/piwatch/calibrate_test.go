package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/internal/watchdog/policyfile"
)

func TestCalibrate(t *testing.T) {
	runs, err := filepath.Glob("../../fakepi/native/testdata/recordings/1.6.0/rpc/*")
	if err != nil || len(runs) == 0 {
		t.Fatal(runs, err)
	}
	dir := t.TempDir()
	policy, page := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "limits.html")
	args := append([]string{"calibrate", "--json", "--quantile", "0.9", "--policy-out", policy, "--html", page}, append(runs, dir)...)
	var out, errs bytes.Buffer
	if code := run(args, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	var got calibration
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Recordings != len(runs) || len(got.LeftOut) != 1 || !strings.Contains(got.LeftOut[0], "no recording") {
		t.Errorf("%d recordings, left out: %q", got.Recordings, got.LeftOut)
	}
	proposed := 0
	for _, p := range got.Proposals {
		if p.Value > 0 {
			proposed++
		}
		if p.Value > 0 && p.Value < p.High || p.Spans < p.Censored {
			t.Errorf("a proposal makes no sense: %+v", p)
		}
	}
	if proposed == 0 {
		t.Error("nothing is proposed")
	}
	if _, err := policyfile.Load(policy); err != nil {
		t.Errorf("the policy file is not read: %v", err)
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("<svg")) {
		t.Errorf("the page: %v", err)
	}
}

func TestCalibrateRefuses(t *testing.T) {
	for _, row := range []struct {
		args []string
		want string
	}{
		{nil, "needs at least one RECORDING"},
		{[]string{"--quantile", "99", "x"}, "shares between 0 and 1"},
		{[]string{t.TempDir()}, "no recording of piwatch canary"},
		{[]string{"--policy", "nofile", "x"}, "nofile"},
	} {
		var out, errs bytes.Buffer
		if code := run(append([]string{"calibrate"}, row.args...), &out, &errs); code != exitError || !strings.Contains(errs.String(), row.want) {
			t.Errorf("%q: exit code %d, %s", row.args, code, &errs)
		}
	}
}
