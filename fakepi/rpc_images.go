package fakepi

import (
	"encoding/base64"
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

const (
	errSpread   = "Spread syntax requires ...iterable[Symbol.iterator] to be a function"
	errIterable = "images is not iterable"
	errBuffer   = "The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received "
)

// elements are what JavaScript finds in the images of a command; false: it finds that they are no list.
func elements(images native.Value) ([]native.Value, bool) {
	switch v := images.(type) {
	case native.Array:
		return v, true
	case native.String:
		var list []native.Value
		for _, r := range string(v) {
			list = append(list, native.String(string(r)))
		}
		return list, true
	}
	return nil, !javascript.Truthy(images)
}

// illustrate gives a message for a run the images of its command; failure is JavaScript's complaint about them. Pi 1.6
// makes each fit.
func (w *Worker) illustrate(m *queued, images native.Value) (failure string) {
	if !w.rules.fitsImages {
		return w.attach(m, images)
	}
	list, ok := elements(images)
	if !ok {
		return errIterable
	}
	for _, v := range list {
		if failure = w.fit(m, v); failure != "" {
			return failure
		}
	}
	return ""
}

// attach gives a message that waits, or any of Pi 0.73, the images of its command as they are. Pi 1.6 makes those fit that
// are of type image, and puts them behind the others.
func (w *Worker) attach(m *queued, images native.Value) (failure string) {
	list, ok := elements(images)
	if !ok {
		return errSpread
	}
	if w.rules.fitsImages {
		list = slices.DeleteFunc(slices.Clone(list), func(v native.Value) bool {
			o, _ := v.(native.Object)
			return o.Text("type") == "image" && w.fit(m, v) == ""
		})
	}
	m.images = append(w.blocks(list), m.images...)
	return ""
}

// blocks are parts of a message as the dialect reads them.
func (w *Worker) blocks(list []native.Value) []native.Block {
	if len(list) == 0 {
		return nil
	}
	message := native.Object{
		{Key: "role", Value: native.String("user")}, {Key: "content", Value: native.Array(list)}, {Key: "timestamp", Value: native.Number(0)},
	}
	line := native.AppendValue(nil, native.Object{{Key: "type", Value: native.String("message_end")}, {Key: "message", Value: message}})
	if r, err := w.rules.codec.Decode(line); err == nil {
		if end, ok := r.(*native.MessageEnd); ok {
			if user, ok := end.Message.(*native.UserMessage); ok {
				return user.Content
			}
		}
	}
	return nil
}

// fit gives a message an image that Pi makes fit first, and the note about it.
func (w *Worker) fit(m *queued, v native.Value) (failure string) {
	if javascript.Missing(v) {
		return "Cannot read properties of null (reading 'data')"
	}
	o, _ := v.(native.Object)
	data, failure := bufferOf(o.Get("data"))
	if failure == "" {
		failure = javascript.NotString(o.Get("mimeType"), "mimeType", "split")
	}
	if failure != "" {
		return failure
	}
	mime, _ := o.Get("mimeType").(native.String)
	b, notes := FitImage(data, string(mime), javascript.Truthy(orOn(w.settings.Get("images", "autoResize"))))
	if b != nil {
		m.images = append(m.images, b)
	}
	m.notes = append(m.notes, notes...)
	return ""
}

// bufferOf is Node's Buffer of an image's data, which is base64 or, though nobody sends that, a list of bytes.
func bufferOf(v native.Value) (data []byte, failure string) {
	switch v := v.(type) {
	case native.String:
		return decodeBase64(string(v)), ""
	case native.Array:
		return make([]byte, len(v)), "" // no list of bytes is an image here
	}
	return nil, errBuffer + javascript.Received(v)
}

// decodeBase64 reads base64 as Node does: either alphabet, what is in neither is passed over, and = ends it.
func decodeBase64(s string) []byte {
	s, _, _ = strings.Cut(s, "=")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		case 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '+', r == '/':
			return r
		}
		return -1
	}, s)
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	data, _ := base64.RawStdEncoding.DecodeString(s) // it has no other characters
	return data
}
