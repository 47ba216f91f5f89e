package site

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"
)

func TestMarkdownAsTheSiteShowsIt(t *testing.T) {
	source := "# Title\n\nSee [other](other.md#part), [code](../deploy/x), [far](https://example.com) and [here](#two).\n\n" +
		"## Two\n\n| | |\n|---|---|\n| a | <b> |\n\n" +
		"```sh make\ncurl \"https://api.example.ca/v1/x\" <a>\n```\n\n```go make\npackage main\n```\n\n```json\n{}\n```\n"
	a, err := read([]byte(source), "https://city.example", linker("docs/guides/this.md", map[string]string{"docs/guides/other.md": "/docs/guides/other"}))
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
	all, err := readGuides("https://city.example")
	if err != nil {
		t.Fatal(err)
	}
	for path, g := range all.at {
		if g.title == "" || g.sections[0].words == "" && len(g.sections) < 2 {
			t.Errorf("%s: %q, %d sections", path, g.title, len(g.sections))
		}
	}
}

func TestOneEntryOfTheFeedForEachRelease(t *testing.T) {
	changelog := "# Changelog\n\nAll of it.\n\n## [Unreleased]\n\n### Added\n\n- One & [two](docs/x.md).\n\n## [1.1.0] - 2026-11-02\n\n- Three.\n\n" +
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
		{"Unreleased", "2026-11-22T01:02:03Z", "One &amp; two."}, {"1.1.0", "2026-11-02T00:00:00Z", "Three."}, {"1.0.0", "2026-10-01T00:00:00Z", "Four."},
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
