package main

import (
	"html/template"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// form is what somebody typed and what is wrong with it, in their language. Passwords are never shown again.
type form struct {
	values   url.Values
	problems []problem
}

// problem is a message beside a field. Said is what another service says of the value, in English.
type problem struct{ Field, Message, Detail string }

// Value is what was typed.
func (f *form) Value(name string) string { return f.values.Get(name) }

// Has says whether a box with this name and value was ticked, or the entry chosen.
func (f *form) Has(name, value string) bool { return slices.Contains(f.values[name], value) }

// Problem is the message that stands beside a field.
func (f *form) Problem(name string) string { return f.problem(name).Message }

// Detail is what another service says of a field's value.
func (f *form) Detail(name string) string { return f.problem(name).Detail }

func (f *form) problem(name string) problem {
	for _, p := range f.problems {
		if p.Field == name {
			return p
		}
	}
	return problem{}
}

// Problems are all of them, for the summary above the form.
func (f *form) Problems() []problem { return f.problems }

func (f *form) add(field, message string) { f.addDetail(field, message, "") }

func (f *form) addDetail(field, message, said string) {
	if f.Problem(field) == "" {
		f.problems = append(f.problems, problem{field, message, said})
	}
}

func (f *form) hasProblems() bool { return len(f.problems) > 0 }

// readForm is the form as it was sent.
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

// input is one field with its label, its rule, and its problem.
type input struct {
	Name, Kind, Label, Hint, Value, Problem, Detail string
	Attributes                                      []template.HTMLAttr
}

// newInput describes a field: hint may be empty; attributes are name, value pairs from our templates.
func newInput(f *form, kind, name, label, hint string, attributes ...string) input {
	in := input{Name: name, Kind: kind, Label: label, Hint: hint, Problem: f.Problem(name), Detail: f.Detail(name)}
	if kind != "password" {
		in.Value = f.Value(name)
	}
	for i := 0; i+1 < len(attributes); i += 2 {
		in.Attributes = append(in.Attributes, template.HTMLAttr(attributes[i]+`="`+template.HTMLEscapeString(attributes[i+1])+`"`)) // #nosec G203 -- escaped
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

// newFormID names a form that is taken once.
func newFormID() string { return uuid.NewString() }
