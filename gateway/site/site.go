// Package site renders the page at / and the developer's site at /docs, with guides, a reference and a search. The guides are the
// Markdown documents of this repository, the reference is the OpenAPI document. The program embeds everything: no page asks another
// host for anything, and all but trying calls works without a script.
package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2/negotiation"

	"ams.internal/gateway/openapi"
	"ams.internal/gateway/static"
	"ams.internal/libs/webassets"
)

//go:embed templates/*.html assets/*
var files embed.FS

// policy lets pages load what is here, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Paths of the site.
const (
	docsPath      = "/docs"
	guidesPath    = docsPath + "/guides"
	referencePath = docsPath + "/reference"
	searchPath    = docsPath + "/search"
	changelogPath = docsPath + "/changelog"
	feedPath      = docsPath + "/changelog.atom"
	tryPath       = docsPath + "/try"
)

// formerFirstSteps is where the French first steps were when each language had addresses of its own.
const formerFirstSteps = guidesPath + "/premiers-pas"

// varying are the headers by which a page is another one.
var varying = []string{"Accept, Accept-Encoding, Accept-Language, Cookie"}

var shared = webassets.Under(docsPath + "/assets")

// Site makes the pages, each when it is first asked for: most gateways never show one.
type Site struct {
	baseURL  string // of the API, as people see it
	document *openapi.Document
	packages *packages

	guides map[*language]func() (*guides, error)

	mu      sync.Mutex
	pages   map[string]*static.Asset // that do not change while the program runs, by language and path
	version string                   // of the document that the following are made of
	pieces  *reference
	cut     map[string]*static.Asset // pages of the reference
	found   map[*language]index
}

// New makes the site of an installation. downloads is the folder of the packages that it offers; empty: none.
func New(baseURL, downloads string, document *openapi.Document) *Site {
	baseURL = strings.TrimSuffix(baseURL, "/")
	originals := sync.OnceValues(func() (*guides, error) { return readGuides(baseURL) })
	return &Site{
		baseURL: baseURL, document: document, packages: &packages{folder: downloads}, pages: map[string]*static.Asset{},
		guides: map[*language]func() (*guides, error){english: originals, french: sync.OnceValues(func() (*guides, error) {
			all, err := originals()
			if err != nil {
				return nil, err
			}
			return readFrench(baseURL, all)
		})},
	}
}

// Respond is the response to a request for / or for something below /docs; nil where there is nothing.
func (s *Site) Respond(r *http.Request) (*http.Response, error) {
	path := r.URL.Path
	if path != "/" {
		path = strings.TrimSuffix(path, "/")
	}
	if path == tryPath { // where Swagger UI was
		return &http.Response{StatusCode: http.StatusMovedPermanently, Body: http.NoBody,
			Header: http.Header{"Location": {referencePath}}}, nil
	}
	if content, contentType := shared.Read(path); content != nil {
		response := s.keep(path, func() *static.Asset { return static.New(contentType, content) }).Respond(r)
		response.Header.Set("Cache-Control", "public, max-age=31536000, immutable") // the path changes with the content
		return response, nil
	}
	if path == formerFirstSteps {
		to := http.Header{"Location": {guidesPath + "/first-steps?lang=" + french.Code}}
		return &http.Response{StatusCode: http.StatusMovedPermanently, Header: to, Body: http.NoBody}, nil
	}
	if name, found := strings.CutPrefix(path, downloadsPath+"/"); found {
		return s.download(r, name)
	}
	made, err := s.page(r, path)
	if err != nil || made == nil {
		return nil, err
	}
	response := made.Respond(r)
	response.Header.Set("Content-Security-Policy", policy)
	response.Header.Set("Referrer-Policy", "no-referrer")
	if path == "/" || response.Header.Get("Content-Language") != "" {
		response.Header["Vary"] = varying
	}
	s.remember(r, response)
	return response, nil
}

// NotFound is the page for people who follow a link that leads nowhere below /docs; nil for programs.
func (s *Site) NotFound(r *http.Request) (*http.Response, error) {
	if !wantsPage(r) {
		return nil, nil
	}
	in := spoken(r)
	made, err := s.render("missing.html", view{Title: in.Missing, Language: in, Path: r.URL.Path})
	if err != nil {
		return nil, err
	}
	response := made.Respond(r)
	response.StatusCode = http.StatusNotFound
	response.Header.Del("Etag")
	response.Header["Vary"] = varying
	response.Header.Set("Content-Security-Policy", policy)
	return response, nil
}

// wantsPage says whether whoever asks would rather have a page than JSON. A program that says nothing, or takes anything, gets JSON.
func wantsPage(r *http.Request) bool {
	const page, data = "text/html", "application/json"
	return negotiation.SelectQValue(strings.Join(r.Header["Accept"], ","), []string{data, page}) == page
}

func (s *Site) page(r *http.Request, path string) (*static.Asset, error) {
	switch {
	case path == "/":
		return s.home(r)
	case path == downloadsPath:
		return s.downloadsPage(spoken(r))
	case path == searchPath:
		return s.search(r)
	case path == feedPath:
		return s.lasting(path, s.feed)
	case path == docsPath+"/site.css":
		return s.file(path, "site.css", "text/css; charset=utf-8"), nil
	case path == docsPath+"/site.js", path == docsPath+"/try.js":
		return s.file(path, strings.TrimPrefix(path, docsPath+"/"), "text/javascript; charset=utf-8"), nil
	case path == referencePath || strings.HasPrefix(path, referencePath+"/"):
		return s.reference(spoken(r), strings.TrimPrefix(strings.TrimPrefix(path, referencePath), "/"))
	case path == docsPath:
		in := spoken(r)
		return s.lasting(path+"?lang="+in.Code, func() (*static.Asset, error) {
			return s.render("docs.html", view{Title: in.Documentation, Language: in, Path: path, Editions: editions(path)})
		})
	}
	in := spoken(r)
	all, err := s.guides[in]()
	if err != nil || all.at[path] == nil {
		return nil, err
	}
	return s.lasting(path+"?lang="+in.Code, func() (*static.Asset, error) { return s.guide(all.at[path], in) })
}

// guide is the page of a guide for readers of a language.
func (s *Site) guide(g *guide, in *language) (*static.Asset, error) {
	return s.render("guide.html", view{Title: g.title, Language: in, Path: g.Path, Editions: editions(g.Path), Guide: g, Contents: g.headings,
		Body: template.HTML(g.body)}) // #nosec G203 -- ours
}

// editions are the addresses of a page that name a language.
func editions(path string) []alternate {
	var all []alternate
	for _, in := range siteLanguages {
		all = append(all, alternate{in, path + "?lang=" + in.Code})
	}
	return all
}

// keep gives what does not change while the program runs.
func (s *Site) keep(name string, make func() *static.Asset) *static.Asset {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages[name] == nil {
		s.pages[name] = make()
	}
	return s.pages[name]
}

// lasting is keep for what may fail to be made. Two calls at the same time may both make it.
func (s *Site) lasting(name string, make func() (*static.Asset, error)) (*static.Asset, error) {
	s.mu.Lock()
	cached := s.pages[name]
	s.mu.Unlock()
	if cached != nil {
		return cached, nil
	}
	made, err := make()
	if err != nil {
		return nil, fmt.Errorf("the page %s: %w", name, err)
	}
	return s.keep(name, func() *static.Asset { return made }), nil
}

func (s *Site) file(path, name, contentType string) *static.Asset {
	return s.keep(path, func() *static.Asset {
		content, err := files.ReadFile("assets/" + name)
		if err != nil { // embedded
			panic(err)
		}
		return static.New(contentType, content)
	})
}

// view is what a page is made of.
type view struct {
	Title    string
	Language *language
	Path     string // of the page
	Guide    *guide // nil: none
	Contents []heading
	Body     template.HTML
	Editions []alternate // the page in each language, by its name; none where that is not chosen
	It       any         // of the page's own template

	Groups  []group // of the navigation
	BaseURL string
	Script  bool // whether operations can be tried on the page
}

type alternate struct {
	Language *language
	Path     string
}

// Asset is the path of a file that all pages of the product share.
func (view) Asset(name string) string { return shared.Path(name) }

// Everywhere says whether the page has a text in each language.
func (v view) Everywhere() bool { return len(v.Editions) > 0 && (v.Guide == nil || v.Guide.Translated) }

// To is a link to a page of the reference in the language of this one.
func (v view) To(path string) string {
	if v.Language != english {
		path += "?lang=" + v.Language.Code
	}
	return path
}

// Current is for the navigation: whether a link leads to this page.
func (v view) Current(path string) bool { return v.Path == path }

// templates are parsed when the first page is shown.
var templates = sync.OnceValues(func() (map[string]*template.Template, error) {
	all := map[string]*template.Template{}
	for _, name := range []string{"home.html", "docs.html", "guide.html", "reference.html", "tag.html", "try.html", "downloads.html",
		"search.html", "missing.html"} {
		parsed, err := template.New("frame.html").Funcs(template.FuncMap{"join": strings.Join}).
			ParseFS(files, "templates/frame.html", "templates/"+name)
		if err != nil {
			return nil, err
		}
		all[name] = parsed
	}
	return all, nil
})

func (s *Site) render(name string, v view) (*static.Asset, error) {
	parsed, err := templates()
	if err != nil {
		return nil, err
	}
	all, err := s.guides[v.Language]()
	if err != nil {
		return nil, err
	}
	v.Groups, v.BaseURL = all.groups, s.baseURL
	var page bytes.Buffer
	if err := parsed[name].Execute(&page, v); err != nil {
		return nil, err
	}
	return static.New("text/html; charset=utf-8", page.Bytes()).In(v.Language.Locale), nil
}
