package mapping

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"ams.internal/deploy/cmd/amsctl/rows"
)

// Remembers says whether rows that were read before decide what becomes of a row.
func (p *Plan) Remembers() bool { return len(p.mapping.OncePer) > 0 }

// Apply makes the records of a row.
func (p *Plan) Apply(row rows.Row) Outcome {
	if row.Problem != "" {
		return Outcome{Problems: []Problem{{Message: "the row " + row.Problem}}}
	}
	if p.whole {
		return p.object(row)
	}
	for _, rule := range p.mapping.Rows {
		if !p.matches(rule, row) {
			continue
		}
		if rule.Then == "skip" {
			return Outcome{Skipped: true}
		}
		return Outcome{Problems: []Problem{{Message: rule.Reason}}}
	}
	if len(p.mapping.OncePer) > 0 {
		var key strings.Builder
		for _, column := range p.mapping.OncePer {
			text, _ := row.Text(column)
			key.WriteString(text + "\x00")
		}
		if p.seen[key.String()] {
			return Outcome{Skipped: true}
		}
		p.seen[key.String()] = true
	}
	var out Outcome
	if p.mapping.Each == nil {
		p.record(row, nil, &out)
		return out
	}
	for _, component := range p.mapping.Each.Columns {
		value, given := p.value(row, component.Column)
		if !given {
			continue
		}
		words := maps.Clone(component.Words)
		words["column"], words["value"] = component.Column, value
		p.record(row, words, &out)
	}
	out.Skipped = len(out.Records)+len(out.Problems) == 0
	return out
}

func (p *Plan) matches(rule Rule, row rows.Row) bool {
	text, given := p.value(row, rule.Column)
	same := func(candidate string) bool { return strings.EqualFold(strings.TrimSpace(candidate), text) }
	switch {
	case rule.Empty:
		return !given
	case rule.In != nil:
		return slices.ContainsFunc(rule.In, same)
	default:
		return !slices.ContainsFunc(rule.NotIn, same)
	}
}

// value is a column's value, and whether it has one.
func (p *Plan) value(row rows.Row, column string) (string, bool) {
	text, _ := row.Text(column)
	return text, !p.nulls[strings.ToLower(text)]
}

func (p *Plan) object(row rows.Row) Outcome {
	record := Record{Fields: make(map[string]any, len(row.Object()))}
	for name, value := range row.Object() {
		if !p.schema[name].ReadOnly {
			record.Fields[name] = value
		}
	}
	record.Name, _ = row.Text("external_id")
	return Outcome{Records: []Record{record}}
}

func (p *Plan) record(row rows.Row, words map[string]string, out *Outcome) {
	record := Record{Fields: make(map[string]any, len(p.fields))}
	var problems []Problem
	for _, t := range p.fields {
		value, err := p.valueOf(t, row, words)
		switch {
		case err != nil:
			problems = append(problems, Problem{Field: t.name, Message: err.Error()})
		case value == nil && t.from.Required:
			problems = append(problems, Problem{Field: t.name, Message: "has no value in this row"})
		case value != nil:
			record.set(t.name, value)
		}
	}
	record.Name, _ = record.Fields["external_id"].(string)
	if len(problems) == 0 {
		out.Records = append(out.Records, record)
		return
	}
	for _, problem := range problems {
		problem.Record = record.Name
		out.Problems = append(out.Problems, problem)
	}
}

// set sets a field, or what stands in an object: custom_fields.NAME, accounts.asset.
func (r Record) set(name string, value any) {
	object, part, is := strings.Cut(name, ".")
	if !is {
		r.Fields[name] = value
		return
	}
	fields, is := r.Fields[object].(map[string]any)
	if !is {
		fields = map[string]any{}
		if given, isText := r.Fields[object].(json.RawMessage); isText {
			_ = json.Unmarshal(given, &fields) // it was checked when it was read
		}
		r.Fields[object] = fields
	}
	fields[part] = value
}
