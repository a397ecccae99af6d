package native_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"fakepi.example/fakepi/native"
)

// mutant draws a recorded record and deforms it as JSON: values of another type, missing,
// doubled and moved keys, foreign spelling.
func mutant(t *rapid.T, lines [][]byte) []byte {
	line := rapid.SampledFrom(lines).Draw(t, "line")
	v, err := native.ParseValue(line)
	if err != nil {
		return line
	}
	for range rapid.IntRange(1, 3).Draw(t, "mutations") {
		v = deform(t, v)
	}
	return spell(t, nil, v)
}

// deform changes one place somewhere in v.
func deform(t *rapid.T, v native.Value) native.Value {
	if rapid.IntRange(0, 3).Draw(t, "here") == 0 {
		return odd(t)
	}
	switch v := v.(type) {
	case native.Object:
		if len(v) == 0 {
			break
		}
		out := append(native.Object{}, v...)
		i := rapid.IntRange(0, len(v)-1).Draw(t, "member")
		switch rapid.IntRange(0, 5).Draw(t, "how") {
		case 0:
			return append(out[:i], out[i+1:]...)
		case 1:
			return append(out, native.Member{Key: v[i].Key, Value: odd(t)})
		case 2:
			return append(append(native.Object{}, out[i:]...), out[:i]...)
		case 3:
			return append(out, native.Member{Key: "unheard-of", Value: odd(t)})
		default:
			out[i].Value = deform(t, v[i].Value)
			return out
		}
	case native.Array:
		if len(v) == 0 {
			break
		}
		out := append(native.Array{}, v...)
		i := rapid.IntRange(0, len(v)-1).Draw(t, "element")
		out[i] = deform(t, v[i])
		return out
	}
	return odd(t)
}

func odd(t *rapid.T) native.Value {
	return rapid.SampledFrom([]native.Value{
		native.Null{}, native.Bool(true), native.Number(1.5), native.Number(-3), native.Number(1e21),
		native.String(""), native.String("stop"), native.String("\xed\xa0\xbd"), native.Array{}, native.Array{native.Number(1)},
		native.Object{}, native.Object{{Key: "type", Value: native.String("text")}},
	}).Draw(t, "odd")
}

// spell writes v as another JSON writer might: with spaces and needless escapes.
func spell(t *rapid.T, dst []byte, v native.Value) []byte {
	gap := func() {
		if rapid.IntRange(0, 60).Draw(t, "gap") == 0 {
			dst = append(dst, " \t"...)
		}
	}
	switch v := v.(type) {
	case native.Object:
		dst = append(dst, '{')
		for i, m := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			gap()
			dst = append(spellString(t, dst, m.Key), ':')
			gap()
			dst = spell(t, dst, m.Value)
		}
		return append(dst, '}')
	case native.Array:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			gap()
			dst = spell(t, dst, e)
		}
		return append(dst, ']')
	case native.String:
		return spellString(t, dst, string(v))
	}
	return native.AppendValue(dst, v)
}

func spellString(t *rapid.T, dst []byte, s string) []byte {
	if s == "" || s[0] < 'a' || s[0] > 'z' || rapid.IntRange(0, 60).Draw(t, "escape") != 0 {
		return native.AppendString(dst, s)
	}
	const hex = "0123456789ABCDEF"
	dst = append(dst, '"', '\\', 'u', '0', '0', hex[s[0]>>4], hex[s[0]&15])
	return append(dst, native.AppendString(nil, s[1:])[1:]...)
}

// short leaves out the long lines, which would slow the search down.
func short(lines [][]byte) (out [][]byte) {
	for _, line := range lines {
		if len(line) < 1500 {
			out = append(out, line)
		}
	}
	return out
}

func TestSkimAgreesWithDecoderOnMutants(t *testing.T) {
	eachDialect(t, func(t *testing.T, codec native.Codec) {
		lines := short(recordedLines(t, codec))
		rapid.Check(t, func(rt *rapid.T) { agree(t, codec, mutant(rt, lines)) })
	})
}

// TestDecodingIsLossless: whatever deviates from the dialect, decoding and encoding give
// the same JSON, keys in the same order.
func TestDecodingIsLossless(t *testing.T) {
	lines := short(recordedLines(t, nil))
	eachDialect(t, func(t *testing.T, codec native.Codec) {
		rapid.Check(t, func(rt *rapid.T) { lossless(t, codec, mutant(rt, lines)) })
	})
}

func FuzzDecodingIsLossless(f *testing.F) {
	for _, c := range hostile {
		if len(c.line) < native.MaxDepth {
			f.Add([]byte(c.line))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, d := range dialects {
			lossless(t, d.codec, line)
		}
	})
}

func lossless(t *testing.T, codec native.Codec, line []byte) {
	t.Helper()
	record, err := codec.Decode(line)
	if err != nil {
		return
	}
	got, err := codec.Append(nil, record)
	if err != nil {
		t.Fatalf("%v\nof %q", err, line)
	}
	v, err := native.ParseValue(line)
	if err != nil {
		t.Fatal(err)
	}
	if want := native.AppendValue(nil, v); !bytes.Equal(got, want) {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
}
