package main

import (
	"testing"

	"fakepi.example/conformance"
	"fakepi.example/watchdog"
)

// subject starts a watchdog for each history.
type subject struct{}

func (subject) Name() string { return "small" }

func (subject) Start(boot watchdog.Boot) (watchdog.Watchdog, error) {
	return &dog{limits: boot.Policy.Limits}, nil
}

// TestBasic runs the watchdog through the profile for a first one.
func TestBasic(t *testing.T) {
	conformance.Test(t, subject{}, func(o *conformance.Options) { o.Profile = "basic" })
}
