package main

// elsewhere names the tests of MUSTs that no scenario can show: they are about real files, git, keys and processes, which
// the simulated world has not. Each is a package and a test in it.
func elsewhere() map[string]string {
	return map[string]string{
		"WDC-EVID-002": "internal/watchdog/evidence TestContents",
		"WDC-EVID-003": "internal/watchdog/evidence TestGenerated",
		"WDC-EVID-004": "internal/watchdog/evidence TestTakeRefuses",
		"WDC-REST-006": "internal/watchdog/journal/sqlite TestStore",
		"WDC-SAFE-003": "internal/watchdog/evidence TestHostileArchive",
		"WDC-SAFE-004": "internal/watchdog/evidence TestContents",
		"WDC-SAFE-005": "internal/watchdog/evidence TestNothingConfiguredRuns",
	}
}
