package native_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/pi073"
	"fakepi.example/internal/fakepi/native/pi16"
	"fakepi.example/internal/fakepi/native/recording"
)

// dialects are the codecs and the versions of Pi whose recordings prove them.
var dialects = []struct {
	codec   native.Codec
	version string // prefix of pi_version
}{
	{pi073.Codec{}, "0.73."},
	{pi16.Codec{}, "1.6."},
}

const testdata = "testdata/recordings"

// TestCodecReproducesRecordings proves the codec on real bytes: each recorded line is
// decoded, nothing in it is unknown, its typed value is copied field by field, and the
// copy is encoded to the same bytes. FAKEPI_RECORDINGS names a further folder of runs.
func TestCodecReproducesRecordings(t *testing.T) {
	roots := []string{testdata}
	if dir := os.Getenv("FAKEPI_RECORDINGS"); dir != "" {
		roots = append(roots, dir)
	}
	for _, root := range roots {
		t.Run(filepath.Base(root), func(t *testing.T) {
			runs, err := recording.Find(root)
			if err != nil {
				t.Fatal(err)
			}
			proofs := map[native.Codec]*proof{}
			for _, run := range runs {
				codec := codecFor(run.Meta.PiVersion)
				if proofs[codec] == nil {
					proofs[codec] = &proof{t: t, codec: codec, lines: map[string]int{}}
				}
				proofs[codec].run(run)
			}
			proven := 0
			for _, d := range dialects {
				if p := proofs[d.codec]; p != nil && p.lines["out"]+p.lines["session"] > 0 {
					t.Log(p.counts())
					proven++
				}
			}
			if unknown := proofs[nil]; unknown != nil {
				t.Logf("%d runs of other dialects left out", unknown.runs)
			}
			if proven == 0 || root == testdata && proven < len(dialects) {
				t.Errorf("lines of %d dialects below %s", proven, root)
			}
		})
	}
}

// proof counts what it proved of one dialect.
type proof struct {
	t                *testing.T
	codec            native.Codec // nil for the dialects that are not known
	runs, failed     int
	lines            map[string]int
	bogus, raw, torn int
}

func (p *proof) counts() string {
	return fmt.Sprintf("%s: %d runs; lines: %d stdout.raw, %d out, %d in, %d session; "+
		"on stdin besides %d that are no JSON object and %d of unknown type; %d torn",
		p.codec.Dialect(), p.runs, p.lines["stdout.raw"], p.lines["out"], p.lines["in"], p.lines["session"], p.raw, p.bogus, p.torn)
}

func (p *proof) run(run recording.Run) {
	p.runs++
	if p.codec == nil {
		return
	}
	events, err := run.Events()
	if err != nil {
		p.t.Error(err)
	}
	if isStream(run) {
		p.events(run, events)
		p.file("stdout.raw", filepath.Join(run.Dir, "stdout.raw"))
	}
	for _, path := range run.Sessions {
		p.file("session", path)
	}
}

// isStream reports whether stdout holds records; in other modes it is for people.
func isStream(run recording.Run) bool { return run.Meta.Mode == "json" || run.Meta.Mode == "rpc" }

func codecFor(version string) native.Codec {
	for _, d := range dialects {
		if strings.HasPrefix(version, d.version) {
			return d.codec
		}
	}
	return nil
}

func (p *proof) events(run recording.Run, events []recording.Event) {
	last := -1 // line on stdout, which a kill may have torn
	killed := run.Meta.Signal != "" || run.Meta.ExitCode != 0
	for i, e := range events {
		if e.Dir == recording.Out {
			last = i
		}
	}
	for i, e := range events {
		where := fmt.Sprintf("%s/%s:%d", run.Dir, recording.EventsFile, e.N)
		_, err := p.codec.Decode(e.Line)
		switch {
		case e.Dir == recording.In && err != nil:
			p.raw++
		case e.Dir == recording.Out && err != nil && i == last && killed:
			p.torn++
		case e.Dir == recording.In || e.Dir == recording.Out:
			p.line(string(e.Dir), where, e.Line)
		}
	}
}

func (p *proof) file(source, path string) {
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		p.t.Error(err)
	}
	var s native.Splitter
	s.Feed(text)
	s.Close()
	for n := 1; ; n++ {
		line, ok := s.Next()
		if !ok {
			return
		}
		if line.Torn {
			p.torn++
			continue
		}
		p.line(source, fmt.Sprintf("%s:%d", path, n), line.Data)
	}
}

func (p *proof) line(source, where string, line []byte) {
	p.lines[source]++
	record, unknown, err := p.codec.Examine(line)
	if _, ok := record.(*native.UnknownRecord); ok && source == "in" {
		p.bogus++ // a client may send anything; its bytes must survive all the same
		unknown = nil
	}
	if err != nil || len(unknown) > 0 {
		p.fail("%s: unknown %v, error %v", where, unknown, err)
		return
	}
	again := deepCopy(p.t, reflect.ValueOf(&record).Elem()).Interface().(native.Record)
	got, err := p.codec.Append(nil, again)
	if err != nil || !bytes.Equal(got, line) {
		p.fail("%s: error %v, bytes differ (-want +got):\n%s", where, err, cmp.Diff(string(line), string(got)))
	}
}

func (p *proof) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf(format, args...)
	if p.failed++; p.failed == 20 {
		p.t.Fatal("too many failures")
	}
}

// deepCopy builds v anew from its exported fields. A field that could smuggle the
// original bytes into the encoding fails the test.
func deepCopy(t *testing.T, v reflect.Value) reflect.Value {
	fresh := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Bool, reflect.Int64, reflect.Float64:
		fresh.Set(v)
	case reflect.String:
		fresh.SetString(strings.Clone(v.String()))
	case reflect.Interface:
		if !v.IsNil() {
			fresh.Set(deepCopy(t, v.Elem()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fresh.Set(reflect.New(v.Type().Elem()))
			fresh.Elem().Set(deepCopy(t, v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			fresh.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		for i := range v.Len() {
			fresh.Index(i).Set(deepCopy(t, v.Index(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fresh.Field(i).Set(deepCopy(t, v.Field(i)))
		}
	default:
		t.Fatalf("a record holds a %s, which is no typed value", v.Type())
	}
	return fresh
}
