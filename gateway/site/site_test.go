package site

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/docs"
)

func TestMarkdownAsTheSiteShowsIt(t *testing.T) {
	source := "# Title\n\nSee [other](other.md#part), [code](../deploy/x), [far](https://example.com) and [here](#two).\n\n" +
		"## Two\n\n| | |\n|---|---|\n| a | <b> |\n\n" +
		"```sh make\ncurl \"https://api.example.ca/v1/x\" <a>\n```\n\n```go make\npackage main\n```\n\n```json\n{}\n```\n"
	a, err := read([]byte(source), "https://city.example", linker("docs/guides/this.md", map[string]string{"docs/guides/other.md": "/docs/guides/other"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	body := string(a.body)
	for _, wanted := range []string{
		`<a href="/docs/guides/other#part">other</a>`, `, code, `, `<a href="https://example.com">far</a>`, `<a href="#two">here</a>`,
		`<h2 id="two">Two</h2>`, "<table>\n<tbody>", `data-sample="make" data-language="sh"><code>curl &#34;https://city.example/v1/x&#34; &lt;a&gt;`,
		`class="choose-sh" value="sh" checked>`, `class="choose-go" value="go">`, `<pre tabindex="0"><code>{}`,
	} {
		if !strings.Contains(body, wanted) {
			t.Errorf("there is no %s in\n%s", wanted, body)
		}
	}
	for _, unwanted := range []string{"<h1", "<thead>", "<b>", "choose-python"} {
		if strings.Contains(body, unwanted) {
			t.Errorf("there is %s in\n%s", unwanted, body)
		}
	}
	if strings.Count(body, `class="samples"`) != 1 || strings.Count(body, "<div") != strings.Count(body, "</div>") {
		t.Errorf("the samples are no group:\n%s", body)
	}
	if a.title != "Title" || len(a.headings) != 1 || len(a.sections) != 2 || !strings.Contains(a.sections[1].words, "package main") {
		t.Errorf("%q %v %v", a.title, a.headings, a.sections)
	}
}

func TestEveryGuideIsRead(t *testing.T) {
	originals, translations := allGuides(t)
	for _, all := range []*guides{originals, translations} {
		if len(all.at) != len(chapters) {
			t.Errorf("there are %d addresses for %d guides", len(all.at), len(chapters))
		}
		for path, g := range all.at {
			if g.title == "" || g.Label == "" || g.sections[0].words == "" && len(g.sections) < 2 {
				t.Errorf("%s: %q, %q, %d sections", path, g.Label, g.title, len(g.sections))
			}
		}
		for _, part := range all.groups {
			if part.Title == "" {
				t.Errorf("the group of %s has no name", part.Guides[0].Label)
			}
		}
	}
}

func allGuides(t *testing.T) (originals, translations *guides) {
	t.Helper()
	originals, err := readGuides("https://city.example")
	if err != nil {
		t.Fatal(err)
	}
	translations, err = readFrench("https://city.example", originals)
	if err != nil {
		t.Fatal(err)
	}
	return originals, translations
}

// Whoever changes a guide changes its translation: sections, code, links and rows of tables are counted.
func TestATranslationFollowsItsOriginal(t *testing.T) {
	originals, translations := allGuides(t)
	translated := 0
	for path, g := range translations.at {
		original := originals.at[path]
		if g.Translated != original.Translated || g.Translated != (g.Language == french) {
			t.Errorf("%s: %t %t %s", path, g.Translated, original.Translated, g.Language.Name)
		}
		if !g.Translated {
			continue
		}
		translated++
		for i, h := range g.headings {
			if other := original.headings[i]; h.ID != other.ID || h.Level != other.Level {
				t.Errorf("%s: the section %q is not %q", path, h.Text, other.Text)
			}
		}
		for what, part := range map[string]string{
			"code": `(?s)<pre.*?</pre>`, "links": ` href="[^"]*"`, "rows": `<tr>`, "cells": `<t[dh][ >]`, "entries": `<li>`,
		} {
			those := regexp.MustCompile(part)
			in, its := those.FindAllString(string(g.body), -1), those.FindAllString(string(original.body), -1)
			slices.Sort(in)
			slices.Sort(its)
			if !slices.Equal(in, its) {
				t.Errorf("the %s of %s in French are\n%q, in English\n%q", what, path, in, its)
			}
		}
		if strings.Contains(string(g.body), "first-steps.md") || g.title == original.title {
			t.Errorf("%s is not in French: %q", path, g.title)
		}
	}
	if translated != 5 {
		t.Errorf("%d guides are in French", translated)
	}
}

func TestATranslationThatDoesNotFollowIsRefused(t *testing.T) {
	original, err := read([]byte("# One\n\n## Two\n\n## Three\n"), "", linker("", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{"# Un\n\n## Deux\n", "# Un\n\n## Deux\n\n## Trois\n\n## Quatre\n"} {
		if _, err := read([]byte(source), "", linker("", nil), &original); err == nil {
			t.Errorf("%q is taken for a translation", source)
		}
	}
	for _, link := range []string{`[Exemple](paging.md "no-such-sample")`, `[Exemple](no-such-guide.md "all-pages")`} {
		if out, err := withSamples([]byte("Avant.\n\n"+link+"\n"), "docs/guides/pages-et-flux.md"); err == nil {
			t.Errorf("%s becomes %s", link, out)
		}
	}
	out, err := withSamples([]byte("Avant.\n\n[Exemple](paging.md \"stream\")\n\nAprès.\n"), "docs/guides/pages-et-flux.md")
	if err != nil || strings.Count(string(out), "```") != 8 || regexp.MustCompile("Exemple|all-pages").Match(out) ||
		!strings.Contains(string(out), "```\n\n```go stream\npackage main") || !strings.HasSuffix(string(out), "```\n\nAprès.\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// In Canada a narrow no-break space stands before a colon and within guillemets, and nothing before other signs.
func TestFrenchIsSetAsInCanada(t *testing.T) {
	wrong := regexp.MustCompile(`[^\x{202f}]:(\s|$)|\s[;!?]|«[^\x{202f}]|[^\x{202f}]»|\pL'\pL`)
	code := regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`|^\\|[-|]+$")
	for _, c := range chapters {
		if c.french.document == "" {
			continue
		}
		source, err := docs.Files.ReadFile(c.french.document)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range wrong.FindAllString(code.ReplaceAllString(string(source), "x"), -1) {
			t.Errorf("%s has %q", c.french.document, found)
		}
	}
	for _, found := range wrong.FindAllString(fmt.Sprintf("%s", *french), -1) {
		t.Errorf("the words of the site have %q", found)
	}
}

func TestOneEntryOfTheFeedForEachRelease(t *testing.T) {
	changelog := "# Changelog\n\nAll of it.\n\n## [Unreleased]\n\n### Added\n\n- One & [two](docs/x.md).\n\n## [1.1.0] - 2026-11-02\n\n" +
		"- Three.\n\n" +
		"## [1.0.0] - 2026-10-01\n\n- Four.\n"
	content, err := writeFeed([]byte(changelog), "https://city.example", time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	var feed atomFeed
	if err := xml.Unmarshal(content, &feed); err != nil {
		t.Fatal(err)
	}
	want := []struct{ title, updated, says string }{
		{"Unreleased", "2026-11-22T01:02:03Z", "One &amp; two."}, {"1.1.0", "2026-11-02T00:00:00Z", "Three."},
		{"1.0.0", "2026-10-01T00:00:00Z", "Four."},
	}
	if len(feed.Entries) != len(want) || feed.Updated != want[0].updated || feed.ID == "" || feed.Author.Name == "" {
		t.Fatalf("%s", content)
	}
	for i, entry := range feed.Entries {
		if entry.Title != want[i].title || entry.Updated != want[i].updated || !strings.Contains(entry.Content.HTML, want[i].says) ||
			entry.Content.Type != "html" || i > 0 && entry.ID == feed.Entries[i-1].ID {
			t.Errorf("%+v", entry)
		}
	}
	_, released, _ := strings.Cut(changelog, "\n## [1.1.0]")
	content, err = writeFeed([]byte("## [Unreleased]\n\n## [1.1.0]"+released), "https://city.example", time.Now())
	if err != nil || strings.Contains(string(content), "Unreleased") || !strings.Contains(string(content), "Three.") {
		t.Errorf("after a release, when nothing has changed since: %v\n%s", err, content)
	}
}

func TestTheSearchFolds(t *testing.T) {
	var all index
	all.add("Premiers pas", "Une clé", "/a", "fr", "Un administrateur crée une clé.")
	all.add("Limits", "", "/b", "en", "A key has a number of requests a minute.")
	all.add("The API", "Keys", "/c", "en", strings.Repeat("Words before. ", 40)+"The key decides the organization.")
	for question, want := range map[string]string{
		"CLE": "/a", "cree admin": "/a", "key": "/c /b", "requ": "/b", "key decides": "/c", "nothing": "", "": "", "%": "",
	} {
		var found []string
		for _, r := range all.find(question) {
			found = append(found, r.Link)
			if runes := []rune(r.Excerpt); len(runes) > 300 || !strings.Contains(folded(r.Excerpt+" "+r.Page+" "+r.Title), folded(question)[:2]) {
				t.Errorf("%q shows %q", question, r.Excerpt)
			}
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%q finds %q, want %q", question, got, want)
		}
	}
}
