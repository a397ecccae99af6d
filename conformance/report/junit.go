package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"fakepi.example/conformance"
)

// junitSuite is a family of cases, as CI systems read it.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Error   *junitMessage `xml:"error,omitempty"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the report in the XML that CI systems read: a suite for each family, a test for each case. What fails says which
// requirement is broken and how to play it again; a warning or a known failure is output of a test that passes.
func (r Report) JUnit(w io.Writer) error {
	var suites []*junitSuite
	at := map[string]*junitSuite{}
	for i := range r.Result.Cases {
		c := &r.Result.Cases[i]
		s := at[c.Family]
		if s == nil {
			s = &junitSuite{Name: r.Result.Subject + " " + r.Result.Dialect + " " + c.Family}
			at[c.Family] = s
			suites = append(suites, s)
		}
		s.add(r.junitCase(c))
	}
	for _, k := range r.Result.Stale {
		s := &junitSuite{Name: "known failures"}
		s.add(junitCase{Class: "known", Name: k.Case + " " + k.Requirement, Failure: &junitMessage{
			Message: "listed as a known failure, and no longer fails; remove it from the list",
		}})
		suites = append(suites, s)
	}
	doc := struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []*junitSuite
	}{Suites: suites}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func (r Report) junitCase(c *conformance.CaseResult) junitCase {
	test := junitCase{Class: c.Family, Name: c.ID}
	text := r.junitText(c)
	switch c.Status {
	case conformance.Fail:
		test.Failure = &junitMessage{Message: broken(c), Text: text}
	case conformance.Untestable, conformance.HarnessError:
		test.Error = &junitMessage{Message: c.Reason, Text: text}
	case conformance.NotApplicable, conformance.Inconclusive:
		test.Skipped = &junitMessage{Message: c.Reason}
	default:
		test.Output = text
	}
	return test
}

// broken names the requirements that a case has broken.
func broken(c *conformance.CaseResult) string {
	var ids []string
	for i := range c.Failures {
		ids = append(ids, c.Failures[i].Requirement)
	}
	return strings.Join(ids, ", ")
}

func (r Report) junitText(c *conformance.CaseResult) string {
	var b strings.Builder
	for i := range c.Failures {
		f := &c.Failures[i]
		fmt.Fprintf(&b, "%s: expected %s, got %s\n", f.Requirement, f.Expected, f.Actual)
		if f.Token != "" {
			fmt.Fprintf(&b, "%s\n", replayLine(f.Token))
		}
	}
	return b.String()
}
