package resourcetest

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"testing"
)

var link = regexp.MustCompile(`<([^>]*)>; rel="(\w+)"`)

// Links gives the targets of the response's Link header by their relation.
func (a Response) Links() map[string]string {
	links := map[string]string{}
	for _, found := range link.FindAllStringSubmatch(a.Header.Get("Link"), -1) {
		links[found[2]] = found[1]
	}
	return links
}

// AssertLinks reads a page and expects its Link header to lead to the pages in want, relation → value of the parameter by, and otherwise
// with the query of this one.
func (c *Client) AssertLinks(t testing.TB, page, by string, want map[string]string) {
	t.Helper()
	address, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]string{}
	for relation, value := range want {
		query := address.Query()
		query.Set(by, value)
		targets[relation] = address.Path + "?" + query.Encode()
	}
	if got := c.Must(t, http.StatusOK, "GET", page, nil).Links(); !maps.Equal(got, targets) {
		t.Errorf("%s leads to %v, want %v", page, got, targets)
	}
}

// AssertFile reads something in a format and expects it to be a file that is named after what is in it and the day of the organization.
func (c *Client) AssertFile(t testing.TB, path, accept, name, extension string) {
	t.Helper()
	fileOf := func(day string) string { return `attachment; filename="` + name + "-" + day + "." + extension + `"` }
	before := fileOf(c.Principal.Calendar().Today())
	got := c.Must(t, http.StatusOK, "GET", path, nil, "Accept", accept).Header.Get("Content-Disposition")
	if after := fileOf(c.Principal.Calendar().Today()); got != before && got != after {
		t.Errorf("%s as %s is %s, want %s", path, accept, got, after)
	}
}
