// Package native holds Pi's own formats as typed Go values: the stream events of
// json and rpc mode, RPC commands and responses, extension-UI records and session
// files. One set of values serves every dialect; a dialect (key orders, variants) is
// a folder, pi073 or pi16, that implements [Codec].
//
// Beside the lossless codec stand two readers for a watchdog: [Splitter], which cuts
// bytes into lines, and [Skim], which reads from one line only what matters, without
// allocating.
//
// Strings hold WTF-8: UTF-8 in which a lone surrogate of a JavaScript string is its
// three-byte form (ED A0..BF xx). Concatenation is plain: a high surrogate followed by
// a low one is written as the one character it is.
package native
