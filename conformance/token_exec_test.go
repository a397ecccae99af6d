package conformance_test

import (
	"errors"
	"testing"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/scenarios"
)

// A replay token names a case of the suite and carries no step: one that is forged, with the right checksum, to hold a
// script fits nothing.
func TestTokenCarriesNoCommand(t *testing.T) {
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, forged := range []conformance.Token{
		{Suite: conformance.Version, Case: "0s w1 does run \"touch ran\"", Dialect: native.Pi16},
		{Suite: conformance.Version, Case: "stall/silent-after-tool\n+0s w1 does run touch", Dialect: native.Pi16},
	} {
		token, err := conformance.ParseToken(forged.String())
		if err == nil {
			_, err = conformance.Replay(reference{}, all, token)
		}
		if !errors.Is(err, conformance.ErrToken) && !errors.Is(err, conformance.ErrForeign) {
			t.Errorf("%q: got error %v, want one of a token that fits nothing", forged.String(), err)
		}
	}
}
