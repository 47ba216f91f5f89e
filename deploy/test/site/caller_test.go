// Package site tests the developer's site as a stranger uses it: from / by the links of the pages to the samples of the guides,
// which it runs unchanged, in each language, with a new key of a new organization.
package site

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
)

func TestMain(m *testing.M) { os.Exit(devstack.RunTests(m, 1)) }

var client = &http.Client{Timeout: 30 * time.Second}

func base(t testing.TB) string { return devstack.ForTest(t).Description().BaseURL }

// town is an organization of its own, and a key for everything in it.
type town struct{ name, key string }

func newTown(t *testing.T) town {
	t.Helper()
	d := devstack.ForTest(t).Description()
	name := "Town of " + t.Name()
	email, password := strings.ToLower(strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()))+"@example.ca", "four boats at the quay"
	made := post(t, 201, d.AdminURL+"/internal/organizations", d.AdminToken, map[string]any{"name": name, "plan": "enterprise",
		"administrator": map[string]any{"email": email, "name": "Hélène Côté", "password": password}})
	id := made["id"].(string)
	session := post(t, 200, d.AdminURL+"/internal/sign-in", d.AdminToken,
		map[string]any{"email": email, "password": password, "organization_id": id})["session"].(string)
	key := post(t, 201, d.AdminURL+"/internal/organizations/"+id+"/keys", session, map[string]any{
		"name": "Samples", "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true})["value"].(string)
	return town{name, key}
}

func post(t testing.TB, status int, address, bearer string, body any) map[string]any {
	t.Helper()
	response, err := apiclient.Send(client, bearer, http.MethodPost, address, body)
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	if response.Status != status || response.Object == nil {
		t.Fatalf("%s: %d %s", address, response.Status, response.Body)
	}
	return response.Object
}

// page is a page of the site as a browser gets it.
type page struct {
	t       testing.TB
	address string
	header  http.Header
	size    int // bytes that were transferred
	root    *html.Node
}

// get fetches what a browser that speaks a language fetches; body is what came, compressed where the browser takes that.
func get(t testing.TB, address, language string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	request.Header.Set("Accept-Language", language)
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

func visit(t testing.TB, address, language string) *page {
	t.Helper()
	response, body := get(t, address, language)
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%s: %d %s", address, response.StatusCode, response.Header.Get("Content-Type"))
	}
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return &page{t: t, address: address, header: response.Header, size: len(body), root: root}
}

// resolve gives the address that a link of the page leads to.
func (p *page) resolve(link string) *url.URL {
	p.t.Helper()
	at, err := url.Parse(p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	to, err := at.Parse(link)
	if err != nil {
		p.t.Fatalf("%s links to %q: %v", p.address, link, err)
	}
	return to
}

// follow presses the link with these words.
func (p *page) follow(words, language string) *page {
	p.t.Helper()
	for link := range p.all("a") {
		if strings.TrimSpace(text(link)) == words {
			return visit(p.t, p.resolve(attribute(link, "href")).String(), language)
		}
	}
	p.t.Fatalf("%s has no link %q", p.address, words)
	return nil
}

// all gives the elements of a name, in their order.
func (p *page) all(name string) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for node := range p.root.Descendants() {
			if node.Type == html.ElementNode && node.Data == name && !yield(node) {
				return
			}
		}
	}
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func text(node *html.Node) string {
	var all strings.Builder
	for below := range node.Descendants() {
		if below.Type == html.TextNode {
			all.WriteString(below.Data)
		}
	}
	return all.String()
}

// sample is a piece of code of a guide.
type sample struct{ name, language, code string }

// samples are those of the page, in their order.
func (p *page) samples() []sample {
	var all []sample
	for code := range p.all("pre") {
		if name := attribute(code, "data-sample"); name != "" {
			all = append(all, sample{name, attribute(code, "data-language"), text(code)})
		}
	}
	return all
}
