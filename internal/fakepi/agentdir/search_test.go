package agentdir_test

import (
	stdcmp "cmp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/agentdir"
)

// someModels are those of the table below.
var someModels = []native.Model{
	{Provider: "fake", ID: "aqq"}, {Provider: "fake", ID: "bqd", Name: "Bee"}, {Provider: "fake", ID: "bqe"},
	{Provider: "fake", ID: "bqf-20250101"}, {Provider: "fake", ID: "x/yq"},
	{Provider: "Other", ID: "aqq"}, {Provider: "Other", ID: "oqq"}, {Provider: "Other", ID: "oqq-20240101"},
}

// Between which models a session changes: as the real Pi of each version was seen to do it.
func TestScope(t *testing.T) {
	tests := []struct {
		patterns, want, pi073 string // provider/id:level
		warning, warning073   string // "-": none
	}{
		{patterns: "bqd,other/oqq:high", want: "fake/bqd: Other/oqq:high"},
		{patterns: "bqd,bqd", want: "fake/bqd:"},
		{patterns: "bqd,aqq", want: "fake/bqd: fake/aqq: Other/aqq:", pi073: "fake/bqd: fake/aqq:", warning: `Pattern "aqq" matches several providers: fake, Other. Use provider/id to choose one.`, warning073: "-"},
		{patterns: "other/*:low,*q?", want: "Other/aqq:low Other/oqq:low Other/oqq-20240101:low fake/aqq: fake/bqd: fake/bqe:"},
		{patterns: "zz*", warning: `No models match pattern "zz*"`},
		{patterns: "bqd:bogus", want: "fake/bqd:", warning: `Invalid thinking level "bogus" in pattern "bqd:bogus". Using default instead.`},
	}
	for _, tt := range tests {
		for _, dialect := range []native.Dialect{native.Pi16, native.Pi073} {
			want, warning := tt.want, tt.warning
			if dialect == native.Pi073 {
				want, warning = stdcmp.Or(tt.pi073, want), strings.TrimPrefix(stdcmp.Or(tt.warning073, warning), "-")
			}
			scope, warnings := agentdir.Search{Dialect: dialect}.Scope(strings.Split(tt.patterns, ","), someModels)
			if diff := cmp.Diff([]string{want, warning}, []string{scopeText(scope), strings.Join(warnings, "\n")}); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", tt.patterns, dialect, diff)
			}
		}
	}
}

func scopeText(scope []fakepi.ScopedModel) string {
	var words []string
	for _, s := range scope {
		words = append(words, s.Provider+"/"+s.ID+":"+s.Level)
	}
	return strings.Join(words, " ")
}
