package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/conformance/report"
	"fakepi.example/internal/conformance/explore"
)

// What JSON writes is read back, but for what is known to be derived.
func TestRead(t *testing.T) {
	want := sample(t)
	var text bytes.Buffer
	if err := want.JSON(&text); err != nil {
		t.Fatal(err)
	}
	got, wall, err := report.Read(&text)
	if err != nil {
		t.Fatal(err)
	}
	if wall != want.Wall || got.Poll != 5*time.Second || got.Digest != want.Result.Digest {
		t.Errorf("got %s, poll %s, digest %s", wall, got.Poll, got.Digest)
	}
	for i := range want.Result.Cases {
		if c := &want.Result.Cases[i]; c.Reach.Complete {
			c.Reach = explore.Reach{} // no history of the sample has a digest
		}
	}
	if diff := cmp.Diff(want.Result.Cases, got.Cases); diff != "" {
		t.Error(diff)
	}
	if _, _, err := report.Read(strings.NewReader(`{"suite":"1","surprise":2}`)); err == nil {
		t.Error("an unknown member is taken")
	}
	if _, _, err := report.Read(strings.NewReader(`{"suite":"1"} {"suite":"1"}`)); err == nil || !strings.Contains(err.Error(), "behind its object") {
		t.Errorf("two objects: got %v", err)
	}
}
