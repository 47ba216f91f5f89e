package console

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"time"
)

// page is the data of every template.
type page struct {
	request *pageRequest

	Title        string
	Language     *language
	Languages    languages
	Path         string // of this page, for switching the language
	Section      string // of the menu
	User         *user
	Organization string
	Token        string
	Appearance   string
	Notice       string
	Data         any
}

// Test reports whether the page is about the organization's sandbox.
func (p *page) Test() bool { return p.request.test }

// Base is where the pages are that are about the same organization as this one.
func (p *page) Base() string { return p.request.base() }

// show writes a page. It renders the whole page before it sends anything, so that a failing template leaves no half
// page.
func (req *pageRequest) show(status int, name, title string, data any) error {
	p := &page{
		request: req, Title: title, Language: req.language, Languages: req.languages, Path: req.r.URL.Path, Section: section(req.r.URL.Path),
		User: req.user, Token: formToken(req.formSecret), Appearance: req.appearance(), Data: data,
	}
	if req.session != nil {
		p.Organization = req.session.organizationName
	}
	if req.r.Method != "GET" || strings.HasSuffix(p.Path, ".csv") {
		p.Path = "/settings/" + p.Section
	}
	if done := req.r.URL.Query().Get("done"); done != "" {
		p.Notice = req.language.words["done."+done]
	}
	var body bytes.Buffer
	if err := req.language.pages[name].ExecuteTemplate(&body, "page", p); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	req.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	req.w.Header().Set("Content-Language", req.language.Locale)
	req.w.WriteHeader(status)
	_, err := body.WriteTo(req.w)
	return ignoreClosed(err)
}

// ignoreClosed drops the error of a browser that closed the connection.
func ignoreClosed(error) error { return nil }

func section(path string) string {
	rest := strings.TrimPrefix(path, "/settings/")
	first, _, _ := strings.Cut(rest, "/")
	return strings.TrimSuffix(first, ".csv")
}

// When writes a time of day in the person's time zone.
func (p *page) When(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return p.Language.moment(at.In(p.request.zone))
}

// Exactly writes a time with its seconds.
func (p *page) Exactly(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return p.Language.exactMoment(at.In(p.request.zone))
}

// Day writes the day of a time in the person's time zone.
func (p *page) Day(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return p.Language.day(at.In(p.request.zone))
}

// parsePages parses each page of the language: the frame, the shared parts, and the page itself.
func parsePages(l *language) (map[string]*template.Template, error) {
	functions := template.FuncMap{
		"t": l.translate, "count": l.count, "number": l.number, "bytes": l.bytes, "join": strings.Join, "asset": assets.Path,
		"input": newInput, "copied": func(id, text, what string) copied {
			return copied{id, text,
				what}
		}, "scope": newScopeBox, "printable": printable, "wire": func(text, label string) wire { return wire{text, label} },
		"pair": func(p *page, data any) pair { return pair{p, data} },
	}
	frame, err := template.New("frame").Funcs(functions).ParseFS(texts, "templates/frame.html", "templates/parts.html")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(texts, "templates/*.html")
	if err != nil {
		return nil, err
	}
	pages := map[string]*template.Template{}
	for _, file := range names {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if name == "frame" || name == "parts" {
			continue
		}
		one, err := frame.Clone()
		if err != nil {
			return nil, err
		}
		if pages[name], err = one.ParseFS(texts, file); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// pair gives a shared part both the page and its own data.
type pair struct {
	Page *page
	It   any
}

// wire is a text that was sent or received by HTTP, with its label.
type wire struct{ Text, Label string }

// copied is a text with a button that copies it.
type copied struct{ ID, Text, What string }
