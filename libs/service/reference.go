package service

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Describe writes the text of -help: the program's commands and every variable with its default and meaning.
func Describe(w io.Writer, program string, configs ...any) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s runs the %s process; %s migrate brings its database up to date and ends.\n", program, program, program)
	fmt.Fprintf(&out, "\nEverything is set by environment variables. A secret may stand in a file instead: NAME_FILE names it.\n")
	for _, config := range configs {
		for _, d := range declarations(reflect.TypeOf(config)) {
			fmt.Fprintf(&out, "\n  %s", d.name)
			if note := d.note(); note != "" {
				fmt.Fprintf(&out, "  (%s)", note)
			}
			fmt.Fprintf(&out, "\n      %s\n", d.meaning())
		}
	}
	_, err := out.WriteTo(w)
	return err
}

// Section is one part of the reference: the variables of a configuration struct that are in no section before it.
type Section struct {
	Title   string // "Every process"
	Text    string // a paragraph below the title; may be empty
	Config  any    // a value of the struct
	Besides any    // a value of a struct whose variables are left out; may be nil
}

// Reference writes docs/configuration.md, or a part of it: a table per section.
func Reference(w io.Writer, sections ...Section) error {
	var out bytes.Buffer
	shown := map[string]bool{}
	for i, section := range sections {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "## %s\n\n", section.Title)
		if section.Text != "" {
			fmt.Fprintf(&out, "%s\n\n", section.Text)
		}
		if section.Besides != nil {
			for _, d := range declarations(reflect.TypeOf(section.Besides)) {
				shown[d.name] = true
			}
		}
		out.WriteString("| Variable | Default | Meaning |\n|---|---|---|\n")
		for _, d := range declarations(reflect.TypeOf(section.Config)) {
			if shown[d.name] {
				continue
			}
			shown[d.name] = true
			value := ""
			switch {
			case d.required:
				value = "must be set"
			case d.fallback != "":
				value = "`" + d.fallback + "`"
			}
			name := "`" + d.name + "`"
			if d.secret {
				name += " or `" + d.name + "_FILE`"
			}
			fmt.Fprintf(&out, "| %s | %s | %s |\n", name, value, strings.ReplaceAll(d.meaning(), "|", "\\|"))
		}
	}
	_, err := out.WriteTo(w)
	return err
}

func (d declaration) note() string {
	var notes []string
	switch {
	case d.required:
		notes = append(notes, "must be set")
	case d.fallback != "":
		notes = append(notes, "default "+d.fallback)
	}
	if d.secret {
		notes = append(notes, "or "+d.name+"_FILE")
	}
	return strings.Join(notes, "; ")
}

func (d declaration) meaning() string {
	meaning := d.doc
	if d.allowed != nil {
		meaning += " One of " + strings.Join(d.allowed, ", ") + "."
	}
	if d.minimum != "" && d.maximum != "" && !strings.Contains(meaning, " from ") {
		meaning += fmt.Sprintf(" From %s to %s.", d.minimum, d.maximum)
	}
	if d.each > 0 {
		meaning += fmt.Sprintf(" Each has %d characters at least.", d.each)
	}
	if d.example != "" {
		meaning += " Example: " + d.example
	}
	return meaning
}
