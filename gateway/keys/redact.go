package keys

import (
	"regexp"
	"strings"
)

// secretPattern finds keys, and the codes and tokens that the MCP service seals them in.
var secretPattern = regexp.MustCompile(`ams_(live|code|access|refresh)_[0-9A-Za-z_-]+`)

// Redact takes keys, codes and tokens out of a text that will be logged.
func Redact(text string) string {
	if !strings.Contains(text, "ams_") {
		return text
	}
	return secretPattern.ReplaceAllString(text, "ams_${1}_[redacted]")
}

// Quote makes a short text of a caller's safe to repeat to the caller.
func Quote(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:40]) + "…"
	}
	return `"` + strings.ToValidUTF8(Redact(text), "�") + `"`
}
