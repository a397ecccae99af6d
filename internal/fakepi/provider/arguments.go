package provider

import (
	"time"

	"fakepi.example/fakepi/native"
)

// Arguments makes a tool's arguments from the one text that a script gives; without it there are none. timeout is what
// the call asks for; 0: nothing.
func Arguments(tool, command string, timeout time.Duration) native.Value {
	if command == "" {
		return native.Object{}
	}
	str := func(key, value string) native.Member { return native.Member{Key: key, Value: native.String(value)} }
	switch tool {
	case "bash":
		o := native.Object{str("command", command)}
		if timeout > 0 {
			o = append(o, native.Member{Key: "timeout", Value: native.Number(timeout.Seconds())})
		}
		return o
	case "read":
		return native.Object{str("path", command)}
	case "write":
		return native.Object{str("path", command), str("content", "done\n")}
	case "edit":
		edit := native.Object{str("oldText", "todo"), str("newText", "done")}
		return native.Object{str("path", command), {Key: "edits", Value: native.Array{edit}}}
	}
	return native.Object{str("input", command)}
}
