package watchdog_test

import (
	"fmt"
	"reflect"
	"time"

	"pgregory.net/rapid"

	"fakepi.example/watchdog"
)

// words returns the vocabulary of each string type that has one.
func words() map[reflect.Type]any {
	return map[reflect.Type]any{
		reflect.TypeFor[watchdog.VerdictName](): watchdog.VerdictNames(),
		reflect.TypeFor[watchdog.CommandKind](): watchdog.CommandKinds(),
		reflect.TypeFor[watchdog.Status]():      []watchdog.Status{watchdog.StatusOK, watchdog.StatusSuspected, watchdog.StatusConfirmed},
		reflect.TypeFor[watchdog.Limit]():       []watchdog.Limit{watchdog.LimitStall, watchdog.LimitTool},
		reflect.TypeFor[watchdog.Flag]():        []watchdog.Flag{watchdog.FlagDirty, watchdog.FlagExited},
		reflect.TypeFor[watchdog.Stream]():      []watchdog.Stream{watchdog.StreamOut, watchdog.StreamErr, watchdog.StreamPTY},
		reflect.TypeFor[watchdog.FileChange]():  []watchdog.FileChange{watchdog.FileReplaced, watchdog.FileTruncated},
		reflect.TypeFor[watchdog.Mode]():        []watchdog.Mode{watchdog.ModeRPC, watchdog.ModeTUI},
		reflect.TypeFor[watchdog.Source]():      []watchdog.Source{watchdog.SourceHeld, watchdog.SourceFollowed},
		reflect.TypeFor[watchdog.Result]():      []watchdog.Result{watchdog.ResultDone, watchdog.ResultUnknown},
		reflect.TypeFor[watchdog.ProbeResult](): []watchdog.ProbeResult{watchdog.ProbeOK, watchdog.ProbeFailed},
		reflect.TypeFor[watchdog.What]():        []watchdog.What{watchdog.WhatState, watchdog.WhatWorld},
		reflect.TypeFor[watchdog.GateStatus]():  []watchdog.GateStatus{watchdog.GateAbsent, watchdog.GatePassed},
		reflect.TypeFor[watchdog.Role]():        []watchdog.Role{watchdog.RoleAgent, watchdog.RoleTool},
		reflect.TypeFor[watchdog.Caller]():      []watchdog.Caller{"", watchdog.CallerOutside, watchdog.CallerWorker},
		reflect.TypeFor[watchdog.Intent]():      []watchdog.Intent{watchdog.IntentStop, watchdog.IntentRearm},
	}
}

// draw fills a value of the contract with any legal content.
func draw(t *rapid.T, v reflect.Value) {
	if known, ok := words()[v.Type()]; ok {
		list := reflect.ValueOf(known)
		v.Set(list.Index(rapid.IntRange(0, list.Len()-1).Draw(t, v.Type().Name())))
		return
	}
	switch at := v.Addr().Interface().(type) {
	case *watchdog.Body:
		*at = drawBody(t)
		return
	case *watchdog.Policy:
		drawPolicy(t, at)
		return
	case *time.Time:
		*at = time.Unix(0, rapid.Int64().Draw(t, "civil")).UTC()
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			draw(t, v.Field(i))
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "present") {
			v.Set(reflect.New(v.Type().Elem()))
			draw(t, v.Elem())
		}
	case reflect.Slice:
		n := rapid.IntRange(0, 3).Draw(t, "length")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			draw(t, v.Index(i))
		}
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "number"))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Byte().Draw(t, "byte")))
	default:
		panic(fmt.Sprintf("no way to draw a %s", v.Type()))
	}
}

func drawBody(t *rapid.T) watchdog.Body {
	kinds := watchdog.ObservationKinds()
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	for _, sample := range bodies() {
		if sample.Kind() == kind {
			body := reflect.New(reflect.TypeOf(sample)).Elem()
			draw(t, body)
			return body.Interface().(watchdog.Body)
		}
	}
	panic(fmt.Sprintf("no sample of kind %s", kind))
}

// drawPolicy sets some limits and overrides through the names that people write.
func drawPolicy(t *rapid.T, p *watchdog.Policy) {
	*p = watchdog.DefaultPolicy()
	for range rapid.IntRange(0, 5).Draw(t, "limits") {
		name, value := drawLimit(t)
		if err := p.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "overrides") {
		name, value := drawLimit(t)
		p.Overrides = append(p.Overrides, watchdog.Override{
			Model: rapid.String().Draw(t, "model"), Set: map[string]string{name: value},
		})
	}
}

func drawLimit(t *rapid.T) (name, value string) {
	ns := time.Duration(rapid.Int64Range(1, 1<<62).Draw(t, "duration"))
	number := fmt.Sprint(rapid.Int32Range(2, 1<<30).Draw(t, "count"))
	limit := rapid.SampledFrom([][2]string{
		{"stall", ns.String()}, {"first_token", ns.String()}, {"backoff_cap", ns.String()},
		{"confirmations", number}, {"tokens", number}, {"dirty", "commit_wip"},
		{"effects.stop_turn", "auto"}, {"effects.remove", "never"},
	}).Draw(t, "limit")
	return limit[0], limit[1]
}
