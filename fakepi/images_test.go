package fakepi_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// A pixel as a PNG.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// An image goes along as it is; only its type is written as usual.
func TestImage(t *testing.T) {
	tests := []struct{ data, mime, want, reason string }{
		{"\x89PNG", "image/png", "image/png iVBORw==", "nobody decodes it"},
		{"hi", " Image/JPG ; q=1", "image/jpeg aGk=", "its type is written as usual"},
		{"hi", "image/tiff", "image/tiff aGk=", "it is not converted"},
		{"", "image/webp", "image/webp ", "it is empty"},
	}
	for _, tt := range tests {
		b := fakepi.Image([]byte(tt.data), tt.mime)
		if got := b.MimeType + " " + b.Data; got != tt.want {
			t.Errorf("%s (%s): got %q, want %q", tt.mime, tt.reason, got, tt.want)
		}
	}
}

// Images of any shape, which both Pis were sent: what becomes of a prompt with them.
func TestImagesOfAPrompt(t *testing.T) {
	const (
		buffer   = "error: The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received "
		iterable = "error: images is not iterable"
		spread   = "error: Spread syntax requires ...iterable[Symbol.iterator] to be a function"
		plain    = `{"type":"text","text":"hi"}`
	)
	sound := `{"type":"image","data":"` + pixel + `","mimeType":"image/png"}`
	tests := []struct{ images, want16, want073 string }{
		{`""`, plain, plain},
		{`0`, plain, plain},
		{`null`, plain, plain},
		{`[]`, plain, plain},
		{`"xy"`, buffer + "undefined", plain + `,"x","y"`},
		{`5`, iterable, spread},
		{`true`, iterable, spread},
		{`{"length":1}`, iterable, spread},
		{`[5]`, buffer + "undefined", plain + `,5`},
		{`[{}]`, buffer + "undefined", plain + `,{}`},
		{`[null]`, "error: Cannot read properties of null (reading 'data')", plain + `,null`},
		{`[{"type":"image","data":5,"mimeType":"image/png"}]`, buffer + "type number (5)", plain + `,{"type":"image","data":5,"mimeType":"image/png"}`},
		{`[{"type":"image","data":"` + pixel + `"}]`, "error: Cannot read properties of undefined (reading 'split')", plain + `,{"type":"image","data":"` + pixel + `"}`},
		{`[{"data":"","mimeType":5}]`, "error: mimeType.split is not a function", plain + `,{"data":"","mimeType":5}`},
		{`[{"type":"text","text":"yo"}]`, buffer + "undefined", plain + `,{"type":"text","text":"yo"}`},
		{`[` + sound + `]`, plain + `,` + sound, plain + `,` + sound},
		{`[{"mimeType":"image/png","data":"` + pixel[:8] + `\n` + pixel[8:] + `"}]`, plain + `,` + sound, plain + `,{"mimeType":"image/png","data":"` + pixel[:8] + `\n` + pixel[8:] + `"}`},
		{`[{"type":"image","data":[1,2],"mimeType":"image/png"}]`, plain + `,{"type":"image","data":"AAA=","mimeType":"image/png"}`, plain + `,{"type":"image","data":[1,2],"mimeType":"image/png"}`},
	}
	for _, tt := range tests {
		for dialect, want := range map[native.Dialect]string{native.Pi16: tt.want16, native.Pi073: tt.want073} {
			w := newWorker(t, "0s prompt \"hi\"\n+50ms says \"Yes.\"\n+0s settles\n", func(c *fakepi.Config) { c.Driven, c.Dialect = true, dialect })
			play(w, time.Second, nil)
			out := text(w.Send(time.Second, []byte(`{"type":"prompt","message":"hi","images":`+tt.images+`}`), nil))
			out += text(play(w, time.Minute, nil))
			got := between(out, `"role":"user","content":[`, `],"timestamp"`)
			if failure := between(out, `"success":false,"error":"`, `"}`); failure != "" {
				got = "error: " + failure
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", tt.images, dialect, diff)
			}
		}
	}
}
