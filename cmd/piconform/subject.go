package main

import (
	"fmt"

	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// reference is the subject that this version judges: the engine of this repository.
type reference struct{}

func (reference) Name() string { return "reference" }

func (reference) Start(boot watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(boot) }

// matrix loads the requirement set and the scenarios that refer to it.
func matrix() (*requirements.Set, []scenarios.Scenario, error) {
	set, err := requirements.Load()
	if err != nil {
		return nil, nil, err
	}
	all, err := scenarios.Load()
	if err != nil {
		return nil, nil, fmt.Errorf("the matrix:\n%w", err)
	}
	return set, all, nil
}
