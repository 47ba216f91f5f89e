package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// The projects of a year are there, also when nobody can say how many there would be in other readings.
func TestProjectsOfAYearAreShownWhenOtherReadingsCannotBeCounted(t *testing.T) {
	f := newToolFixture(t)
	limited := false
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		switch query := r.URL.Query(); {
		case limited && query.Get("fiscal_year") != "":
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"error":"This key has made too many requests.","code":"rate_limited"}`)
		case query.Get("fiscal_year") != "":
			fmt.Fprint(w, `{"data":[],"pagination":{"total":2}}`)
		default:
			fmt.Fprintf(w, `{"data":[{"id":%q,"name":"Toit"}],"pagination":{"total":1}}`, testID)
		}
		return true
	}
	for _, c := range []struct {
		limited bool
		says    string
	}{
		{false, `"note":"Say which is meant: 1 have money in 2028 (spending_year), 2 are of the fiscal year 2028`},
		{true, `could not be counted: This key has made too many requests. Wait 7 seconds`},
	} {
		limited = c.limited
		text, failed := f.call("search_projects", map[string]any{"spending_year": 2028})
		if failed || !strings.Contains(text, c.says) || !strings.Contains(text, "Toit") {
			t.Errorf("%s", text)
		}
	}
}
