// Package edm derives the entity data model of OData from the OpenAPI document: which sets exist, what their records have, and where
// in the API each is read. A new list or report needs no change here.
package edm

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"ams.internal/gateway/openapi"
	"ams.internal/libs/transport"
)

// Set is a set of records: those of a list, or the rows of a report. A report that must be told what it is about, such as a record or a
// fiscal year, is a function of that.
type Set struct {
	Name    string
	Path    string      // in the API: "/v1/assets", "/v1/los/service-areas/{id}/scorecard"
	Needs   []Parameter // of a function
	Report  bool
	Stream  bool // of a report: all its rows come in one response
	entity  *entity
	Summary string
}

// Function says whether the set is a function, which needs parameters.
func (s *Set) Function() bool { return len(s.Needs) > 0 }

// Navigation are the properties that lead from a record of the set to those that it refers to.
func (s *Set) Navigation() []Navigation { return s.entity.navigation }

// Parameter is one that a function needs: a part of the path in the API, or a parameter of its query.
type Parameter struct {
	Name   string
	InPath bool
	Kind   string // "Edm.Guid"
}

// Model is the sets by name.
type Model struct {
	Sets  []*Set // in the order of the alphabet
	types []*entity
}

// Set gives the set of a name, or nil.
func (m *Model) Set(name string) *Set {
	at := slices.IndexFunc(m.Sets, func(s *Set) bool { return s.Name == name })
	if at < 0 {
		return nil
	}
	return m.Sets[at]
}

// Names are those of all sets.
func (m *Model) Names() []string {
	var names []string
	for _, set := range m.Sets {
		names = append(names, set.Name)
	}
	return names
}

var (
	parameter = regexp.MustCompile(`\{([a-z_]+)\}`)
	verb      = regexp.MustCompile(`^(list|get|export)_`) // at the beginning of the name of an operation
)

// NewModel makes the model of a whole OpenAPI document.
func NewModel(document []byte) (*Model, error) {
	var whole map[string]any
	if err := json.Unmarshal(document, &whole); err != nil {
		return nil, err
	}
	b := builder{schemas: object(object(whole["components"])["schemas"]), model: &Model{}, complex: map[string]*entity{},
		entities: map[string]bool{}}
	for path, item := range object(whole["paths"]) {
		get := object(object(item)["get"])
		content := object(object(object(get["responses"])["200"])["content"])
		id, _ := get["operationId"].(string)
		schema := b.resolve(object(object(content["application/json"])["schema"]))
		row := object(get["x-row"])
		if row != nil {
			schema = row
		}
		if content["text/csv"] == nil || schema == nil {
			continue // neither a list that can be had whole, nor the table of a report
		}
		set := &Set{Name: verb.ReplaceAllString(id, ""), Path: path, Stream: row != nil}
		set.Summary, _ = get["summary"].(string)
		if content["application/x-ndjson"] != nil && !set.Stream {
			set.Path = parameter.ReplaceAllString(path, transport.AnyParent)
		} else {
			set.Report, set.Needs = true, b.needs(get["parameters"], whole)
		}
		b.sets = append(b.sets, described{set, schema})
	}
	slices.SortFunc(b.sets, func(a, c described) int { return strings.Compare(a.Name, c.Name) })
	b.build()
	return b.model, nil
}

// needs are the parameters of an operation that must be given.
func (b *builder) needs(list any, document map[string]any) (needed []Parameter) {
	entries, _ := list.([]any)
	for _, entry := range entries {
		p := object(entry)
		if reference, shared := p["$ref"].(string); shared {
			p = object(object(object(document["components"])["parameters"])[strings.TrimPrefix(reference, "#/components/parameters/")])
		}
		name, _ := p["name"].(string)
		if in := p["in"]; p["required"] == true && (in == "path" || in == "query") {
			needed = append(needed, Parameter{name, in == "path", b.member(name, object(p["schema"])).kind})
		}
	}
	return needed
}

// described is a set with the schema of its response.
type described struct {
	*Set
	response map[string]any
}

// Service has the model of the document as it is now.
type Service struct {
	document *openapi.Document
	cached   cached
}

// New gives the service of a document.
func New(document *openapi.Document) *Service { return &Service{document: document} }

// Model gives the model, or the error to respond with while the document is not whole.
func (s *Service) Model() (*Model, error) {
	if err := s.document.Incomplete(); err != nil {
		return nil, err
	}
	return s.cached.of(s.document.Whole())
}

func object(value any) map[string]any {
	members, _ := value.(map[string]any)
	return members
}
