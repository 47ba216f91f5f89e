package adoption

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ams.internal/deploy/cmd/amsctl/mapping"
	"ams.internal/deploy/cmd/amsctl/rows"
)

// Rule says which assets are of a class. What is empty fits every asset.
type Rule struct {
	Category        string
	ServiceCategory string
	UniformatCode   string // the beginning of it
	Class           string // the code of an accounting class; empty: they are no capital assets
	Line            int    // of the file
}

// columns of a class map, in the order in which messages name them.
var columns = []string{"category", "service_category", "uniformat_code", "class"}

// ReadClassMap reads a CSV file that says which assets are of which accounting class.
func ReadClassMap(path, encoding string) (rules []Rule, err error) {
	reader, err := rows.Open(path, rows.Options{Format: "csv", Encoding: encoding})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for _, name := range reader.Header() {
		if !slices.Contains(columns, name) {
			return nil, fmt.Errorf("%s: there is no column %q in a class map%s; there are %s", path, name, mapping.Near(name, columns),
				strings.Join(columns, ", "))
		}
	}
	if !slices.Contains(reader.Header(), "class") {
		return nil, fmt.Errorf("%s has no column class, which says the code of the accounting class", path)
	}
	for {
		row, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && row.Problem != "" {
			err = fmt.Errorf("the row %s", row.Problem)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, row.Line, err)
		}
		text := func(column string) string { text, _ := row.Text(column); return text }
		rules = append(rules, Rule{Category: text("category"), ServiceCategory: text("service_category"), UniformatCode: text("uniformat_code"),
			Class: text("class"), Line: row.Line})
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("%s has no rows", path)
	}
	return rules, nil
}

// fits says whether an asset is of the rule's class.
func (r Rule) fits(a *Asset) bool {
	same := func(wanted string, value *string) bool {
		return wanted == "" || value != nil && strings.EqualFold(wanted, *value)
	}
	return same(r.Category, a.Category) && same(r.ServiceCategory, a.ServiceCategory) &&
		(r.UniformatCode == "" || a.UniformatCode != nil &&
			strings.HasPrefix(strings.ToUpper(*a.UniformatCode), strings.ToUpper(r.UniformatCode)))
}
