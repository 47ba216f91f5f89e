package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func TestAFormComesBackWithWhatWasTypedAndAMessageBesideTheField(t *testing.T) {
	day := func(n int) string { return time.Now().AddDate(0, 0, n).Format(time.DateOnly) }
	english := administrator(t, board, "en", desk)
	french := administrator(t, city, "fr", phone)
	for _, test := range []struct {
		name, field, value string // what is typed instead of something right
		beside, en, fr     string
	}{
		{"no name", "#name", "", "#name-problem", "Enter a name for the key.", "Entrez un nom pour la clé."},
		{"a long name", "#name", strings.Repeat("é", 101), "#name-problem", "at most 100 characters", "100 caractères au plus"},
		{"no scopes", "", "", "#scopes-problem", "Choose at least one thing that the key may do.",
			"Choisissez au moins une chose que la clé permet."},
		{"an expiry in the past", "#expires_on", day(-2), "#expires_on-problem", "Choose a day that is not in the past.",
			"Choisissez un jour qui n’est pas passé."},
		{"an expiry beyond 365 days", "#expires_on", day(368), "#expires_on-problem", "within 365 days", "365 jours"},
		{"limit 0", "#rate_limit", "0", "#rate_limit-problem", "from 1 to 1000", "de 1 à 1000"},
		{"limit 1001", "#rate_limit", "1001", "#rate_limit-problem", "from 1 to 1000", "de 1 à 1000"},
		{"users:read without confirmation", "users-read", "", "#confirm_privacy-problem",
			"Confirm this, or take away users:read, requests:read and *:*.", "Confirmez, ou retirez users:read, requests:read et *:*."},
		{"a CIDR that is none", "#allowed_networks", "203.0.113.0/24\n300.1.2.0/24", "#allowed_networks-problem", "“300.1.2.0/24” is no network.",
			"300.1.2.0/24"},
		{"an address inside a network", "#allowed_networks", "203.0.113.7/24", "#allowed_networks-problem", "203.0.113.7/24", "203.0.113.7/24"},
	} {
		for _, b := range []*tab{english, french} {
			want := test.en
			if b == french {
				want = test.fr
			}
			b.visit("/settings/keys/new")
			b.fill("#name", "Kept name")
			b.fill("#rate_limit", "77")
			if test.beside != "#scopes-problem" {
				b.tick("#scope-sites-read")
			}
			switch {
			case strings.HasPrefix(test.field, "#"):
				b.fill(test.field, test.value)
			case test.field != "":
				b.tick("#scope-" + test.field)
			}
			b.press("#create")
			if shown := strings.ReplaceAll(b.text(test.beside), "\u00a0", " "); !strings.Contains(shown, want) {
				b.t.Errorf("%s: beside the field stands %q, want %q", test.name, shown, want)
			}
			for field, typed := range map[string]string{"#name": "Kept name", "#rate_limit": "77"} {
				if field == test.field {
					typed = test.value
				}
				if kept := evaluate(b, chromedp.Value(chromedp.CSS(field))); kept != typed {
					t.Errorf("%s: %s came back as %q", test.name, field, kept)
				}
			}
			if test.beside != "#scopes-problem" && !evaluate(b, chromedp.Evaluate[bool](`document.querySelector("#scope-sites-read").checked`)) {
				t.Errorf("%s: the scope is not ticked any more", test.name)
			}
			if strings.HasPrefix(test.field, "#") && !evaluate(b, chromedp.Evaluate[bool](`document.querySelector("`+test.field+
				`").getAttribute("aria-invalid") === "true"`)) {
				t.Errorf("%s: the field is not marked as wrong", test.name)
			}
		}
	}
	english.accessible()
	french.accessible()
	english.picture("problem")
	french.picture("problem")
	if body := signedIn(t, board).get("/settings/keys").body; strings.Contains(body, "Kept name") {
		t.Error("a key was made all the same")
	}
}

func TestUsersReadIsConfirmedAndTheConfirmationIsKept(t *testing.T) {
	b := administrator(t, board, "en", desk)
	b.visit("/settings/keys/new")
	b.fill("#name", "Directory")
	b.tick("#scope-users-read")
	b.tick("#confirm_privacy")
	b.press("#create")
	b.visit("/settings/keys")
	b.press(`a[href^="/settings/keys/0"]`)
	b.sees("Personal information confirmed", "Margaret O'Donnell")
}

func TestAPresetFillsInItsScopesAndKeepsTheRest(t *testing.T) {
	b := administrator(t, board, "en", desk)
	b.visit("/settings/keys/new")
	b.fill("#name", "Power BI")
	b.press(`button[name=preset][value=bi]`)
	chosen := evaluate(b,
		chromedp.Evaluate[string](`[...document.querySelectorAll("input[name=scopes]:checked")].map(e => e.value).join(" ")`))
	if !strings.Contains(chosen, "assets:read") || strings.Contains(chosen, "write") || strings.Contains(chosen, "users") ||
		strings.Contains(chosen, "*") {
		t.Errorf("the preset chose %s", chosen)
	}
	if name := evaluate(b, chromedp.Value(chromedp.CSS("#name"))); name != "Power BI" {
		t.Errorf("the name came back as %q", name)
	}
	b.picture("preset")
}
