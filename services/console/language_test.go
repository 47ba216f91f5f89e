package console

import (
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBothLanguagesSayTheSame(t *testing.T) {
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	verbs := regexp.MustCompile(`%(?:\d+)?[a-z]`)
	english, french := all[0].words, all[1].words
	for key, words := range english {
		other, found := french[key]
		if !found {
			t.Errorf("fr.json has no %s", key)
			continue
		}
		if a, b := verbs.FindAllString(words, -1), verbs.FindAllString(other, -1); !slices.Equal(a, b) {
			t.Errorf("%s has %v in English and %v in French", key, a, b)
		}
		if strings.TrimSpace(words) == "" || strings.TrimSpace(other) == "" {
			t.Errorf("%s is empty", key)
		}
	}
	for key := range french {
		if _, found := english[key]; !found {
			t.Errorf("en.json has no %s", key)
		}
	}
}

// Prefixes of message keys that the code completes with a value.
var madeKeys = []string{"action.", "verb.", "record.", "actor.", "done.", "refused.", "state.", "reason.", "member.", "role.",
	"scope.", "group.", "preset.",
	"overlap.", "feature.", "month.", "problem.rule.", "language.", "webhook.state.", "webhook.disabled.", "payload.", "format.",
	"destination.", "origin.", "event.", "event_preset.", "limit.", "organization.month.", "problem.webhook.rule.",
	"delivery.state.", "cause.", "replay.state.", "document_kind.", "organization.renewal_basis."}

func TestEveryWordIsThereAndUsed(t *testing.T) {
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	words := all[0].words
	used := map[string]bool{}
	written := regexp.MustCompile(`\(?(?:\bt|count|\bsay|words\[|\bcount) ?\(?"([a-z_]+(?:\.[a-z_]+)*)"`)
	loose := regexp.MustCompile(`"([a-z_]+(?:\.[a-z_]+)+|product|skip|copy|cancel|clock|sign_out|problems)"`)
	var sources strings.Builder
	files, _ := fs.Glob(texts, "templates/*.html")
	for _, file := range files {
		content, _ := texts.ReadFile(file)
		sources.Write(content)
		for _, found := range written.FindAllStringSubmatch(string(content), -1) {
			key := found[1]
			if _, there := words[key]; !there && words[key+".one"] == "" {
				t.Errorf("%s says %s, which is in no catalogue", file, key)
			}
		}
	}
	for _, content := range goSources(t) {
		sources.WriteString(content)
	}
	for _, found := range loose.FindAllStringSubmatch(sources.String(), -1) {
		used[found[1]] = true
	}
	for _, section := range []string{"keys", "sandbox", "webhooks", "assistants", "audit", "usage", "storage", "search", "plan", "members",
		"organization"} {
		used[section+".title"] = true
	}
	for key := range words {
		base := strings.TrimSuffix(strings.TrimSuffix(key, ".one"), ".other")
		made := slices.ContainsFunc(madeKeys, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
		if !used[key] && !used[base] && !made {
			t.Errorf("%s is said nowhere", key)
		}
	}
}

func TestEveryScopePresetRoleAndFeatureHasWords(t *testing.T) {
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	needed := []string{"scope." + allScopes}
	for _, group := range scopeGroups {
		needed = append(needed, "group."+group.Name)
		for _, resource := range group.Resources {
			needed = append(needed, "scope."+resource+":read", "scope."+resource+":write")
		}
	}
	for _, p := range presets {
		needed = append(needed, "preset."+p.Name)
		for _, scope := range p.scopes {
			needed = append(needed, "scope."+scope)
		}
	}
	for _, role := range roles {
		needed = append(needed, "role."+role)
	}
	for _, feature := range allFeatures {
		needed = append(needed, "feature."+feature, "feature."+feature+".text")
	}
	for _, limit := range limitNames {
		needed = append(needed, "limit."+limit)
	}
	for _, overlap := range overlapChoices {
		needed = append(needed, fmt.Sprintf("overlap.%d", overlap))
	}
	for _, word := range []string{"forged", "administrators", "not_found", "forbidden", "conflict", "invalid", "too_many", "unavailable",
		"internal"} {
		needed = append(needed, "refused."+word+".title", "refused."+word+".text")
	}
	for _, l := range all {
		for _, key := range needed {
			if l.words[key] == "" {
				t.Errorf("%s.json has no %s", l.Code, key)
			}
		}
	}
}

func TestNumbersDaysAndTimesAreWrittenAsEachLanguageDoes(t *testing.T) {
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	english, french := all[0], all[1]
	at := time.Date(2026, 2, 3, 9, 5, 0, 0, time.UTC)
	for got, want := range map[string]string{
		english.number(1234567): "1,234,567", french.number(1234567): "1\u202f234\u202f567",
		english.bytes(1 << 40): "1\u00a0TiB", french.bytes(500 << 30): "500\u00a0Gio", english.bytes(1023): "1023\u00a0B",
		french.bytes(3 << 29): "1,5\u00a0Gio", english.number(999): "999",
		english.moment(at): "3\u00a0Feb\u00a02026, 9:05", french.moment(at): "3\u00a0févr.\u00a02026, 9\u00a0h\u00a005",
		english.count("key.per_minute", 1): "1 request a minute", french.count("key.per_minute",
			0): "0 requête par minute", english.count("key.per_minute", 0): "0 requests a minute",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTheLanguageIsTheUsersAndCanBeSwitched(t *testing.T) {
	f := newFixture(t)
	speaks := func(b *browser, path string) string {
		t.Helper()
		_, rest, _ := strings.Cut(b.get(path).body, `<html lang="`)
		return rest[:2]
	}
	b := f.browser()
	if got := speaks(b, "/settings/sign-in"); got != "en" {
		t.Errorf("without a wish: %s", got)
	}
	b.header.Set("Accept-Language", "fr-CA,fr;q=0.9,en;q=0.5")
	if got := speaks(b, "/settings/sign-in"); got != "fr" {
		t.Errorf("a French browser: %s", got)
	}
	b.signIn("anne@example.ca", password)
	if got := speaks(b, "/settings/keys"); got != "en" {
		t.Errorf("Anne reads English, and is shown %s", got)
	}
	b.post("/settings/language", url.Values{"language": {"fr"}, "path": {"/settings/plan"}})
	if got := speaks(b, "/settings/plan"); got != "fr" {
		t.Errorf("switched: %s", got)
	}
	b.post("/settings/sign-out", nil)
	b.header.Del("Accept-Language")
	if got := speaks(b, "/settings/sign-in"); got != "fr" {
		t.Errorf("after signing out: %s", got)
	}
	b.signIn("anne@example.ca", password)
	if got := speaks(b, "/settings/keys"); got != "en" {
		t.Errorf("the next session: %s", got)
	}
	marcs := f.browser()
	if resp := marcs.signIn("marc@example.ca", password); resp.status != http.StatusSeeOther {
		t.Fatal(resp.status)
	}
	if got := speaks(marcs, "/settings/account"); got != "fr" {
		t.Errorf("Marc reads French, and is shown %s", got)
	}
	chosen := f.browser()
	chosen.post("/settings/language", url.Values{"language": {"fr"}})
	chosen.signIn("anne@example.ca", password)
	if got := speaks(chosen, "/settings/keys"); got != "fr" {
		t.Errorf("chosen before signing in: %s", got)
	}
}

func TestTheAppearanceIsKeptInTheBrowser(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	b.post("/settings/appearance", url.Values{"appearance": {"dark"}})
	if !strings.Contains(b.get("/settings/plan").body, `data-appearance="dark"`) {
		t.Error("the page is not dark")
	}
	b.post("/settings/appearance", url.Values{"appearance": {""}})
	if strings.Contains(b.get("/settings/plan").body, "data-appearance") {
		t.Error("the page does not follow the device again")
	}
}

func TestActionsAreToldInWords(t *testing.T) {
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, action := range []string{"key.revoked", "asset.updated", "work_order.created", "some_thing.deleted", "odd"} {
		got[action] = all[0].actionSentence(auditEntry{Action: action})
	}
	want := map[string]string{"key.revoked": "revoked the API key", "asset.updated": "changed: asset",
		"work_order.created": "created: work order", "some_thing.deleted": "deleted: some thing", "odd": "odd"}
	if !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
