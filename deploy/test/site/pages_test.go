package site

import (
	"compress/gzip"
	"encoding/xml"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"ams.internal/deploy/devstack/apiclient"
)

// Every page is found by the links of others, none leads nowhere, and none loads anything from elsewhere.
func TestEveryLinkOfTheSiteLeadsSomewhere(t *testing.T) {
	root := base(t)
	visited, waiting := map[string]*page{}, []string{root + "/", root + "/?lang=fr"}
	wanted := map[string][]string{} // fragments by page
	loaded := map[string]bool{}
	for len(waiting) > 0 {
		address := waiting[0]
		waiting = waiting[1:]
		if visited[address] != nil {
			continue
		}
		p := visit(t, address, "en")
		visited[address] = p
		policy := p.header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self'; ") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %s", address, policy)
		}
		for node := range p.root.Descendants() {
			if node.Type != html.ElementNode {
				continue
			}
			if attribute(node, "style") != "" || attribute(node, "onclick") != "" || node.Data == "style" ||
				node.Data == "script" && attribute(node, "src") == "" {
				t.Errorf("%s: the policy forbids what <%s> does", address, node.Data)
			}
			for _, name := range []string{"src", "href"} {
				link := attribute(node, name)
				if link == "" {
					continue
				}
				to := p.resolve(link)
				if to.Host != p.resolve("/").Host {
					if node.Data != "a" {
						t.Errorf("%s loads %s", address, to)
					}
					continue
				}
				fragment := to.Fragment
				to.Fragment = ""
				if node.Data == "a" && (to.Path == "/" || strings.HasPrefix(to.Path, "/docs")) &&
					!strings.HasPrefix(to.Path, "/docs/downloads/") && !strings.HasSuffix(to.Path, ".atom") {
					waiting = append(waiting, to.String())
					if fragment != "" {
						wanted[to.String()] = append(wanted[to.String()], fragment)
					}
				} else if !loaded[to.String()] {
					loaded[to.String()] = true
					if response, _ := get(t, to.String(), "en"); response.StatusCode != http.StatusOK {
						t.Errorf("%s: %s is %d", address, to, response.StatusCode)
					}
				}
			}
		}
	}
	for address, fragments := range wanted {
		ids := map[string]bool{}
		for node := range visited[address].root.Descendants() {
			if id := attribute(node, "id"); id != "" {
				if ids[id] {
					t.Errorf("%s has the id %s twice", address, id)
				}
				ids[id] = true
			}
		}
		for _, fragment := range fragments {
			if !ids[fragment] {
				t.Errorf("%s has no #%s, to which a page links", address, fragment)
			}
		}
	}
	if len(visited) < 30 {
		t.Errorf("%d pages were found", len(visited))
	}
}

// The first page is 300 kB at most with all that it loads, as it is transferred.
func TestTheFirstPagesAreLight(t *testing.T) {
	for _, path := range []string{"/", "/docs", "/docs/guides/first-steps", "/docs/guides/first-steps?lang=fr", "/docs/reference",
		"/docs/reference/assets"} {
		p := visit(t, base(t)+path, "en")
		total := compressed(t, p.address)
		for node := range p.root.Descendants() {
			rel := attribute(node, "rel")
			if node.Type == html.ElementNode && (attribute(node, "src") != "" || node.Data == "link" && rel != "alternate") {
				address := attribute(node, "src") + attribute(node, "href")
				total += compressed(t, p.resolve(address).String())
			}
		}
		font := "" // which the style sheet loads
		for node := range p.all("link") {
			if link := attribute(node, "href"); strings.HasSuffix(link, "/console.css") {
				font = strings.TrimSuffix(link, "console.css") + "public-sans.woff2"
			}
		}
		if total += compressed(t, base(t)+font); total > 300_000 {
			t.Errorf("%s takes %d bytes", path, total)
		}
		t.Logf("%s: %d bytes", path, total)
	}
}

// compressed is how much is transferred to a browser.
func compressed(t *testing.T, address string) int {
	t.Helper()
	response, err := apiclient.Send(&http.Client{Timeout: 30 * time.Second}, "", http.MethodGet, address, nil,
		"Accept-Encoding", "gzip", "Accept", "text/html,*/*;q=0.8")
	if err != nil {
		t.Fatal(err)
	}
	if response.Status != http.StatusOK {
		t.Fatalf("%s: %d", address, response.Status)
	}
	if response.Header.Get("Content-Encoding") == "gzip" {
		if reader, err := gzip.NewReader(strings.NewReader(string(response.Body))); err != nil {
			t.Errorf("%s: %v", address, err)
		} else if _, err := io.Copy(io.Discard, reader); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	} else if len(response.Body) > 4096 && strings.HasPrefix(response.Header.Get("Content-Type"), "text/") {
		t.Errorf("%s is not compressed", address)
	}
	return len(response.Body)
}

func TestTheSearchNeedsNeitherAScriptNorAccents(t *testing.T) {
	for question, link := range map[string]string{
		"CREATE SITE": "/docs/reference/sites#create_site", "idempotency": "/docs/guides/api#records",
		"on_conflict": "/docs/guides/bulk", "webhook-signature": "/docs/guides/webhooks", "cle&lang=fr": "/docs/guides/first-steps#a-key",
		"WEBHOOK-SIGNATURE&lang=fr": "/docs/guides/webhooks", // in English only
	} {
		p := visit(t, base(t)+"/docs/search?q="+strings.ReplaceAll(question, " ", "+"), "en")
		found := false
		for node := range p.all("ol") {
			for below := range node.Descendants() {
				found = found || strings.HasPrefix(attribute(below, "href"), link)
			}
		}
		if !found {
			t.Errorf("%q does not find %s:\n%s", question, link, text(p.root))
		}
	}
	if p := visit(t, base(t)+"/docs/search?q=%3Cscript%3Exyzzy", "en"); !strings.Contains(text(p.root),
		"Nothing was found for “<script>xyzzy”") {
		t.Errorf("%s", text(p.root))
	}
}

func TestProgramsGetJSONAtTheRoot(t *testing.T) {
	for _, accept := range []string{"", "*/*", "application/json", "application/json, text/html;q=0.9"} {
		a, err := apiclient.Send(client, "", http.MethodGet, base(t)+"/", nil, "Accept", accept)
		if err != nil {
			t.Fatal(err)
		}
		links, _ := a.Object["links"].(map[string]any)
		if a.Status != 200 || a.Object["name"] == "" || a.Object["version"] == "" || len(links) < 8 {
			t.Fatalf("Accept %q: %d %s", accept, a.Status, a.Body)
		}
		for name, link := range links {
			if name == "api" || name == "mcp" { // for keys
				continue
			}
			if response, _ := get(t, link.(string), "en"); response.StatusCode != http.StatusOK {
				t.Errorf("%s: %s is %d", name, link, response.StatusCode)
			}
		}
	}
}

func TestTheChangelogIsAFeed(t *testing.T) {
	response, body := get(t, base(t)+"/docs/changelog.atom", "en")
	var feed struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string   `xml:"id"`
		Updated string   `xml:"updated"`
		Entries []struct {
			ID      string `xml:"id"`
			Title   string `xml:"title"`
			Updated string `xml:"updated"`
			Content string `xml:"content"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(body, &feed); err != nil {
		t.Fatal(err)
	}
	if response.Header.Get("Content-Type") != "application/atom+xml; charset=utf-8" || feed.ID != base(t)+"/docs/changelog" ||
		len(feed.Entries) == 0 {
		t.Fatalf("%s %s", response.Header.Get("Content-Type"), feed.ID)
	}
	for _, entry := range feed.Entries {
		if _, err := time.Parse(time.RFC3339, entry.Updated); err != nil || entry.ID == "" || entry.Title == "" || len(entry.Content) < 100 {
			t.Errorf("%s: %s %v", entry.Title, entry.Updated, err)
		}
	}
}
