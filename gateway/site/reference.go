package site

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
)

// reference is the OpenAPI document, cut into pages: one for each tag, one for webhooks. What a page shows is decoded when it is made.
type reference struct {
	Tags       []*tag
	schemas    map[string]json.RawMessage
	parameters map[string]json.RawMessage
	homes      map[string]*tag // the page on which the schema of a record is shown
}

// tag is a page of the reference.
type tag struct {
	Name       string
	Operations []*operation
}

// Path is where the page is.
func (t *tag) Path() string { return referencePath + "/" + t.Name }

// Title is the name as people read it.
func (t *tag) Title() string {
	if t.Name == "los" || t.Name == "me" {
		return map[string]string{"los": "Levels of service", "me": "The calling key"}[t.Name]
	}
	name := strings.ReplaceAll(t.Name, "-", " ")
	return strings.ToUpper(name[:1]) + name[1:]
}

// operation is a request that callers make, or a webhook that they receive.
type operation struct {
	ID          string                     `json:"operationId"`
	Summary     string                     `json:"summary"`
	Description string                     `json:"description"`
	Tags        []string                   `json:"tags"`
	Scope       string                     `json:"x-scope"`
	Feature     string                     `json:"x-feature"`
	Parameters  []parameter                `json:"parameters"`
	Body        *content                   `json:"requestBody"`
	Responses   map[string]json.RawMessage `json:"responses"`
	Deprecated  bool                       `json:"deprecated"`

	Method, URL string // of a webhook: its type
}

type parameter struct {
	Reference   string          `json:"$ref"`
	Name        string          `json:"name"`
	In          string          `json:"in"`
	Required    bool            `json:"required"`
	Description string          `json:"description"`
	Example     json.RawMessage `json:"example"`
	Schema      schema          `json:"schema"`
}

// content is a body, of a request or a response.
type content struct {
	Description string           `json:"description"`
	Content     map[string]media `json:"content"`
}

// media is a body in one media type: its schema, and as it stands in the document.
type media struct {
	Schema schema
	raw    json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *media) UnmarshalJSON(data []byte) error {
	var described struct {
		Schema json.RawMessage `json:"schema"`
	}
	if err := json.Unmarshal(data, &described); err != nil || described.Schema == nil {
		return err
	}
	m.raw = described.Schema
	return json.Unmarshal(m.raw, &m.Schema)
}

// schema is what the reference shows of a JSON Schema.
type schema struct {
	Reference   string            `json:"$ref"`
	Type        types             `json:"type"`
	Format      string            `json:"format"`
	Description string            `json:"description"`
	Enum        []json.RawMessage `json:"enum"`
	Const       json.RawMessage   `json:"const"`
	Default     json.RawMessage   `json:"default"`
	Examples    []json.RawMessage `json:"examples"`
	Minimum     json.RawMessage   `json:"minimum"`
	Maximum     json.RawMessage   `json:"maximum"`
	MaxLength   json.RawMessage   `json:"maxLength"`
	MaxItems    json.RawMessage   `json:"maxItems"`
	ReadOnly    bool              `json:"readOnly"`
	Deprecated  bool              `json:"deprecated"`
	Required    []string          `json:"required"`
	Items       *schema           `json:"items"`
	AllOf       []schema          `json:"allOf"`
	OneOf       []schema          `json:"oneOf"`
	AnyOf       []schema          `json:"anyOf"`
	Properties  map[string]schema `json:"properties"`
}

// types are one type or several.
type types []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *types) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(t))
	}
	var one string
	err := json.Unmarshal(data, &one)
	*t = types{one}
	return err
}

// webhooksTag is the page of the calls that we make.
const webhooksTag = "webhooks"

var methods = []string{"get", "post", "put", "patch", "delete"}

// newReference reads a document.
func newReference(document []byte) (*reference, error) {
	var whole struct {
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Webhooks   map[string]map[string]json.RawMessage `json:"webhooks"`
		Components struct {
			Schemas    map[string]json.RawMessage `json:"schemas"`
			Parameters map[string]json.RawMessage `json:"parameters"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &whole); err != nil {
		return nil, fmt.Errorf("the OpenAPI document for its reference: %w", err)
	}
	r := &reference{schemas: whole.Components.Schemas, parameters: whole.Components.Parameters, homes: map[string]*tag{}}
	byName := map[string]*tag{}
	add := func(name, url string, item map[string]json.RawMessage) error {
		for _, method := range methods {
			if item[method] == nil {
				continue
			}
			o := &operation{Method: strings.ToUpper(method), URL: url}
			if err := json.Unmarshal(item[method], o); err != nil {
				return fmt.Errorf("%s %s for the reference: %w", method, url, err)
			}
			in := name
			if in == "" && len(o.Tags) > 0 {
				in = o.Tags[0]
			}
			if byName[in] == nil {
				byName[in] = &tag{Name: in}
			}
			byName[in].Operations = append(byName[in].Operations, o)
			var record content
			if _ = json.Unmarshal(o.Responses["200"], &record); in != webhooksTag { // without one: no reference
				if name := nameOf(record.Content["application/json"].Schema.Reference); name != "" && r.homes[name] == nil {
					r.homes[name] = byName[in]
				}
			}
		}
		return nil
	}
	for _, path := range slices.Sorted(maps.Keys(whole.Paths)) {
		if err := add("", path, whole.Paths[path]); err != nil {
			return nil, err
		}
	}
	for _, event := range slices.Sorted(maps.Keys(whole.Webhooks)) {
		if err := add(webhooksTag, event, whole.Webhooks[event]); err != nil {
			return nil, err
		}
	}
	r.Tags = slices.SortedFunc(maps.Values(byName), func(a, b *tag) int { return cmp.Compare(a.Name, b.Name) })
	return r, nil
}

// find gives the page of a name; nil where there is none.
func (r *reference) find(name string) *tag {
	for _, t := range r.Tags {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// nameOf is the name of the schema that a reference leads to; empty for what is none.
func nameOf(reference string) string {
	name, found := strings.CutPrefix(reference, "#/components/schemas/")
	if !found {
		return ""
	}
	return name
}

// field is a row of a table: a parameter, or a member of a JSON object.
type field struct {
	Name, In, Type string
	Link           string // the schema of the type, on the same page
	Required       bool
	Deprecated     bool
	Description    template.HTML
	Values         []string // the only ones
	Limits         string
	Example        string
}

// shownSchema is a named schema below the operations of a page.
type shownSchema struct {
	Name        string
	Description template.HTML
	Fields      []field
}

// shownOperation is an operation as its page shows it.
type shownOperation struct {
	*operation
	Text       template.HTML
	Parameters []field
	Body       *shownBody
	Successes  []shownBody
	Errors     []string // statuses
}

type shownBody struct {
	Status, Text string
	MediaTypes   []string
	Schema, Link string
	Fields       []field
}

// page gives what the page of a tag shows: its operations, and the schemas that these lead to.
func (r *reference) page(t *tag) ([]shownOperation, []shownSchema) {
	s := &schemas{reference: r, shown: map[string]bool{}}
	operations := make([]shownOperation, 0, len(t.Operations))
	for _, o := range t.Operations {
		shown := shownOperation{operation: o, Text: inline(o.Description)}
		for _, p := range o.Parameters {
			shown.Parameters = append(shown.Parameters, s.parameter(p))
		}
		if o.Body != nil {
			body := s.body("", *o.Body)
			shown.Body = &body
		}
		for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
			if status >= "400" {
				shown.Errors = append(shown.Errors, status)
				continue
			}
			var response content
			if json.Unmarshal(o.Responses[status], &response) == nil {
				shown.Successes = append(shown.Successes, s.body(status, response))
			}
		}
		operations = append(operations, shown)
	}
	return operations, s.all()
}

// webhook is a call that we make, as its page shows it.
type webhook struct {
	ID, Type, Object, Link string
	Text                   template.HTML
}

// webhooks gives what their page shows: each with the record that it is about, and the schema of all.
func (r *reference) webhooks(t *tag) ([]webhook, []shownSchema) {
	var all []webhook
	for _, o := range t.Operations {
		shown := webhook{ID: o.ID, Type: o.URL, Text: inline(o.Description)}
		if o.Body != nil {
			for _, part := range o.Body.Content["application/json"].Schema.AllOf {
				shown.Object = cmp.Or(shown.Object, nameOf(part.Properties["data"].Properties["object"].Reference))
			}
		}
		if home := r.homes[shown.Object]; home != nil {
			shown.Link = home.Path() + "#schema-" + shown.Object
		}
		all = append(all, shown)
	}
	s := &schemas{reference: r, shown: map[string]bool{}}
	for _, name := range []string{"Event", "webhooks_Event"} { // the second where another service has a schema of the name
		if r.schemas[name] != nil {
			s.named("#/components/schemas/" + name)
		}
	}
	return all, s.all()
}

// schemas collects the named schemas that a page leads to.
type schemas struct {
	reference *reference
	names     []string
	shown     map[string]bool
}

// all gives the schemas in the order in which they were met; one that another of them leads to comes behind.
func (s *schemas) all() []shownSchema {
	var all []shownSchema
	for i := 0; i < len(s.names); i++ {
		var described schema
		if json.Unmarshal(s.reference.schemas[s.names[i]], &described) == nil {
			all = append(all, shownSchema{Name: s.names[i], Description: inline(described.Description), Fields: s.fields("", described)})
		}
	}
	return all
}

// named notes that a schema is to be shown, and gives its name; empty for what is no reference.
func (s *schemas) named(reference string) string {
	name := nameOf(reference)
	if name != "" && !s.shown[name] {
		s.shown[name] = true
		s.names = append(s.names, name)
	}
	return name
}

func (s *schemas) parameter(p parameter) field {
	if name, isReference := strings.CutPrefix(p.Reference, "#/components/parameters/"); isReference {
		p = parameter{}
		_ = json.Unmarshal(s.reference.parameters[name], &p) // what cannot be read is shown without its name
	}
	f := s.field(p.Name, p.Schema)
	f.In, f.Required = p.In, p.Required
	if p.Description != "" {
		f.Description = inline(p.Description)
	}
	if p.Example != nil {
		f.Example = plain(p.Example)
	}
	return f
}

func (s *schemas) body(status string, c content) shownBody {
	shown := shownBody{Status: status, Text: c.Description, MediaTypes: slices.Sorted(maps.Keys(c.Content))}
	for _, mediaType := range shown.MediaTypes {
		if strings.HasSuffix(mediaType, "json") {
			described := c.Content[mediaType].Schema
			shown.Schema, shown.Link = s.typeOf(described)
			if shown.Link == "" {
				shown.Fields = s.fields("", described)
			}
			break
		}
	}
	return shown
}

// fields are the members of an object; those of objects inside it have the names of both.
func (s *schemas) fields(prefix string, of schema) []field {
	var all []field
	for _, part := range slices.Concat(of.AllOf, of.OneOf, of.AnyOf) {
		if name := s.named(part.Reference); name != "" {
			all = append(all, field{Name: strings.TrimSuffix(prefix, "."), Type: name, Link: name})
		}
		all = append(all, s.fields(prefix, part)...)
	}
	for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
		member := s.inPlace(of.Properties[name])
		f := s.field(prefix+name, member)
		f.Required = slices.Contains(of.Required, name)
		all = append(all, f)
		if member.Items != nil {
			all = append(all, s.fields(prefix+name+"[].", *member.Items)...)
		}
		all = append(all, s.fields(prefix+name+".", member)...)
	}
	return all
}

// longestEnum is how many values a field shows; longer lists have a name only.
const longestEnum = 30

// inPlace gives a schema as its field shows it: with the values of the component that it refers to, and a component or null as one
// that may be null.
func (s *schemas) inPlace(of schema) schema {
	if of.Items != nil {
		items := s.inPlace(*of.Items)
		of.Items = &items
	}
	if len(of.AnyOf) == 2 && slices.Equal(of.AnyOf[1].Type, types{"null"}) {
		of.Reference, of.Type, of.AnyOf = of.AnyOf[0].Reference, types{"null"}, nil
	}
	var named schema
	if name := nameOf(of.Reference); name == "" || json.Unmarshal(s.reference.schemas[name], &named) != nil ||
		len(named.Enum) == 0 || len(named.Enum) > longestEnum {
		return of
	}
	of.Reference, of.Enum, of.Type = "", named.Enum, slices.Concat(named.Type, of.Type)
	return of
}

func (s *schemas) field(name string, of schema) field {
	of = s.inPlace(of)
	f := field{Name: name, Deprecated: of.Deprecated, Description: inline(of.Description)}
	f.Type, f.Link = s.typeOf(of)
	values := of.Enum
	if of.Items != nil && values == nil {
		values = of.Items.Enum
	}
	for _, value := range values {
		f.Values = append(f.Values, plain(value))
	}
	var limits []string
	for _, limit := range []struct {
		words string
		value json.RawMessage
	}{{"at least ", of.Minimum}, {"at most ", of.Maximum}, {"characters at most: ", of.MaxLength}, {"entries at most: ", of.MaxItems},
		{"default: ", of.Default}} {
		if limit.value != nil {
			limits = append(limits, limit.words+plain(limit.value))
		}
	}
	f.Limits = strings.Join(limits, ", ")
	if len(of.Examples) > 0 {
		f.Example = plain(of.Examples[0])
	}
	return f
}

// typeOf says what a value is, and which schema describes it.
func (s *schemas) typeOf(of schema) (words, link string) {
	if name := s.named(of.Reference); name != "" {
		if words = name; slices.Contains(of.Type, "null") {
			words += " or null"
		}
		return words, name
	}
	for _, part := range slices.Concat(of.AllOf, of.OneOf, of.AnyOf) {
		if name := s.named(part.Reference); name != "" && len(of.Properties) == 0 && len(of.AllOf) < 2 {
			return name, name
		}
	}
	if of.Items != nil && slices.Contains(of.Type, "array") {
		words, link = s.typeOf(*of.Items)
		words = "list of " + words
		if slices.Contains(of.Type, "null") {
			words += " or null"
		}
		return words, link
	}
	if of.Const != nil {
		return plain(of.Const), ""
	}
	words = strings.Join(of.Type, " or ")
	if words == "" {
		words = "any value"
	}
	switch of.Format {
	case "", "double", "int64", "int32":
	default:
		words += " (" + of.Format + ")"
	}
	return words, ""
}

// plain shows a JSON value; a text without its quotes.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && text != "" {
		return text
	}
	return string(value)
}

// inline renders a sentence of the document, in which names stand between backticks.
func inline(sentence string) template.HTML {
	var all strings.Builder
	for i, part := range strings.Split(sentence, "`") {
		if i%2 == 1 {
			all.WriteString("<code>" + template.HTMLEscapeString(part) + "</code>")
		} else {
			all.WriteString(template.HTMLEscapeString(part))
		}
	}
	return template.HTML(all.String()) // #nosec G203 -- escaped above
}
