package fakepi

import (
	"path"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// exportHTML is the command export_html: the session as a page, without the looks of Pi's.
func (w *Worker) exportHTML(r request) {
	there := w.session.exists && (w.sessions == nil || w.sessions.Exists(w.session.path))
	switch {
	case w.session.unsaved:
		w.respond(r.id, r.name, "Cannot export in-memory session to HTML")
		return
	case !there:
		w.respond(r.id, r.name, "Nothing to export yet - start a conversation first")
		return
	}
	file := "pi-session-" + strings.TrimSuffix(path.Base(w.session.path), ".jsonl") + ".html"
	if output := r.body.Get("outputPath"); javascript.Truthy(output) {
		named, ok := output.(native.String)
		if !ok {
			w.respond(r.id, r.name, w.rules.noOutput(output))
			return
		}
		file = w.pathOf(string(named))
	}
	if failure := w.export(file, w.page()); failure != "" {
		w.respond(r.id, r.name, failure)
		return
	}
	w.respondData(r.id, r.name, exported(file))
}

// export writes a page and says why it cannot. A worker without a file system has it written beside its work.
func (w *Worker) export(file, page string) (failure string) {
	if strings.Contains(file, "\x00") {
		shown := strings.ReplaceAll(file, "\x00", `\x00`)
		return "The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received '" + shown + "'"
	}
	if w.sessions == nil {
		w.out = append(w.out, Output{At: w.now, Effect: &Effect{Kind: script.EffectWrite, Path: file, Text: page}})
		return ""
	}
	if err := w.sessions.Export(file, []byte(page)); err != nil {
		return err.Error()
	}
	return ""
}

// noOutput is JavaScript's complaint about a path to write to that is no text; of a number it is that of a descriptor that
// is not open.
func (r *rules) noOutput(v native.Value) string {
	if r.settlesFirst {
		return javascript.NotString(v, "normalized", "startsWith")
	}
	if _, ok := v.(native.Number); ok {
		return "EBADF: bad file descriptor, write"
	}
	return `The "path" argument must be of type string or an instance of Buffer or URL. Received ` + javascript.Received(v)
}

// pathOf is what Pi takes a path for that a client names.
func (w *Worker) pathOf(named string) string {
	if w.sessions == nil {
		return named
	}
	return w.sessions.Path(named)
}

func (w *Worker) page() string {
	return SessionPage(w.session.header.ID, linesOf(w.rules.codec, w.session.entries))
}

// exportLines writes the branch as a session file of its own, which only a terminal can ask for.
func (w *Worker) exportLines(file string) {
	header := *w.session.header
	header.Timestamp = w.iso(w.now)
	lines := append(linesOf(w.rules.codec, []native.Record{&header}), linesOf(w.rules.codec, w.session.branch())...)
	file = w.pathOf(file)
	if failure := w.export(file, string(lines)); failure != "" {
		w.respond(nil, native.CmdExportHTML, failure)
		return
	}
	w.respondData(nil, native.CmdExportHTML, exported(file))
}

// linesOf are records as lines; what cannot be written is left out.
func linesOf[R native.Record](codec native.Codec, records []R) []byte {
	var lines []byte
	for _, r := range records {
		if line, err := codec.Append(lines, r); err == nil {
			lines = append(line, '\n')
		}
	}
	return lines
}

// exported answers where a session was written.
func exported(file string) native.Data {
	return &native.RawData{Value: native.Object{{Key: "path", Value: native.String(file)}}}
}
