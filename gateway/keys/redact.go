package keys

import (
	"strings"

	"ams.internal/libs/apikey"
)

// Redact takes keys, codes and tokens out of a text that will be logged.
func Redact(text string) string { return apikey.Redact(text) }

// Quote makes a short text of a caller's safe to repeat to the caller.
func Quote(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:40]) + "…"
	}
	return `"` + strings.ToValidUTF8(Redact(text), "�") + `"`
}
