package native

// UIRequest is an extension's request to the user interface (docs/pi-formats.md, section
// 7). Which fields are set follows from Method.
type UIRequest struct {
	ID              string
	Method          string // see [ParseMethod]
	Title           Opt[string]
	Options         []string // nil when absent
	Message         Opt[string]
	NotifyType      Opt[string]
	Placeholder     Opt[string]
	Prefill         Opt[string]
	StatusKey       Opt[string]
	StatusText      Opt[string]
	WidgetKey       Opt[string]
	WidgetLines     []string // nil when absent
	WidgetPlacement Opt[string]
	Text            Opt[string]
	Timeout         Opt[float64] // ms
	Odd             *Odd
}

// UIResponse is the user's answer on stdin; Pi never confirms it. One of Value, Confirmed
// and Cancelled is set.
type UIResponse struct {
	ID        string
	Value     Opt[string]
	Confirmed Opt[bool]
	Cancelled Opt[bool]
	Odd       *Odd
}

func (*UIRequest) Type() string  { return "extension_ui_request" }
func (*UIResponse) Type() string { return "extension_ui_response" }

func (*UIRequest) record()  {}
func (*UIResponse) record() {}
