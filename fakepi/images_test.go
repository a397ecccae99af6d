package fakepi_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// A pixel as a PNG and as a GIF.
const (
	pixel    = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	pixelGIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
)

// What Pi sends of an image, and what it tells the model of it.
func TestFitImage(t *testing.T) {
	const (
		tooLarge = "[Image omitted: could not be resized below the inline image size limit.]"
		odd      = "[Image omitted: could not be converted to a supported inline image format.]"
	)
	tests := []struct {
		data, mime string
		as         bool // it is left as large as it is
		want       string
		notes      string
		reason     string
	}{
		{pixel, "image/png", false, "image/png 1x1", "", "it is small enough"},
		{pixel, " Image/JPG ; q=1", false, "image/jpeg 1x1", "", "its type is believed, and written as usual"},
		{"aGk=", "image/png", false, "", tooLarge, "it is broken"},
		{"aGk=", "image/png", true, "image/png", "", "nobody looks"},
		{"aGk=", "image/tiff", true, "", odd, "it cannot be converted"},
		{pixelGIF, "image/x-odd", false, "image/png 1x1", "[Image converted from image/x-odd to image/png.]", ""},
		{blank(t, 2500, 10), "image/png", false, "2000x8", "[Image: original 2500x10, displayed at 2000x8. Multiply coordinates by 1.25 to map to original image.]", "it is too wide"},
		{blank(t, 3, 5000), "image/png", false, "1x2000", "[Image: original 3x5000, displayed at 1x2000. Multiply coordinates by 3.00 to map to original image.]", "it is too high"},
		{blank(t, 2500, 10), "image/png", true, "image/png 2500x10", "", "a setting forbids it"},
		{base64.StdEncoding.EncodeToString([]byte("RIFF0000WEBPVP8 ")), "image/webp", false, "image/webp", "", "taken on trust"},
	}
	for _, tt := range tests {
		data, err := base64.StdEncoding.DecodeString(tt.data)
		if err != nil {
			t.Fatal(err)
		}
		b, notes := fakepi.FitImage(data, tt.mime, !tt.as)
		if got := shown(b); !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
			t.Errorf("%s (%s): got %q, want %q", tt.mime, tt.reason, got, tt.want)
		}
		if diff := cmp.Diff(tt.notes, strings.Join(notes, "|")); diff != "" {
			t.Errorf("%s (%s): notes: -want +got\n%s", tt.mime, tt.reason, diff)
		}
	}
}

// shown is the type and the size of an image.
func shown(b *native.ImageBlock) string {
	if b == nil {
		return ""
	}
	data, _ := base64.StdEncoding.DecodeString(b.Data)
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return b.MimeType
	}
	return fmt.Sprintf("%s %dx%d", b.MimeType, c.Width, c.Height)
}

// blank is a PNG of a size, as base64.
func blank(t *testing.T, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
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
		{`[{"type":"image","data":[1,2],"mimeType":"image/png"}]`, `{"type":"text","text":"hi\n\n[Image omitted: could not be resized below the inline image size limit.]"}`, plain + `,{"type":"image","data":[1,2],"mimeType":"image/png"}`},
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
