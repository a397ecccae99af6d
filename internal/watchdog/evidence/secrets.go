package evidence

import (
	"regexp"
	"strings"
)

// secrets find what a text may give away: credentials in a URL, an authorization header, a password or token.
var secrets = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(://)[^/\s"']*@`), "${1}***@"},
	{regexp.MustCompile(`(?i)(authorization["']?\s*[:=]\s*)[^"'\r\n]*`), "${1}***"},
	{regexp.MustCompile(`(?i)([a-z0-9_.-]*(?:extraheader|passw(?:or)?d|passphrase|token|secret|api[-_]?key)["']?\s*[=:]\s*)[^\s"']+[^\r\n]*`), "${1}***"},
	{regexp.MustCompile(`(?i)(--[a-z-]*(?:passw(?:or)?d|token|secret|api-?key)\s+)\S+`), "${1}***"},
}

// Masked takes credentials out of a text that is printed or stored.
func Masked(s string) string {
	for _, secret := range secrets {
		s = secret.find.ReplaceAllString(s, secret.with)
	}
	return s
}

// maskedURLs takes the credentials of URLs out of a file of git's, line by line, and leaves all other bytes.
func maskedURLs(data []byte) []byte { return secrets[0].find.ReplaceAll(data, []byte(secrets[0].with)) }

// maskedArguments takes credentials out of a command line.
func maskedArguments(args []string) []string {
	list := make([]string, len(args))
	for i, arg := range args {
		list[i] = Masked(arg)
		if i > 0 && strings.HasPrefix(args[i-1], "-") && list[i] == arg && Masked(args[i-1]+" "+arg) != args[i-1]+" "+arg {
			list[i] = "***"
		}
	}
	return list
}
