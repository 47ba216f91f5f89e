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
	fmt.Fprintf(&out, "ams serve %s runs %s; ams migrate %s brings its database up to date and ends.\n", program, program, program)
	fmt.Fprintf(&out,
		"\nEverything is set by environment variables. A secret may stand in a file instead: NAME_FILE names it. AMS_%s_X is AMS_X of this\n"+
			"program alone, where it shares a process with others.\n", strings.ToUpper(program))
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

// describeAll writes the text of -help: the commands and the programs.
func describeAll(w io.Writer, programs []Program) error {
	var out bytes.Buffer
	fmt.Fprint(&out, `ams is the asset management service: a gateway and the services behind it, each a target.

  ams serve NAME…|all       serves until SIGTERM; all of them in one process find each other without Consul
  ams migrate NAME…|all     brings their schemas up to date, and ends
  ams ready                 exits with 0 when the process that listens on AMS_LISTEN is ready
  ams -help NAME            lists the variables of a target

`)
	for _, p := range programs {
		fmt.Fprintf(&out, "  %s\n", p.Name)
	}
	fmt.Fprint(&out, `
Everything is set by environment variables. AMS_ASSETS_X is AMS_X of the target assets alone: each target has a role of its own in the
database, so that one process for several needs AMS_ASSETS_DATABASE_URL, AMS_USERS_DATABASE_URL and so on.
`)
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
