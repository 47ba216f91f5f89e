package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
)

// column of a table: its title and the fields it is read from ("created_by.name" goes inside).
type column struct{ title, path string }

// show writes one record, or a list of them, as the caller asked for it.
func (s *session) show(raw json.RawMessage, columns ...column) error {
	if s.output == "json" {
		return s.encode(raw)
	}
	var list struct {
		Data []map[string]any `json:"data"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	if list.Data == nil {
		var one map[string]any
		if err := json.Unmarshal(raw, &one); err != nil {
			return err
		}
		if _, empty := one["data"]; !empty {
			return s.sheet(one, columns)
		}
	}
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	for _, c := range columns {
		fmt.Fprint(table, strings.ToUpper(c.title), "\t")
	}
	fmt.Fprintln(table)
	for _, record := range list.Data {
		for _, c := range columns {
			fmt.Fprint(table, cell(record, c.path), "\t")
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

func (s *session) encode(value any) error {
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// sheet writes one record, a field a line.
func (s *session) sheet(record map[string]any, columns []column) error {
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	for _, c := range columns {
		if text := cell(record, c.path); text != "" {
			fmt.Fprintf(table, "%s\t%s\n", c.title, text)
		}
	}
	return table.Flush()
}

func cell(record map[string]any, path string) string {
	var value any = record
	for name := range strings.SplitSeq(path, ".") {
		inner, ok := value.(map[string]any)
		if !ok {
			return ""
		}
		value = inner[name]
	}
	return plain(value)
}

func plain(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case float64: // of JSON: a whole number is written whole
		return strconv.FormatFloat(value, 'f', -1, 64)
	case []any:
		var parts []string
		for _, element := range value {
			parts = append(parts, plain(element))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		text, _ := json.Marshal(value)
		return string(text)
	default:
		return strings.Map(printable, fmt.Sprint(value))
	}
}

// printable keeps what others typed from moving the reader's cursor.
func printable(c rune) rune {
	if c < ' ' || c == 0x7f {
		return ' '
	}
	return c
}
