package main

import (
	"testing"

	"fakepi.example/conformance"
)

// TestDog runs the dog through the core profile: go test -run TestDog/stall runs one folder of scenarios.
func TestDog(t *testing.T) {
	conformance.Test(t, subject{}, func(o *conformance.Options) { o.Profile = "core" })
}
