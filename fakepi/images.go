package fakepi

import (
	"encoding/base64"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// Image is the block of an image that goes along with a prompt. Its type is written as usual; the image is passed through
// as it is, however large (docs/pi-formats.md, section 6).
func Image(data []byte, mime string) *native.ImageBlock {
	mime, _, _ = strings.Cut(mime, ";")
	mime = strings.ToLower(javascript.Trim(mime))
	if mime == "image/jpg" {
		mime = "image/jpeg"
	}
	return &native.ImageBlock{Data: base64.StdEncoding.EncodeToString(data), MimeType: mime}
}
