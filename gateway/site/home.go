package site

import (
	"encoding/json"
	"net/http"

	"ams.internal/gateway/openapi"
	"ams.internal/gateway/static"
)

// home is the page at /: for people a page, for programs where everything is.
func (s *Site) home(r *http.Request) (*static.Asset, error) {
	if !wantsPage(r) {
		return s.lasting("/", s.links)
	}
	in := spoken(r)
	return s.lasting("/?lang="+in.Code, func() (*static.Asset, error) {
		return s.render("home.html", view{Title: in.Product, Language: in, Path: "/", Editions: editions("/")})
	})
}

// links is what programs get at /.
type links struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Links   map[string]string `json:"links"`
}

func (s *Site) links() (*static.Asset, error) {
	name, version := openapi.Name()
	content, err := json.Marshal(links{Name: name, Version: version, Links: map[string]string{
		"api": s.baseURL + "/v1", "openapi": s.baseURL + "/openapi.json", "documentation": s.baseURL + docsPath,
		"first_steps": s.baseURL + guidesPath + "/first-steps", "reference": s.baseURL + referencePath, "changelog": s.baseURL + feedPath,
		"downloads": s.baseURL + downloadsPath,
		"settings":  s.baseURL + "/settings", "mcp": s.baseURL + "/mcp", "status": s.baseURL + "/readyz",
	}})
	return static.New("application/json", content), err
}
