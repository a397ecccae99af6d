package fakepi

import (
	"encoding/hex"
	"time"
)

// ids makes every identifier of one worker from its seed, so that one seed gives one history.
type ids struct {
	state   uint64 // splitmix64
	entries uint32 // entry ids handed out
	keys    [2]uint32
}

func newIDs(seed uint64) ids {
	s := ids{state: seed}
	k := s.next()
	s.keys = [2]uint32{uint32(k), uint32(k >> 32)}
	return s
}

func (s *ids) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// session returns a UUIDv7: milliseconds since 1970, then random bits (docs/pi-formats.md, section 5).
func (s *ids) session(at time.Time) string {
	hi := uint64(at.UnixMilli())<<16 | 0x7000 | s.next()&0x0fff
	return uuid(hi, s.next()&^(3<<62)|2<<62)
}

// request returns a UUIDv4, as the requests of extensions have.
func (s *ids) request() string {
	hi := s.next()&^0xf000 | 0x4000
	return uuid(hi, s.next()&^(3<<62)|2<<62)
}

// entry returns 8 hex digits, unique in the session file: a keyed permutation of a counter.
func (s *ids) entry() string {
	x := s.entries
	s.entries++
	for range 3 {
		x = (x ^ s.keys[0]) * 0x9e3779b1
		x ^= x >> 15
		x = (x ^ s.keys[1]) * 0x85ebca77
		x ^= x >> 13
	}
	return hex.EncodeToString([]byte{byte(x >> 24), byte(x >> 16), byte(x >> 8), byte(x)})
}

// word returns prefix and n letters or digits, as providers name calls and responses.
func (s *ids) word(prefix string, n int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, 0, len(prefix)+n)
	b = append(b, prefix...)
	for range n {
		b = append(b, alphabet[s.next()%uint64(len(alphabet))])
	}
	return string(b)
}

func uuid(hi, lo uint64) string {
	var b [16]byte
	for i := range 8 {
		b[i] = byte(hi >> (56 - 8*i))
		b[8+i] = byte(lo >> (56 - 8*i))
	}
	x := hex.EncodeToString(b[:])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}
