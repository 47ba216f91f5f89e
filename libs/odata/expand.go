package odata

import (
	"fmt"
	"slices"
	"strings"
)

// Expand is a record that is shown within each that refers to it.
type Expand struct {
	Name   string   // of the navigation property
	Select []string // the fields that are shown; nil: all
}

const howToExpand = "is read as $expand=a,b($select=x,y): one level, and $select alone in the parentheses"

// parseExpand reads navigation properties, each with its options in parentheses.
func parseExpand(text string) (all []Expand, err error) {
	for rest := text + ","; rest != ""; {
		end := strings.IndexAny(rest, ",(")
		e := Expand{Name: strings.TrimSpace(rest[:end])}
		behind := rest[end+1:]
		if rest[end] == '(' {
			inside, further, closed := cutParenthesis(behind)
			if !closed {
				return nil, fmt.Errorf("has no ) behind %.50q; it %s", rest, howToExpand)
			}
			if e.Select, err = selectedOf(e.Name, inside); err != nil {
				return nil, err
			}
			var between string
			if between, behind, _ = strings.Cut(further, ","); strings.TrimSpace(between) != "" {
				return nil, fmt.Errorf("has %.50q where it should end, or go on with a comma; it %s", between, howToExpand)
			}
		}
		switch {
		case e.Name == "":
			return nil, fmt.Errorf("lacks the name of a navigation property; it %s", howToExpand)
		case strings.Contains(e.Name, "/"):
			first, _, _ := strings.Cut(e.Name, "/")
			return nil, fmt.Errorf("takes %.50s, not %.50q: it shows records of one level, whole or by $expand=%.50[1]s($select=…); "+
				"what those refer to is had from their own set", first, e.Name)
		case slices.ContainsFunc(all, func(other Expand) bool { return other.Name == e.Name }):
			return nil, fmt.Errorf("names %.50s twice", e.Name)
		}
		all, rest = append(all, e), behind
	}
	return all, nil
}

// cutParenthesis cuts a text at the parenthesis that closes it.
func cutParenthesis(text string) (inside, behind string, closed bool) {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i], text[i+1:], true
			}
		}
	}
	return "", "", false
}

// selectedOf reads the options in the parentheses behind a navigation property.
func selectedOf(name, inside string) (fields []string, err error) {
	option, value, _ := strings.Cut(strings.TrimSpace(inside), "=")
	switch {
	case option == "":
		return nil, fmt.Errorf("has nothing in the parentheses of %.50s; leave them out, or name fields: %.50[1]s($select=…)", name)
	case option != "$select":
		return nil, fmt.Errorf("takes $select alone in the parentheses of %.50s, not %.50q; read the set of those records "+
			"for what else there is", name, option)
	case strings.Contains(value, ";"):
		_, further, _ := strings.Cut(value, ";")
		return selectedOf(name, further)
	}
	if fields, err = parseSelect(value); err != nil {
		return nil, fmt.Errorf("of %.50s: $select %w", name, err)
	}
	return fields, nil
}

// shown is the list of the context URL: what $select names, and what of the records that $expand shows. * stands for all fields.
func (o *Options) shown() []string {
	names := slices.Clone(o.Select)
	for _, e := range o.Expand {
		if e.Select == nil {
			continue
		}
		if names == nil {
			names = []string{"*"}
		}
		names = slices.DeleteFunc(names, func(name string) bool { return name == e.Name })
		names = append(names, e.Name+"("+strings.Join(e.Select, ",")+")")
	}
	return names
}
