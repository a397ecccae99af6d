package calibrate

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// The size of a plot, in units of its own.
const (
	plotWidth  = 640
	plotHeight = 200
)

// plot is one limit as the page draws it.
type plot struct {
	Proposal
	Title           string
	Value, InForce  string
	Curve           string // an SVG path: the share of spans that last longer, over the time on a logarithmic axis
	Band            string // its interval
	ValueX, ForceX  float64
	HasValue        bool
	Ticks           []tick
	Width, Height   int
	Estimate, Upper string
}

type tick struct {
	X    float64
	Text string
}

// Page draws the proposals as one HTML file that needs nothing else.
func Page(proposals []Proposal, recordings int, policy watchdog.Policy) ([]byte, error) {
	var plots []plot
	for _, p := range proposals {
		plots = append(plots, draw(p, policy))
	}
	var out bytes.Buffer
	err := page.Execute(&out, map[string]any{"Recordings": recordings, "Plots": plots})
	return out.Bytes(), err
}

func draw(p Proposal, policy watchdog.Policy) plot {
	l := policy.For("", p.Model, p.Tool)
	force := inForce(&l, p.Limit)
	g := plot{
		Proposal: p, Title: string(p.Limit), InForce: show(force), Width: plotWidth, Height: plotHeight, HasValue: p.Value > 0,
		Value: show(p.Value), Estimate: show(p.At), Upper: show(p.High),
	}
	if p.Model+p.Tool != "" {
		g.Title += " of " + p.Model + p.Tool
	}
	low, high := time.Millisecond, max(p.Longest, force, p.Value, time.Second)
	x := func(d time.Duration) float64 {
		d = max(d, low)
		return round(plotWidth * math.Log(float64(d)/float64(low)) / math.Log(1.2*float64(high)/float64(low)))
	}
	y := func(share float64) float64 { return round(plotHeight * (1 - share)) }
	g.ValueX, g.ForceX = x(p.Value), x(force)
	for _, t := range []time.Duration{
		time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 10 * time.Hour,
	} {
		if t <= high {
			g.Ticks = append(g.Ticks, tick{x(t), show(t)})
		}
	}
	var line, upper, lower strings.Builder
	fmt.Fprintf(&line, "M0 0")
	fmt.Fprintf(&upper, "M0 0")
	var back []string
	lastLow := y(1)
	for _, c := range p.curve.points {
		fmt.Fprintf(&line, "H%vV%v", x(c.at), y(c.share))
		fmt.Fprintf(&upper, "H%vV%v", x(c.at), y(c.likely))
		back = append(back, fmt.Sprintf("L%v %vL%v %v", x(c.at), y(c.lowest), x(c.at), lastLow))
		lastLow = y(c.lowest)
	}
	if n := len(p.curve.points); n > 0 {
		fmt.Fprintf(&line, "H%v", x(p.Longest))
		fmt.Fprintf(&upper, "H%v", x(p.Longest))
		fmt.Fprintf(&lower, "L%v %v", x(p.Longest), lastLow)
		for i := range back {
			lower.WriteString(back[len(back)-1-i])
		}
		lower.WriteString("Z")
	}
	g.Curve, g.Band = line.String(), upper.String()+lower.String()
	return g
}

func round(f float64) float64 { return math.Round(10*f) / 10 }

// inForce is the value of a limit, or of the one that it follows.
func inForce(l *watchdog.Limits, name watchdog.Limit) time.Duration {
	switch name {
	case watchdog.LimitFirstToken:
		return l.FirstTokenLimit()
	case watchdog.LimitStreamGap:
		return l.StreamGapLimit()
	}
	d, err := time.ParseDuration(l.Get(string(name)))
	if err != nil {
		return 0
	}
	return d
}
