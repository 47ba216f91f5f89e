package console

import (
	"html/template"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// form is the values that a person submitted, with the problems in them, in the person's language. Passwords are never
// shown again.
type form struct {
	values   url.Values
	problems []problem
}

// problem is a message for a field. Detail is the message of another service, in English.
type problem struct{ Field, Message, Detail string }

// Value is the submitted value of a field.
func (f *form) Value(name string) string { return f.values.Get(name) }

// Has reports whether a box with this name and value was ticked, or the entry selected.
func (f *form) Has(name, value string) bool { return slices.Contains(f.values[name], value) }

// Problem is the message of a field.
func (f *form) Problem(name string) string { return f.problem(name).Message }

// Detail is another service's message of a field.
func (f *form) Detail(name string) string { return f.problem(name).Detail }

func (f *form) problem(name string) problem {
	for _, p := range f.problems {
		if p.Field == name {
			return p
		}
	}
	return problem{}
}

// Problems are all problems, for the summary above the form.
func (f *form) Problems() []problem { return f.problems }

func (f *form) add(field, message string) { f.addDetail(field, message, "") }

func (f *form) addDetail(field, message, detail string) {
	if f.Problem(field) == "" {
		f.problems = append(f.problems, problem{field, message, detail})
	}
}

func (f *form) hasProblems() bool { return len(f.problems) > 0 }

// readForm returns the submitted form.
func (req *pageRequest) readForm() *form {
	if err := req.r.ParseForm(); err != nil {
		return &form{values: url.Values{}}
	}
	values := url.Values{}
	for name, all := range req.r.PostForm {
		for _, value := range all {
			values.Add(name, strings.ToValidUTF8(strings.ReplaceAll(value, "\x00", ""), ""))
		}
	}
	return &form{values: values}
}

// input is a field with its label, its hint and its problem.
type input struct {
	Name, Kind, Label, Hint, Value, Problem, Detail string
	Attributes                                      []template.HTMLAttr
}

// newInput describes a field. The hint may be empty. Attributes are pairs of name and value from our templates.
func newInput(f *form, kind, name, label, hint string, attributes ...string) input {
	in := input{Name: name, Kind: kind, Label: label, Hint: hint, Problem: f.Problem(name), Detail: f.Detail(name)}
	if kind != "password" {
		in.Value = f.Value(name)
	}
	for i := 0; i+1 < len(attributes); i += 2 {
		attribute := attributes[i] + `="` + template.HTMLEscapeString(attributes[i+1]) + `"`
		in.Attributes = append(in.Attributes, template.HTMLAttr(attribute)) // #nosec G203 -- escaped
	}
	return in
}

// Described is the value of aria-describedby.
func (in input) Described() string {
	var ids []string
	if in.Hint != "" {
		ids = append(ids, in.Name+"-hint")
	}
	if in.Problem != "" {
		ids = append(ids, in.Name+"-problem")
	}
	return strings.Join(ids, " ")
}

// newFormID returns the id of a form that is accepted once.
func newFormID() string { return uuid.NewString() }
