// Package apikey defines the format of API keys: their prefixes, and how they are removed from logs.
package apikey

import (
	"regexp"
	"strings"
)

// Keys of an organization begin with Live, those of its sandbox with Test. Both have the same length.
const (
	Live = "ams_live_"
	Test = "ams_test_"
)

// secretPattern finds keys, and the codes and tokens that the MCP service seals them in, whole or cut off.
var secretPattern = regexp.MustCompile(`ams_(live|test|code|access|refresh)_[0-9A-Za-z_-]+`)

// Is says whether a text begins as a key does.
func Is(text string) bool { return strings.HasPrefix(text, Live) || strings.HasPrefix(text, Test) }

// In says whether a text has the beginning of a key in it.
func In(text string) bool { return strings.Contains(text, Live) || strings.Contains(text, Test) }

// Redact takes keys, codes and tokens out of a text that will be logged.
func Redact(text string) string {
	if !strings.Contains(text, "ams_") {
		return text
	}
	return secretPattern.ReplaceAllString(text, "ams_${1}_[redacted]")
}
