package browser

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"ams.internal/libs/testnight"
)

// In two forms each language, width and light is seen; at night in all five.
func TestEveryPageIsAccessibleInBothLanguagesAndWidths(t *testing.T) {
	type form struct {
		name, organization, language string
		look                         look
	}
	forms := []form{{"English desk", board, "en", desk}, {"français nuit", city, "fr", look{width: 390, height: 844, dark: true}}}
	if testnight.Long {
		forms = append(forms, form{"English night", board, "en", night}, form{"français téléphone", city, "fr", phone},
			form{"English phone", board, "en", phone})
	}
	for _, test := range forms {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			anonymous := open(t, test.look)
			for _, path := range []string{"/settings/sign-in", "/settings/welcome", "/settings/nowhere"} {
				anonymous.visit(path)
				anonymous.speak(test.language)
				anonymous.visit(path)
				anonymous.accessible()
				anonymous.picture(path[len("/settings/"):])
			}
			anonymous.visit("/settings/sign-in")
			anonymous.press("main button[type=submit]")
			anonymous.accessible()

			b := administrator(t, test.organization, test.language, test.look)
			b.accessible()
			b.makeKey("Accessible", "assets:read")
			b.accessible()
			b.visit("/settings/keys")
			key := evaluate(b, chromedp.Evaluate[string](`document.querySelector('a[href^="/settings/keys/0"]').getAttribute("href")`))
			for _, path := range []string{key, key + "/replace", key + "/revoke", "/settings/keys", "/settings/keys/new", "/settings/audit",
				"/settings/audit?from=x&to=y&record=z",
				"/settings/assistants", "/settings/usage", "/settings/storage", "/settings/search?q=pompe", "/settings/plan", "/settings/members",
				"/settings/members/invite", "/settings/organization", "/settings/account", "/settings/keys/none"} {
				b.visit(path)
				b.accessible()
				b.picture(strings.NewReplacer(key, "key", "/settings/", "", "?", "-").Replace(path))
			}
			endpoint, _ := b.addEndpoint(newReceiver(t).server.URL+"/accessible", "Accessible", "site-all", "asset-all")
			b.accessible()
			b.press(`form[action$="/test"] button`)
			b.accessible()
			b.picture("delivery")
			for _, path := range []string{"/settings/webhooks", "/settings/webhooks/new", endpoint, endpoint + "/edit", endpoint + "/rotate",
				endpoint + "/delete", endpoint + "/deliveries",
				endpoint + "/deliveries?from=x&record=z", endpoint + "/replay"} {
				b.visit(path)
				b.run(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach(d => { d.open = true; })`))
				b.accessible()
				b.picture(strings.NewReplacer(endpoint, "webhook", "/settings/", "", "?", "-").Replace(path))
			}
			b.press("main form button.primary")
			b.accessible()
			b.picture("webhook-replay-progress")
			b.visit(endpoint + "/delete")
			b.press("main form button.danger")
			b.visit("/settings/members")
			b.visit(evaluate(b, chromedp.Evaluate[string](`document.querySelector('main a[href$="/suspend"]').getAttribute("href")`)))
			b.accessible()
			b.invite("Zoé "+test.name, fmt.Sprintf("zoe-%d@example.ca", time.Now().UnixNano()), "viewer", "fr-CA")
			b.accessible()
			if test.look.width == phone.width && strings.Contains(b.words(), "{{") {
				t.Error("a template shows through")
			}
		})
	}
}

func TestAKeyIsMadeAndRevokedWithTheKeyboardAlone(t *testing.T) {
	b := open(t, desk)
	of := organization(t, board)
	b.visit("/settings/sign-in")
	b.tabTo("#email")
	b.types(of.Administrator.Email)
	b.tabTo("#password")
	b.types(of.Administrator.Password)
	b.enter()
	b.tabTo(`a[href="/settings/keys/new"]`)
	b.enter()
	b.tabTo("#name")
	b.types("By keyboard")
	b.tabTo("#scope-sites-read")
	b.types(" ")
	b.tabTo("#create")
	b.enter()
	value := b.text("#key-value")
	b.tabTo(`[data-copy=key-value]`)
	b.types(kb.Enter)
	b.run(chromedp.Poll[chromedp.Void](`document.querySelector("[data-copy=key-value]").innerText.includes("Copied") && ` +
		`document.querySelector("#announcer").textContent === "Copied"`))
	answers := func(status int) {
		t.Helper()
		if got, _ := call(t, "GET", "/v1/sites", value, nil); got != status {
			t.Errorf("the API answers %d, want %d", got, status)
		}
	}
	answers(200)
	b.tabTo(`main .actions a`)
	b.enter()
	b.tabTo(`main li h3 a`)
	b.enter()
	b.tabTo(`a[href$="/revoke"]`)
	b.enter()
	b.tabTo(`main form button.danger`)
	b.enter()
	answers(401)
}

// tabTo presses the Tab key until an element has the focus, as somebody without a mouse does.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	for range 200 {
		if evaluate(b, chromedp.Evaluate[bool](`document.activeElement === document.querySelector(`+"`"+selector+"`"+`)`)) {
			if !evaluate(b, chromedp.Evaluate[bool](`document.activeElement.matches(":focus-visible")`)) {
				b.t.Errorf("%s has the focus, and nobody can see it", selector)
			}
			return
		}
		b.types(kb.Tab)
	}
	b.picture("failed")
	b.t.Fatalf("the Tab key never reaches %s at %s", selector, b.address())
}

func (b *tab) types(keys string) {
	b.t.Helper()
	b.run(chromedp.KeyEvent(keys))
}

// enter presses the Enter key and waits for the next page.
func (b *tab) enter() {
	b.t.Helper()
	ctx, cancel := b.limited()
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, chromedp.KeyEvent(kb.Enter)); err != nil {
		b.t.Fatalf("Enter at %s: %v", b.address(), err)
	}
}

func TestUsageIsDrawnAndTheTrailIsExported(t *testing.T) {
	b := administrator(t, city, "en", desk)
	value := b.makeKey("Drawn", "sites:read", "sites:write")
	for range 30 {
		call(t, "GET", "/v1/sites", value, nil)
	}
	for range 7 {
		call(t, "GET", "/v1/assets", value, nil) // 403: an error
	}
	call(t, "POST", "/v1/sites", value, map[string]any{"name": "=Entrepôt"})
	for deadline := time.Now().Add(25 * time.Second); ; time.Sleep(time.Second) {
		b.visit("/settings/usage?days=7")
		if strings.Contains(b.words(), "Drawn\t38\t7\t0") || time.Now().After(deadline) {
			break
		}
	}
	b.sees("Drawn\t38\t7\t0")
	if bars := evaluate(b, chromedp.Evaluate[int](`document.querySelectorAll("svg rect.answered, svg rect.errors").length`)); bars < 2 {
		t.Errorf("the chart has %d parts", bars)
	}
	b.accessible()
	b.picture("usage")
	b.visit("/settings/keys")
	b.sees("Last used")

	p := signedIn(t, city)
	entries, err := csv.NewReader(strings.NewReader(p.trail())).ReadAll()
	if err != nil || len(entries) < 5 {
		t.Fatalf("the export has %d lines: %v", len(entries), err)
	}
	found := map[string]bool{}
	for _, entry := range entries[1:] {
		found[entry[4]] = true
		if entry[4] == "site.created" && strings.Contains(entry[7], "Entrepôt") {
			if entry[3] != "Drawn" || entry[1] != "api_key" || !strings.HasPrefix(entry[7], "'=") || entry[8] == "" || entry[9] == "" {
				t.Errorf("the write through the API stands there as %q", entry)
			}
			found["it"] = true
		}
	}
	for _, action := range []string{"key.created", "user.signed_in", "site.created", "it"} {
		if !found[action] {
			t.Errorf("the export has no %s", action)
		}
	}
	b.visit("/settings/audit")
	b.fill("#from", time.Now().AddDate(0, 0, 2).Format(time.DateOnly))
	b.press("form.filter button")
	b.sees("Nothing was found.")
}
