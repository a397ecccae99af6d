package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/cli/refusal"
)

// options are what the command line of pi says. What does not matter to a fake is not kept.
type options struct {
	dialect  native.Dialect // of the Pi that reads it
	rules    optionRules
	mode     string // "text", "json" or "rpc"; empty: none was named
	print    bool
	messages []string
	files    []string       // @file, without the @
	images   []native.Block // of these, as Pi sends them

	model, provider, thinking string
	session, fork, sessionDir string
	sessionID, name           *string
	goOn, resume, noSession   bool

	tools        fakepi.ToolChoice
	systemPrompt *string
	appended     []string // to the system prompt; nil: nothing is said

	export        string // a session file
	listModels    *string
	scope         []string // --models
	help, version bool
	trust         *bool  // the working directory's settings; nil: the command line does not say
	tuiMode       string // "regular" or "fullscreen"; empty: as the settings say
	noContext     bool
	apiKey        string
	extensions    []string

	script    string // --fakepi-script
	allowExec bool

	unknown []string // long options that no extension defines

	diagnostics
}

// option is one option of pi.
type option struct {
	names   []string
	value   func(o *options, v string) error            // nil: it takes none
	flag    func(o *options)                            // of one without a value
	missing string                                      // what Pi says where the value is missing; empty: that it does not know the option
	dashes  bool                                        // a value that begins with a dash is none
	maybe   func(o *options, next []string) (took bool) // of one with a value that may be left out
}

// ignore is a flag that means nothing to a fake.
func ignore(*options) {}

// trust is a flag that says whether the working directory is trusted.
func trust(trusted bool) func(*options) { return func(o *options) { o.trust = &trusted } }

// ignoreValue is the same for an option with a value.
func ignoreValue(*options, string) error { return nil }

func keep(field func(*options) *string) func(*options, string) error {
	return func(o *options, v string) error {
		*field(o) = v
		return nil
	}
}

func set(field func(*options) *bool) func(*options) {
	return func(o *options) { *field(o) = true }
}

// piOptions are the options of every Pi and those of the fake.
var piOptions = []option{
	{names: []string{"--help", "-h"}, flag: set(func(o *options) *bool { return &o.help })},
	{names: []string{"--version", "-v"}, flag: set(func(o *options) *bool { return &o.version })},
	{names: []string{"--mode"}, value: (*options).setMode, missing: "--mode requires text, json, or rpc", dashes: true},
	{names: []string{"--print", "-p"}, maybe: (*options).setPrint},
	{names: []string{"--continue", "-c"}, flag: set(func(o *options) *bool { return &o.goOn })},
	{names: []string{"--resume", "-r"}, flag: set(func(o *options) *bool { return &o.resume })},
	{names: []string{"--no-session"}, flag: set(func(o *options) *bool { return &o.noSession })},
	{names: []string{"--session"}, value: keep(func(o *options) *string { return &o.session })},
	{names: []string{"--fork"}, value: keep(func(o *options) *string { return &o.fork })},
	{names: []string{"--session-dir"}, value: (*options).setSessionDir},
	{names: []string{"--provider"}, value: keep(func(o *options) *string { return &o.provider })},
	{names: []string{"--model"}, value: keep(func(o *options) *string { return &o.model })},
	{names: []string{"--thinking"}, value: (*options).setThinking},
	{names: []string{"--export"}, value: keep(func(o *options) *string { return &o.export })},
	{names: []string{"--list-models"}, maybe: (*options).setListModels},
	{names: []string{"--api-key"}, value: keep(func(o *options) *string { return &o.apiKey })},
	{names: []string{"--system-prompt"}, value: (*options).setSystemPrompt},
	{names: []string{"--append-system-prompt"}, value: (*options).addSystemPrompt},
	{names: []string{"--models"}, value: (*options).setScope},
	{names: []string{"--tools"}, value: setTools("--tools")},
	{names: []string{"-t"}, value: setTools("-t")},
	{names: []string{"--extension", "-e"}, value: (*options).addExtension},
	{names: []string{"--skill"}, value: ignoreValue},
	{names: []string{"--prompt-template"}, value: ignoreValue},
	{names: []string{"--theme"}, value: ignoreValue},
	{names: []string{"--no-tools", "-nt"}, flag: set(func(o *options) *bool { return &o.tools.None })},
	{names: []string{"--no-builtin-tools", "-nbt"}, flag: set(func(o *options) *bool { return &o.tools.NoBuiltin })},
	{names: []string{"--no-extensions", "-ne"}, flag: ignore},
	{names: []string{"--no-skills", "-ns"}, flag: ignore},
	{names: []string{"--no-prompt-templates", "-np"}, flag: ignore},
	{names: []string{"--no-themes"}, flag: ignore},
	{names: []string{"--no-context-files", "-nc"}, flag: set(func(o *options) *bool { return &o.noContext })},
	{names: []string{"--verbose"}, flag: ignore},
	{names: []string{"--offline"}, flag: ignore},

	{names: []string{"--fakepi-script"}, value: keep(func(o *options) *string { return &o.script })},
	{names: []string{"--allow-exec"}, flag: set(func(o *options) *bool { return &o.allowExec })},
}

// laterOptions are those that Pi has got since 0.73.
var laterOptions = []option{
	{names: []string{"--session-id"}, value: (*options).setSessionID},
	{names: []string{"--name", "-n"}, value: (*options).setName, missing: "--name requires a value"},
	{names: []string{"--exclude-tools", "-xt"}, value: (*options).setNotTools},
	{names: []string{"--use-theme"}, value: ignoreValue, missing: "--use-theme requires a theme name", dashes: true},
	{names: []string{"--tui-mode"}, value: (*options).setTUIMode, missing: "--tui-mode requires regular or fullscreen", dashes: true},
	{names: []string{"--no-mcp"}, flag: ignore},
	{names: []string{"--approve", "-a"}, flag: trust(true)},
	{names: []string{"--no-approve", "-na"}, flag: trust(false)},
}

// parseOptions reads pi's command line as a dialect's Pi does. Mistakes are among the diagnostics.
func parseOptions(args []string, dialect native.Dialect) options {
	o := options{dialect: dialect, rules: optionRulesOf(dialect)}
	o.once = o.rules.once
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" && o.rules.endOfOptions {
			for _, rest := range args {
				o.positional(rest)
			}
			break
		}
		n, err := o.option(arg, args)
		if err != nil {
			o.fail(err.Error())
		}
		args = args[n:]
	}
	return o
}

// option takes one argument and returns how many of the next ones belong to it. The error is a usageError.
func (o *options) option(arg string, next []string) (int, error) {
	i := slices.IndexFunc(o.rules.options, func(p option) bool { return slices.Contains(p.names, arg) })
	if i < 0 {
		return o.other(arg, next)
	}
	switch p := o.rules.options[i]; {
	case p.flag != nil:
		p.flag(o)
		return 0, nil
	case p.maybe != nil:
		if p.maybe(o, next) {
			return 1, nil
		}
		return 0, nil
	case len(next) > 0 && !(p.dashes && o.rules.strictValues && strings.HasPrefix(next[0], "-")):
		return 1, p.value(o, next[0])
	case p.missing != "" && o.rules.strictValues:
		return 0, refusal.UsageError(p.missing)
	}
	return o.other(arg, next)
}

// other takes what is no option of Pi: a file, a message, or an option that an extension might have.
func (o *options) other(arg string, next []string) (int, error) {
	switch {
	case strings.HasPrefix(arg, "--"):
		name, _, given := strings.Cut(arg, "=")
		if !slices.Contains(o.unknown, name) {
			o.unknown = append(o.unknown, name)
		}
		if !given && len(next) > 0 && !strings.HasPrefix(next[0], "-") && !strings.HasPrefix(next[0], "@") {
			return 1, nil
		}
	case strings.HasPrefix(arg, "-"):
		return 0, refusal.UsageError("Unknown option: " + arg)
	default:
		o.positional(arg)
	}
	return 0, nil
}

func (o *options) positional(arg string) {
	if file, ok := strings.CutPrefix(arg, "@"); ok {
		o.files = append(o.files, file)
		return
	}
	o.messages = append(o.messages, arg)
}

// setMode sets the mode that the word after --mode names.
func (o *options) setMode(mode string) error {
	switch {
	case mode == "text" || mode == "json" || mode == "rpc":
		o.mode = mode
	case o.rules.refusesMode:
		return refusal.UsageError(`Invalid mode "` + mode + `". Valid values: text, json, rpc`)
	}
	return nil
}

// setPrint takes a message that follows, one that begins with three dashes too.
func (o *options) setPrint(next []string) bool {
	o.print = true
	if len(next) == 0 || strings.HasPrefix(next[0], "@") || strings.HasPrefix(next[0], "-") && !strings.HasPrefix(next[0], "---") {
		return false
	}
	o.messages = append(o.messages, next[0])
	return true
}

// setListModels takes a search that follows.
func (o *options) setListModels(next []string) bool {
	o.listModels = new(string)
	if len(next) == 0 || strings.HasPrefix(next[0], "-") || strings.HasPrefix(next[0], "@") {
		return false
	}
	o.listModels = &next[0]
	return true
}

// setScope sets the patterns of --models.
func (o *options) setScope(patterns string) error {
	o.scope = o.rules.patterns(patterns)
	return nil
}

// allPatterns splits patterns at commas. An empty one is one, too: Pi warns that it matches no model.
func allPatterns(text string) []string {
	patterns := strings.Split(text, ",")
	for i := range patterns {
		patterns[i] = strings.TrimSpace(patterns[i])
	}
	return patterns
}

func (o *options) addExtension(name string) error {
	o.extensions = append(o.extensions, name)
	return nil
}

func (o *options) setName(name string) error {
	o.name = &name
	return nil
}

// setSessionDir sets the folder of the sessions.
func (o *options) setSessionDir(dir string) error {
	o.sessionDir = cmp.Or(dir, o.rules.emptyDir)
	return nil
}

func (o *options) setSessionID(id string) error {
	o.sessionID = &id
	return nil
}

func (o *options) setSystemPrompt(text string) error {
	o.systemPrompt = &text
	return nil
}

func (o *options) addSystemPrompt(text string) error {
	o.appended = append(o.appended, text)
	return nil
}

// setTools takes the names behind --tools or -t.
func setTools(option string) func(*options, string) error {
	return func(o *options, names string) error {
		o.tools.Only = splitNames(names)
		if problem := o.tools.Problem(); problem != "" && o.rules.refusesTools {
			return refusal.UsageError(option + ": " + problem)
		}
		return nil
	}
}

func (o *options) setNotTools(names string) error {
	o.tools.Not = splitNames(names)
	return nil
}

// splitNames splits names at commas. None gives an empty list, which is not nil.
func splitNames(text string) []string {
	names := []string{}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (o *options) setThinking(level string) error {
	levels := fakepi.ThinkingLevels(o.dialect)
	if slices.Contains(levels, level) {
		o.thinking = level
		return nil
	}
	o.warn(`Invalid thinking level "` + level + `". Valid values: ` + strings.Join(levels, ", "))
	return nil
}

func (o *options) setTUIMode(mode string) error {
	if mode != "regular" && mode != "fullscreen" {
		return refusal.UsageError(`Invalid TUI mode "` + mode + `". Valid values: regular, fullscreen`)
	}
	o.tuiMode = mode
	return nil
}

// playedMode is the mode in which Pi runs, given whether stdin and stdout are terminals.
func (o *options) playedMode(in, out bool) script.Mode {
	switch {
	case o.mode == "rpc" || o.mode == "json":
		return script.Mode(o.mode)
	case o.print || !in || !out && o.rules.needsTerminal:
		return script.ModePrint
	}
	return script.ModeTUI
}

// checkUnknown diagnoses options that only an extension could know.
func (o *options) checkUnknown() {
	switch names := strings.Join(o.unknown, ", "); len(o.unknown) {
	case 0:
	case 1:
		o.fail("Unknown option: " + names)
	default:
		o.fail("Unknown options: " + names)
	}
}

// check finds options that exclude each other. The error is a usageError.
func (o *options) check() error {
	var others []string // what says which session to go on with
	for _, other := range []struct {
		name  string
		given bool
	}{{"--session", o.session != ""}, {"--continue", o.goOn}, {"--resume", o.resume}} {
		if other.given {
			others = append(others, other.name)
		}
	}
	switch {
	case o.mode == "rpc" && len(o.files) > 0:
		return refusal.UsageError("@file arguments are not supported in RPC mode")
	case o.fork != "" && o.noSession:
		return refusal.UsageError("--fork cannot be combined with " + strings.Join(append(others, "--no-session"), ", "))
	case o.fork != "" && len(others) > 0:
		return refusal.UsageError("--fork cannot be combined with " + strings.Join(others, ", "))
	case o.sessionID != nil && len(others) > 0:
		return refusal.UsageError("--session-id cannot be combined with " + strings.Join(others, ", "))
	case o.sessionID != nil && !validSessionID.MatchString(*o.sessionID):
		return refusal.UsageError("Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character")
	case !o.rules.namesLate:
		return o.checkName()
	}
	return nil
}

// checkName checks the session's name, which some Pi does when it has found the session.
func (o *options) checkName() error {
	if o.name != nil && strings.TrimSpace(*o.name) == "" {
		return refusal.UsageError("--name requires a non-empty value")
	}
	return nil
}

var validSessionID = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
