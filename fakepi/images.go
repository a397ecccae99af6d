package fakepi

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif" // so that it is decoded
	"image/jpeg"
	"image/png"
	"math"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// What Pi sends an image with at most; a larger one it makes smaller.
const (
	mostPixels = 2000              // a side
	mostBase64 = 4.5 * 1024 * 1024 // bytes
)

// tooManyPixels is what is not decoded here at all.
const tooManyPixels = 100 << 20

// What stands for an image that does not go along.
const (
	imageTooLarge = "[Image omitted: could not be resized below the inline image size limit.]"
	imageOdd      = "[Image omitted: could not be converted to a supported inline image format.]"
)

// FitImage makes of an image what Pi sends: the image itself if it is a sound PNG, JPEG, GIF or WebP that is small enough,
// otherwise one that was converted or made smaller, or none. The notes are what Pi then tells the model. What is made anew
// has not the bytes of Pi's; a WebP is taken on trust (docs/pi-formats.md, section 6).
func FitImage(data []byte, mime string, resize bool) (b *native.ImageBlock, notes []string) {
	mime = strings.ToLower(javascript.Trim(beforeSemicolon(mime)))
	known := knownImage(mime)
	if known == "" {
		picture, ok := decodeImage(data)
		if !ok {
			return nil, []string{imageOdd}
		}
		notes = append(notes, "[Image converted from "+mime+" to image/png.]")
		data, known = encodePNG(picture), "image/png"
	}
	b = &native.ImageBlock{Data: base64.StdEncoding.EncodeToString(data), MimeType: known}
	if !resize || isWebP(data) {
		return b, notes
	}
	picture, ok := decodeImage(data)
	if !ok {
		return nil, []string{imageTooLarge}
	}
	size := picture.Bounds()
	if size.Dx() <= mostPixels && size.Dy() <= mostPixels && len(b.Data) < mostBase64 {
		return b, notes
	}
	small, ok := shrink(picture)
	if !ok {
		return nil, []string{imageTooLarge}
	}
	return small.ImageBlock, append(notes, fmt.Sprintf(
		"[Image: original %dx%d, displayed at %dx%d. Multiply coordinates by %.2f to map to original image.]",
		size.Dx(), size.Dy(), small.width, small.height, float64(size.Dx())/float64(small.width)))
}

func beforeSemicolon(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return s
}

// knownImage is the type as which Pi sends images of a type, empty if it converts them.
func knownImage(mime string) string {
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return mime
	case "image/jpg":
		return "image/jpeg"
	}
	return ""
}

func isWebP(data []byte) bool {
	return len(data) >= 12 && bytes.HasPrefix(data, []byte("RIFF")) && string(data[8:12]) == "WEBP"
}

func decodeImage(data []byte) (image.Image, bool) {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width*c.Height > tooManyPixels {
		return nil, false
	}
	picture, _, err := image.Decode(bytes.NewReader(data))
	return picture, err == nil
}

// smallImage is an image that was made smaller.
type smallImage struct {
	*native.ImageBlock
	width, height int
}

// shrink makes an image small enough, as Pi tries it: with its longer side at the limit, then with three quarters of that
// and so on, as a PNG or as a JPEG of ever less quality.
func shrink(picture image.Image) (smallImage, bool) {
	width, height := float64(picture.Bounds().Dx()), float64(picture.Bounds().Dy())
	if width > mostPixels {
		width, height = mostPixels, math.Round(height*mostPixels/width)
	}
	if height > mostPixels {
		width, height = math.Round(width*mostPixels/height), mostPixels
	}
	for {
		width, height = max(1, math.Floor(width)), max(1, math.Floor(height))
		scaled := scale(picture, int(width), int(height))
		if b := encodeSmall(scaled); b != nil {
			return smallImage{b, int(width), int(height)}, true
		}
		if width == 1 && height == 1 {
			return smallImage{}, false
		}
		width, height = width*0.75, height*0.75
	}
}

// encodeSmall encodes an image small enough; nil if it cannot be.
func encodeSmall(picture image.Image) *native.ImageBlock {
	asPNG := &native.ImageBlock{Data: base64.StdEncoding.EncodeToString(encodePNG(picture)), MimeType: "image/png"}
	first := encodeJPEG(picture, 80)
	candidates := []*native.ImageBlock{asPNG, first}
	if len(first.Data) < len(asPNG.Data) {
		candidates = []*native.ImageBlock{first, asPNG}
	}
	for _, quality := range []int{85, 70, 55, 40} {
		for _, b := range candidates {
			if len(b.Data) < mostBase64 {
				return b
			}
		}
		candidates = []*native.ImageBlock{encodeJPEG(picture, quality)}
	}
	if len(candidates[0].Data) < mostBase64 {
		return candidates[0]
	}
	return nil
}

// scale takes the nearest pixel for each.
func scale(from image.Image, width, height int) image.Image {
	to, b := image.NewNRGBA(image.Rect(0, 0, width, height)), from.Bounds()
	for y := range height {
		for x := range width {
			to.Set(x, y, from.At(b.Min.X+x*b.Dx()/width, b.Min.Y+y*b.Dy()/height))
		}
	}
	return to
}

func encodePNG(picture image.Image) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, picture) // of what was decoded, to memory
	return b.Bytes()
}

func encodeJPEG(picture image.Image, quality int) *native.ImageBlock {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, picture, &jpeg.Options{Quality: quality})
	return &native.ImageBlock{Data: base64.StdEncoding.EncodeToString(b.Bytes()), MimeType: "image/jpeg"}
}
