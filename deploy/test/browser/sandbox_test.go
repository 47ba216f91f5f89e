package browser

import (
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// An Administrator makes the sandbox, makes a key in it, uses the key, and empties the sandbox. The organization's own records stay.
func TestTheSandboxIsMadeUsedAndEmptied(t *testing.T) {
	for _, test := range fewerByDay([]struct {
		organization, language, none, made, keys, word, refused, emptying, emptied, trail string
		look                                                                              look
	}{
		{board, "en", "There is no sandbox yet", "The sandbox is made", "Test keys", "empty", "Type EMPTY", "is being emptied", "Last emptied",
			"emptied the sandbox of", desk},
		{city, "fr", "Il n’y a pas encore de bac à sable", "Le bac à sable est créé", "Clés de test", "Vider", "Tapez VIDER",
			"en train d’être vidé", "Vidé la dernière fois", "a vidé le bac à sable de", phone},
	}) {
		t.Run(test.language, func(t *testing.T) {
			b := administrator(t, test.organization, test.language, test.look)
			live := b.makeKey("Live beside the sandbox", "sites:read", "sites:write")
			call(t, "POST", "/v1/sites", live, map[string]any{"name": "Live"})
			b.visit("/settings/sandbox")
			b.sees(test.none)
			b.accessible()
			b.picture("sandbox-none")
			b.press("main form button.primary")
			b.sees(test.made, "(test)")
			b.accessible()
			b.picture("sandbox")

			b.press(`a[href="/settings/sandbox/keys"]`)
			b.sees(test.keys)
			b.press(`a[href="/settings/sandbox/keys/new"]`)
			b.fill("#name", "CI")
			b.tick("#scope-sites-read")
			b.tick("#scope-sites-write")
			b.press("#create")
			value := b.text("#key-value")
			b.accessible()
			if !strings.HasPrefix(value, "ams_test_") || len(value) != 58 {
				t.Fatalf("the page shows no test key but %q", value)
			}
			if status, code := call(t, "POST", "/v1/sites", value, map[string]any{"name": "Essai"}); status != 201 {
				t.Fatalf("the test key is refused: %d %s", status, code)
			}
			b.visit("/settings/sandbox/keys")
			b.sees("CI", "ams_test_", "sites:write")
			b.accessible()
			b.picture("sandbox-keys")
			b.visit("/settings/keys")
			if strings.Contains(b.words(), "ams_test_") {
				t.Error("the test key stands among the live ones")
			}
			b.visit("/settings/sandbox/audit")
			b.sees("Essai")

			b.visit("/settings/sandbox/empty")
			b.press("main form button.danger")
			b.sees(test.refused)
			b.accessible()
			b.picture("sandbox-empty")
			b.fill("#word", test.word)
			b.press("main form button.danger")
			b.sees(test.emptying)
			testwait.For(t, 60*time.Second, "the sandbox is empty", func() bool {
				b.visit("/settings/sandbox")
				return strings.Contains(b.words(), test.emptied)
			})
			b.picture("sandbox-emptied")
			if status, code := call(t, "POST", "/v1/sites", value, map[string]any{"name": "Essai", "code": "SITE-0001"}); status != 201 {
				t.Errorf("after it was emptied: %d %s", status, code)
			}
			if status, code := call(t, "POST", "/v1/sites", live, map[string]any{"name": "Live"}); status != 409 {
				t.Errorf("the organization's own site is gone: %d %s", status, code)
			}
			b.visit("/settings/audit")
			b.sees(test.trail)
			nowhere(t, b, value)
		})
	}
}
