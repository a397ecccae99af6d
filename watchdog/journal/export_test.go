package journal

import (
	"maps"
	"slices"

	"fakepi.example/watchdog"
)

// Format and Upgrade are a version of the records and the way to it, for tests of the way.
type (
	Format  format
	Upgrade = upgrade
)

// NewFormat returns a version whose records have the form of today's.
func NewFormat(version int, upgrades map[int]Upgrade) Format { return Format{version, upgrades} }

func (v Format) Open(s watchdog.State, now watchdog.Instant, fold func(Record) error) (*Log, error) {
	return format(v).open(s, now, fold)
}

func (v Format) Replay(data []byte, fold func(Record) error) (End, error) {
	return format(v).replay(data, fold)
}

// Kinds lists the kinds of today's version.
func Kinds() []Kind { return slices.Sorted(maps.Keys(bodies)) }

// Sum completes a line that lacks its sum and its end.
func Sum(line string) string { return string(appendSum([]byte(line), []byte(line))) + "\n" }
