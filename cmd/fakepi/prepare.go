package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/agentdir"
	"fakepi.example/internal/fakepi/cli/refusal"
)

// prepare reads what a session in a working directory begins with, settings and models, and gathers what is wrong about
// these and the command line, in the order of the dialect's Pi. resumed tells that the session is not new. The error is
// that of trust.json, of an auth.json of null, or of a setting.
func (l *launch) prepare(cwd string, resumed bool) error {
	o := &l.options
	trusted, err := l.trusts(cwd)
	if err != nil {
		return err
	}
	l.makeAgentFiles()
	if l.readModels(); l.rules.failsOnNull && l.accounts.Null {
		return refusal.PlainError("TypeError: Cannot read properties of null (reading 'anthropic')")
	}
	damage := l.readSettings(cwd, trusted)
	l.system = l.systemPrompt(cwd, trusted)
	if err := l.checkScope(); err != nil {
		return err
	}
	odd := l.findScope()
	if l.rules.reportsAtOnce {
		o.warnAll(odd)
		_ = o.flush()
	}
	o.checkUnknown()
	l.diagnoseSettings(damage, "runtime creation")
	if l.rules.readsTwice {
		l.diagnoseSettings(l.readSettings(cwd, true), "runtime creation")
	}
	o.checkExtensions(l.cwd)
	if !l.rules.reportsAtOnce {
		o.warnAll(odd)
	}
	chosen := o.chooseModel(l.models.List)
	if chosen != nil {
		o.fail(chosen.Error())
	}
	if o.apiKey != "" && (o.model == "" || chosen != nil) && (resumed || !l.scoped()) {
		o.fail("--api-key requires a model to be specified via --model, --provider/--model, or --models")
	}
	l.diagnoseNoModels()
	return nil
}

// trusts reports whether Pi reads the settings of a working directory: always, or where the command line, trust.json of the
// agent folder, or the global settings say so. A fake asks nobody. The error is that of trust.json, with
// which Pi does not begin.
func (l *launch) trusts(cwd string) (bool, error) {
	if !l.rules.asksTrust {
		return true, nil
	}
	if trust := l.options.trust; trust != nil {
		return *trust, nil
	}
	said, err := agentdir.ReadTrust(l.options.dialect, l.agent, cwd)
	if err != nil {
		return false, err
	}
	if said != nil {
		return *said, nil
	}
	return l.settings.Global.Get("defaultProjectTrust") == native.Value(native.String("always")), nil
}

// readModels reads models.json. Of those whose account it cannot use Pi 1.6 asks none, and none at all without an auth.json
// that it can read.
func (l *launch) readModels() {
	l.models = agentdir.ReadModels(l.options.dialect, l.agent)
	l.accounts = agentdir.ReadAccounts(l.options.dialect, l.agent)
	switch {
	case !l.rules.needsAccounts:
	case l.accounts.Problem != "":
		l.models.List = []native.Model{}
	default:
		l.models.List = slices.DeleteFunc(l.models.List, func(m native.Model) bool { return l.accounts.Unusable(m.Provider) })
	}
}

// brokenProviders are those that have models, and of whose account Pi fails to ask.
func (l *launch) brokenProviders() []string {
	if !l.rules.needsAccounts {
		return nil
	}
	return l.accounts.Broken()
}

// readSettings reads the settings of a session in a working directory, and returns what is wrong about them.
func (l *launch) readSettings(cwd string, trusted bool) (damage []agentdir.SettingsProblem) {
	l.settings, damage = l.files.Read(cwd, trusted)
	return damage
}

// diagnoseSettings warns of damaged settings. during is what Pi 0.73 calls the occasion.
func (l *launch) diagnoseSettings(damage []agentdir.SettingsProblem, during string) {
	for _, p := range damage {
		l.options.warn(l.rules.problem(p, during))
	}
}

// reread reads everything again, for a session that a command begins. Pi 1.6 warns of what is new.
func (l *launch) reread(cwd string) fakepi.Surroundings {
	trusted, _ := l.trusts(cwd) // what cannot be read says no
	damage := l.readSettings(cwd, trusted)
	l.system = l.systemPrompt(cwd, trusted)
	if l.rules.warnsReread {
		l.diagnoseSettings(damage, "")
	}
	if l.models.List != nil {
		if l.readModels(); l.models.List == nil {
			l.models.List = []native.Model{}
		}
	}
	l.options.warnAll(l.findScope())
	l.diagnoseNoModels()
	_ = l.report()
	return fakepi.Surroundings{Settings: l.settings, Models: l.models.List, Broken: l.brokenProviders(), System: l.system}
}

// findScope finds the models between which the session changes, and returns what Pi warns of.
func (l *launch) findScope() (warnings []string) {
	if l.models.List == nil { // the fake has what it is asked for
		return nil
	}
	patterns := l.options.scope
	if patterns == nil {
		patterns = enabledModels(l.settings.Get("", "enabledModels"))
	}
	l.scope, warnings = agentdir.Search{Dialect: l.options.dialect}.Scope(patterns, l.models.List)
	return warnings
}

// checkScope refuses a setting enabledModels that holds what is no text, at which Pi stumbles.
func (l *launch) checkScope() error {
	patterns, _ := l.settings.Get("", "enabledModels").(native.Array)
	i := slices.IndexFunc(patterns, func(v native.Value) bool { _, text := v.(native.String); return !text })
	if i < 0 || l.options.scope != nil {
		return nil
	}
	return refusal.PlainError("TypeError: the setting enabledModels holds " + string(native.AppendValue(nil, patterns[i])) +
		", which is no text; write the names of models, in quotes")
}

// enabledModels are the patterns of the setting of that name; those of a text are its characters.
func enabledModels(setting native.Value) (patterns []string) {
	switch v := setting.(type) {
	case native.Array:
		for _, pattern := range v {
			patterns = append(patterns, native.Text(pattern))
		}
	case native.String:
		patterns = strings.Split(string(v), "")
	}
	return patterns
}

// scoped reports whether a new session gets its model from those between which it changes.
func (l *launch) scoped() bool {
	return len(l.scope) > 0 || l.models.List == nil && len(l.options.scope) > 0
}

// diagnoseNoModels warns, as Pi 1.6 does, that there is no model to ask.
func (l *launch) diagnoseNoModels() {
	if l.rules.noModelsWarning && l.models.List != nil && len(l.models.List) == 0 {
		l.options.warn(fakepi.NoModels(l.options.dialect))
	}
}

// report tells what has gathered; in a terminal Pi 1.6 does so only where it does not begin. The error is errReported.
func (l *launch) report() error {
	o := &l.options
	if l.mode == script.ModeTUI && l.rules.quietTerminal && o.fatal() == nil {
		o.dismiss()
		return nil
	}
	err := o.flush()
	if err != nil && o.hint != "" {
		fmt.Fprintln(os.Stderr, o.hint)
	}
	return err
}

// resizesImages reports whether Pi makes images fit; a setting may forbid it.
func (l *launch) resizesImages() bool {
	fits, set := l.settings.Get("images", "autoResize").(native.Bool)
	return !set || bool(fits)
}
