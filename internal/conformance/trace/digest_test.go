package trace_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// bodies lists one observation of each kind.
func bodies() []watchdog.Body {
	return []watchdog.Body{
		watchdog.Bytes{}, watchdog.Closed{}, watchdog.File{}, watchdog.Gap{}, watchdog.Spawned{}, watchdog.Exited{},
		watchdog.Outcome{}, watchdog.Probe{}, watchdog.Inspect{}, watchdog.Worktree{}, watchdog.Task{}, watchdog.Owner{},
		watchdog.Operator{}, watchdog.Link{},
	}
}

// TestDigestOfEveryField changes one field after the other of whatever a step holds: a digest that passed one over would
// call two histories the same that are not.
func TestDigestOfEveryField(t *testing.T) {
	if got, want := len(bodies()), len(watchdog.ObservationKinds()); got != want {
		t.Fatalf("%d bodies, want one of each of the %d kinds", got, want)
	}
	step := filled(reflect.TypeFor[trace.Step]())
	step.FieldByName("Seen").Index(0).FieldByName("Body").Set(reflect.ValueOf(watchdog.Link{}))
	eachLeaf(step, "Step", func(path string, change func()) {
		before := digestOf(step)
		change()
		if !implied(path) && digestOf(step) == before {
			t.Errorf("another %s, and the same digest", path)
		}
	})
	kinds := map[[32]byte]watchdog.ObservationKind{}
	for _, b := range bodies() {
		body := filled(reflect.TypeOf(b))
		show := func() [32]byte {
			step.FieldByName("Seen").Index(0).FieldByName("Body").Set(body)
			return digestOf(step)
		}
		if other, ok := kinds[show()]; ok {
			t.Errorf("%s has the digest of %s", b.Kind(), other)
		}
		kinds[show()] = b.Kind()
		eachLeaf(body, string(b.Kind()), func(path string, change func()) {
			before := show()
			change()
			if show() == before {
				t.Errorf("another %s, and the same digest", path)
			}
		})
	}
}

// implied reports whether a field follows from others: the place of a record is its number, what a record means from its bytes,
// and whether an end is quiet from the agent that was spawned.
func implied(path string) bool {
	return path == "Step.Event" || strings.HasPrefix(path, "Step.Records[0].") || path == "Step.Truths[0].QuietEnd"
}

func digestOf(step reflect.Value) [32]byte {
	d := trace.NewDigest()
	d.Step(step.Addr().Interface().(*trace.Step))
	return d.Sum()
}

// filled makes a value whose slices have one element and whose pointers are not nil.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case t == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)))
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(filled(t.Field(i).Type))
		}
	case t.Kind() == reflect.Slice:
		v.Set(reflect.Append(v, filled(t.Elem())))
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(filled(t.Elem()))
	}
	return v
}

// eachLeaf visits every number, text, bool and time of a value with a function that changes it. Interfaces are passed over.
func eachLeaf(v reflect.Value, path string, visit func(path string, change func())) {
	if at, ok := v.Interface().(time.Time); ok {
		visit(path, func() { v.Set(reflect.ValueOf(at.Add(time.Second))) })
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			eachLeaf(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		eachLeaf(v.Index(0), path+"[0]", visit)
	case reflect.Pointer:
		eachLeaf(v.Elem(), path, visit)
	case reflect.String:
		visit(path, func() { v.SetString(v.String() + "x") })
	case reflect.Bool:
		visit(path, func() { v.SetBool(!v.Bool()) })
	case reflect.Int, reflect.Int64:
		visit(path, func() { v.SetInt(v.Int() + 1) })
	case reflect.Uint8:
		visit(path, func() { v.SetUint(v.Uint() + 1) })
	case reflect.Float64:
		visit(path, func() { v.SetFloat(v.Float() + 1) })
	case reflect.Interface:
	default:
		panic(fmt.Sprintf("%s is a %s", path, v.Kind()))
	}
}
