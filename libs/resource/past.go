package resource

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
)

// Past is a collection as it stood at the end of a day: its rows with the values that some fields had then, made from the present rows
// and the history since. A field has the old value of its first change after the day; where there is none, its present value. So what
// was entered later has the values that it was first entered with, and what was deleted since is not there.
//
// It is for facts without a date of their own, as the place of an asset. What has one (an assessment, a day of installation) is
// true from that day on, whenever it was entered.
type Past struct {
	Collection, Table string
	Fields            []PastField
}

// PlanPast queues, before a statement that reads rows as they stood on a day that is over, what makes it quick. Postgres does not know how
// many rows its expressions have: where it guesses one, it would join each of them with all of another, which can take minutes.
func PlanPast(ctx context.Context, batch *pgx.Batch, day string) {
	if day < Today(ctx) {
		batch.Queue("SET LOCAL enable_nestloop = off")
	}
}

// PastField is a field that had another value.
type PastField struct {
	Name, SQLType string // the column, and the type that its text in the history is cast to
	Present       string // its present value, an SQL expression over t, where that is not what the column has now
}

// ReadHistory is a common table expression, changed_later, with the entries of all updates of some collections after a day. It reads
// the history once, by its index. after is an SQL expression of type date.
func ReadHistory(after string, collections ...string) string {
	return `changed_later AS MATERIALIZED (
	SELECT h.collection, h.record_id, h.version, h.changes FROM history h
	WHERE h.organization_id = current_organization() AND h.at >= ` + indicators.StartOf(after+" + 1") + `
		AND h.collection IN ('` + strings.Join(collections, "', '") + `') AND h.action = 'updated'
)`
}

// FormerValues is a common table expression, <table>_former, that has a row for each record that was changed after the day: its id, and
// for each field that changed its old value as JSON. It reads changed_later.
func (p Past) FormerValues() string {
	columns, types := make([]string, len(p.Fields)), make([]string, len(p.Fields))
	for i, f := range p.Fields {
		columns[i] = fmt.Sprintf("(array_agg(c.%[1]s->'old' ORDER BY h.version) FILTER (WHERE c.%[1]s IS NOT NULL))[1] AS %[1]s", f.Name)
		types[i] = f.Name + " json"
	}
	return p.Table + `_former AS MATERIALIZED (
	SELECT h.record_id AS id, ` + strings.Join(columns, ",\n\t\t") + `
	FROM changed_later h, json_to_record(h.changes) AS c(` + strings.Join(types, ", ") + `)
	WHERE h.collection = '` + p.Collection + `' GROUP BY h.record_id
)`
}

// Rows is a subselect of the rows as they stood: the fields, and the present values of other columns. present is a condition over the
// present rows t; records are in it too of which a field that the condition names was changed since, as they may have met it then. So the
// caller applies it again to what they were.
func (p Past) Rows(present string, others ...string) string {
	columns := make([]string, 0, len(p.Fields)+len(others))
	for _, f := range p.Fields {
		present := f.Present
		if present == "" {
			present = "t." + f.Name
		}
		columns = append(columns, fmt.Sprintf("CASE WHEN f.%[1]s IS NULL THEN %[3]s ELSE (f.%[1]s #>> '{}')::%[2]s END AS %[1]s",
			f.Name, f.SQLType, present))
	}
	for _, name := range others {
		columns = append(columns, "t."+name)
	}
	former := p.Table + "_former"
	var moved []string
	for _, f := range p.Fields {
		if strings.Contains(present, "t."+f.Name) {
			moved = append(moved, f.Name+" IS NOT NULL")
		}
	}
	if moved != nil {
		present += " OR t.id = ANY(ARRAY(SELECT id FROM " + former + " WHERE " + strings.Join(moved, " OR ") + "))"
	}
	return "(SELECT t.organization_id, t.id, " + strings.Join(columns, ", ") + ", f.id IS NOT NULL AS changed_later FROM " + p.Table +
		" t LEFT JOIN " + former + " f ON f.id = t.id WHERE t.organization_id = current_organization() AND (" + present + "))"
}
