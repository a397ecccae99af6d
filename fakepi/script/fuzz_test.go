package script_test

import (
	"testing"

	"fakepi.example/fakepi/script"
)

// FuzzParse looks for a source that makes the package panic, or that Format changes.
func FuzzParse(f *testing.F) {
	for _, m := range example.FindAllStringSubmatch(page(f), -1) {
		f.Add([]byte(m[2]))
	}
	f.Add([]byte("0s says \"\\u{d800}\\xff\" chunks 3 as=a # c\r\n@a.end+tool-1h stalls\n-- x --\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		checkFormat(t, src)
		s, err := script.Parse("fuzz", src)
		if err != nil {
			return
		}
		if err := s.Resolve(nil); err == nil {
			s.Vet()
		}
	})
}
