package main

import (
	"fmt"
	"os"
	"strings"

	"fakepi.example/fakepi"
)

// systemPrompt is what the command line says of the system prompt, with the files that it names in their places. One that
// cannot be read stays a name, with a warning.
func (o *options) systemPrompt() fakepi.SystemPrompt {
	p := fakepi.SystemPrompt{Own: promptText(o.system.Own, "system prompt")}
	for _, text := range o.system.Added {
		if text != "" {
			p.Added = append(p.Added, promptText(text, "append system prompt"))
		}
	}
	return p
}

func promptText(text, what string) string {
	if _, err := os.Stat(text); err != nil {
		return text
	}
	data, err := os.ReadFile(text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "Warning: Could not read %s file %s: Error: %s\n", what, text, nodeWords(err))
		return text
	}
	return strings.TrimPrefix(string(data), "\ufeff")
}
