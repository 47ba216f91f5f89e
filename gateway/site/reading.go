package site

import (
	"net/http"
	"strings"

	"ams.internal/gateway/static"
)

// current gives the reference of the document as it is now. Its pages are forgotten when the document has changed.
func (s *Site) current() (*reference, error) {
	content, version := s.document.Whole()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pieces != nil && s.version == version {
		return s.pieces, nil
	}
	pieces, err := newReference(content)
	if err != nil {
		return nil, err
	}
	s.pieces, s.version, s.cut, s.found = pieces, version, map[string]*static.Asset{}, nil
	return pieces, nil
}

// tagPage is what the page of a tag is made of.
type tagPage struct {
	*tag
	Operations []shownOperation
	Webhooks   []webhook // in place of operations
	Schemas    []shownSchema
}

// reference is the list of all operations, or the page of a tag; nil where there is no such tag. Who reads it has to do with the whole
// document or none, as who asks for the document; the search finds what there is. A page of one operation is made each time: there are
// a thousand, and it is small.
func (s *Site) reference(in *language, name string) (*static.Asset, error) {
	if err := s.document.Incomplete(); err != nil {
		return nil, err
	}
	pieces, err := s.current()
	if err != nil {
		return nil, err
	}
	if tagName, operation, isOne := strings.Cut(name, "/"); isOne {
		return s.tryPage(pieces, in, tagName, operation)
	}
	key := in.Code + "/" + name
	if name == "" {
		return s.cutting(key, func() (*static.Asset, error) {
			return s.render("reference.html", view{Title: in.Reference, Language: in, Path: referencePath, Editions: editions(referencePath),
				It: pieces.Tags})
		})
	}
	found := pieces.find(name)
	if found == nil {
		return nil, nil
	}
	return s.cutting(key, func() (*static.Asset, error) {
		shown := tagPage{tag: found}
		v := view{Title: found.Title(), Language: in, Path: found.Path(), Editions: editions(found.Path()), Script: true}
		if name == webhooksTag {
			shown.Webhooks, shown.Schemas = pieces.webhooks(found)
		} else {
			shown.Operations, shown.Schemas = pieces.page(found)
		}
		for _, o := range shown.Operations {
			v.Contents = append(v.Contents, heading{ID: o.ID, Text: o.Summary, Level: 2})
		}
		v.It = shown
		return s.render("tag.html", v)
	})
}

// cutting gives what is made of the document, until that changes.
func (s *Site) cutting(key string, make func() (*static.Asset, error)) (*static.Asset, error) {
	s.mu.Lock()
	made := s.cut[key]
	cut := s.cut
	s.mu.Unlock()
	if made != nil {
		return made, nil
	}
	made, err := make()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	cut[key] = made // of a document that has changed meanwhile: nobody looks into this map any more
	s.mu.Unlock()
	return made, nil
}

// index gives what readers of a language can find now.
func (s *Site) index(in *language) (index, error) {
	pieces, err := s.current()
	if err != nil {
		return nil, err
	}
	all, err := s.guides[in]()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found[in] != nil {
		return s.found[in], nil
	}
	var found index
	for _, group := range all.groups {
		for _, g := range group.Guides {
			for _, part := range g.sections {
				link := g.Path
				if part.id != "" {
					link += "#" + part.id
				}
				found.add(g.Label, part.title, link, g.Language.Locale, part.words)
			}
		}
	}
	for _, t := range pieces.Tags {
		for _, o := range t.Operations {
			words := []string{o.Method, o.URL, o.Description}
			for _, p := range o.Parameters {
				words = append(words, p.Name)
			}
			found.add(in.Reference, o.Summary, t.Path()+"#"+o.ID, english.Locale, strings.ReplaceAll(strings.Join(words, " "), "`", ""))
		}
	}
	if s.found == nil {
		s.found = map[*language]index{}
	}
	s.found[in] = found
	return found, nil
}

// question is what the page of the search shows.
type question struct {
	Text    string
	Results []result
}

// search is the page with what was found.
func (s *Site) search(r *http.Request) (*static.Asset, error) {
	in := spoken(r)
	found, err := s.index(in)
	if err != nil {
		return nil, err
	}
	searched := question{Text: strings.TrimSpace(r.URL.Query().Get("q"))}
	searched.Results = found.find(searched.Text)
	title := in.Find
	if searched.Text != "" {
		title = searched.Text + " · " + title
	}
	return s.render("search.html", view{Title: title, Language: in, Path: searchPath, It: searched})
}
