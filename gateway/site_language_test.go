package gateway

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Who has a French browser, or chose French, gets French pages. What is in English only says so.
func TestTheSiteSpeaksTheLanguageOfItsReader(t *testing.T) {
	w := newFixture(t)
	w.serveOthers()
	g := w.start()
	g.document(t, "")
	const cookie = "ams_site_language="
	for _, row := range []struct{ path, languages, cookie, language, says string }{
		{"/docs", "fr-CA,fr;q=0.9,en;q=0.5", "", "fr-CA", "Commencez par les premiers pas"},
		{"/docs", "en-CA", "", "en-CA", "Begin with the first steps"},
		{"/docs/guides/first-steps", "fr", "", "fr-CA", "<h1>Premiers pas</h1>"},
		{"/docs/guides/first-steps", "", "", "en-CA", "<h1>First steps</h1>"},
		{"/docs/guides/paging", "fr", "", "fr-CA", `<h2 id="all-pages">Toutes les pages</h2>`},
		{"/docs/guides/filters", "fr", "", "fr-CA", "<h1>Filtres et recherche</h1>"},
		{"/docs/guides/errors", "fr", "", "fr-CA", "<h1>Erreurs</h1>"},
		{"/docs/guides/bulk", "fr", "", "fr-CA", "<h1>Lots et importation</h1>"},
		{"/docs/guides/paging", "fr", cookie + "en", "en-CA", "<h1>Pages and streams</h1>"},
		{"/docs/guides/paging", "en", cookie + "fr", "fr-CA", "<h1>Pages et flux</h1>"},
		{"/docs/guides/paging", "fr", cookie + "de", "fr-CA", "<h1>Pages et flux</h1>"},
		{"/docs/guides/paging?lang=en", "fr", cookie + "fr", "en-CA", "<h1>Pages and streams</h1>"},
		{"/docs/guides/paging?lang=xx", "fr", "", "fr-CA", "<h1>Pages et flux</h1>"},
		{"/docs/guides/limits", "fr", "", "fr-CA", `<p class="hint" lang="fr-CA">Cette page n’existe qu’en anglais.</p>`},
		{"/docs/guides/limits", "fr", "", "fr-CA", `<article class="text" lang="en-CA">`},
		{"/docs/guides/limits", "fr", "", "fr-CA", `aria-current="page">Limites (en anglais)</a>`},
		{"/docs/guides/limits", "en", "", "en-CA", `<article class="text">`},
		{"/docs/changelog", "fr", "", "fr-CA", "Cette page n’existe qu’en anglais."},
		{"/docs/search?q=curseur", "fr", "", "fr-CA", `<a href="/docs/guides/paging#all-pages">Pages et flux · Toutes les pages</a>`},
		{"/docs/search?q=webhook-signature", "fr", "", "fr-CA", `<li lang="en-CA"><p><a href="/docs/guides/webhooks`},
		{"/docs/search?q=xyzzy", "fr", "", "fr-CA", "Rien n’a été trouvé pour «\u202fxyzzy\u202f»."},
		{"/docs/search?q=curseur", "en", "", "en-CA", "Nothing was found for “curseur”."},
	} {
		a := call(t, "GET", g.url+row.path, "", "Accept", "text/html", "Accept-Language", row.languages, "Cookie", row.cookie)
		assertHeaders(t, a)
		if a.StatusCode != 200 || a.Header.Get("Content-Language") != row.language || !strings.Contains(string(a.body), row.says) ||
			!strings.Contains(string(a.body), `<html lang="`+row.language+`">`) {
			t.Errorf("%+v: %d %s\n%.3000s", row, a.StatusCode, a.Header, a.body)
		}
		if vary := a.Header.Get("Vary"); !strings.Contains(vary, "Accept-Language") || !strings.Contains(vary, "Cookie") {
			t.Errorf("%s varies by %q", row.path, vary)
		}
	}
	missing := call(t, "GET", g.url+"/docs/nothing", "", "Accept", "text/html", "Accept-Language", "fr")
	if missing.StatusCode != 404 || missing.Header.Get("Content-Language") != "fr-CA" ||
		!strings.Contains(string(missing.body), "Cette page n’existe pas") {
		t.Errorf("%d %s %.300s", missing.StatusCode, missing.Header, missing.body)
	}
	former := call(t, "GET", g.url+"/docs/guides/premiers-pas", "", "Accept", "text/html", "Accept-Language", "en")
	assertHeaders(t, former)
	if former.StatusCode != 301 || former.Header.Get("Location") != "/docs/guides/first-steps?lang=fr" {
		t.Errorf("the former address of the French first steps: %d %s", former.StatusCode, former.Header)
	}
}

// The other language is a link away, and stays chosen.
func TestALanguageThatWasChosenStays(t *testing.T) {
	w := newFixture(t)
	w.serveOthers()
	g := w.start(func(c *Config) { c.BaseURL = "https://api.example.ca" })
	g.document(t, "")
	cookie := ""
	visit := func(path string) *fullResponse { // as a browser does, which keeps the cookie
		t.Helper()
		a := call(t, "GET", g.url+path, "", "Accept", "text/html", "Accept-Language", "fr-CA", "Cookie", cookie)
		for _, set := range a.Cookies() {
			if !strings.Contains(path, "lang=") || set.Path != "/" || !set.HttpOnly || !set.Secure ||
				set.SameSite != http.SameSiteLaxMode || set.MaxAge <= 0 {
				t.Errorf("%s sets %s", path, set)
			}
			cookie = set.Name + "=" + set.Value
		}
		return a
	}
	switches := regexp.MustCompile(`<p class="others">.*?<a href="([^"]+)" lang="([^"]+)" hreflang="([^"]+)">`)
	alternates := regexp.MustCompile(`<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">`)
	for _, row := range []struct {
		path  string
		links []string
	}{
		{"/docs/guides/bulk", []string{"en-CA /docs/guides/bulk?lang=en", "fr-CA /docs/guides/bulk?lang=fr", "x-default /docs/guides/bulk"}},
		{"/docs/guides/files", nil}, // the text is there in English only
		{"/docs", []string{"en-CA /docs?lang=en", "fr-CA /docs?lang=fr", "x-default /docs"}},
	} {
		for _, to := range []string{"en-CA", "fr-CA"} {
			page := visit(row.path)
			found := switches.FindSubmatch(page.body)
			if found == nil || string(found[2]) != to || string(found[3]) != to {
				t.Fatalf("%s has no link to %s: %q", row.path, to, found)
			}
			var links []string
			for _, link := range alternates.FindAllSubmatch(page.body, -1) {
				links = append(links, string(link[1])+" "+string(link[2]))
			}
			if !slices.Equal(links, row.links) {
				t.Errorf("%s has the editions %q, want %q", row.path, links, row.links)
			}
			for _, path := range []string{string(found[1]), "/docs/guides/paging", "/"} { // the last two by plain links
				if a := visit(path); a.Header.Get("Content-Language") != to {
					t.Errorf("%s is in %q after %s was chosen", path, a.Header.Get("Content-Language"), to)
				}
			}
		}
	}
}
