package console

import (
	"net/http"
	"net/url"
	"strings"

	"ams.internal/libs/fault"
)

// foundRecords are what a search found, as the search service gives it.
type foundRecords struct {
	Data []struct {
		Kind   string `json:"kind"`
		ID     string `json:"id"`
		Name   string `json:"name"`
		Code   string `json:"code"`
		Detail string `json:"detail"`
		Site   struct {
			Name string `json:"name"`
		} `json:"site"`
	} `json:"data"`
	Corrected   map[string][]string `json:"corrected"`
	Unavailable []string            `json:"unavailable"`
}

type searchPage struct {
	Text    string
	Invalid bool
	Found   *foundRecords // nil before a text was given
}

// showSearch finds records of the organization. Administrators may make a key that reads everything, so they are shown everything that
// the plan includes.
func showSearch(req *pageRequest) error {
	shown := searchPage{Text: strings.TrimSpace(req.r.URL.Query().Get("q"))}
	if shown.Text != "" {
		plan, err := req.plan()
		if err != nil {
			return err
		}
		p := req.principal()
		p.Scopes, p.Features = readScopes(), plan.Features
		var found foundRecords
		path := "/v1/search?" + url.Values{"q": {shown.Text}, "limit": {"50"}}.Encode()
		err = req.services.call(req.ctx(), p, "search", http.MethodGet, path, nil, &found)
		if e := faultOf(err); e != nil && e.Kind == fault.KindInvalid {
			shown.Invalid = true
		} else if err != nil {
			return err
		} else {
			shown.Found = &found
		}
	}
	return req.show(http.StatusOK, "search", req.language.translate("search.title"), shown)
}
