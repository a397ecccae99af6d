package model_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/benbjohnson/clock"

	"fakepi.example/internal/fakepi/model"
)

// BenchmarkServe streams replies of 10,000 chunks over a loopback connection.
func BenchmarkServe(b *testing.B) {
	const chunks = 10_000
	for _, form := range []struct{ name, path string }{{"openai", openAIPath}, {"anthropic", anthropicPath}} {
		b.Run(form.name, func(b *testing.B) {
			reply := compile(b, fmt.Sprintf("0s prompt \"x\"\n+0s says \"some words of a reply \" chunks %d\n+0s settles", chunks))[0]
			reply.Rest = true
			l, err := model.Listen("127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			go model.NewServer([]model.Reply{reply}, clock.New(), nil).Serve(b.Context(), l)
			url, body := "http://"+l.Addr().String()+form.path, request("x")
			for b.Loop() {
				resp, err := http.Post(url, "application/json", strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
			b.ReportMetric(float64(b.N*chunks)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
