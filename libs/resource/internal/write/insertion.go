package write

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/table"
)

// insertion is the statement that inserts records: it takes their numbers and positions, writes the rows, counts them in the ledger, and
// gives them back.
type insertion struct {
	*Resource
	args    []any
	numbers []numbering
	names   string // of the columns that have a value
	values  string // of these columns, one for each
	from    string // of what the values are selected: numbers, stamp, which has first_position and at, and the records
	with    string // what stands before the rows
	single  bool   // one record: nothing to be grouped or ordered
}

// insert writes new records.
func (c *Resource) insert(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return err
	}
	in := &insertion{Resource: c, args: []any{p.OrganizationID, c.Row.Name, len(changes), actor}, numbers: c.numberings(changes)}
	if len(changes) == 1 {
		err = in.one(changes[0])
	} else {
		err = in.many(changes)
	}
	if err != nil {
		return err
	}
	if err := c.run(ctx, tx, changes, in.sql(), in.args...); err != nil {
		return err
	}
	for _, n := range in.numbers {
		for it := range n.places {
			n.field.Set(change.Record(it.After), c.Text(it.Written, n.field.Name))
		}
	}
	return nil
}

// parameter adds an argument and gives its name.
func (in *insertion) parameter(value any) string {
	in.args = append(in.args, value)
	return "$" + strconv.Itoa(len(in.args))
}

func (in *insertion) column(name, value string) {
	in.names += ", " + name
	in.values += ", " + value
}

// positions takes the positions and the numbers. from is what they are selected from; before is what the number before the first of each
// numbering is called.
//
// The function that gives positions stands in a table expression of its own, with the locks of the numbers, whose order is so that of
// positions: it changes what belongs to no organization, and so has no place in a part that another machine may run (ADR 58).
func (in *insertion) positions() (from string, before []string) {
	locks, count, numbers := "", "$3::integer", ""
	for i := range in.numbers {
		name, taken := in.parameter(in.counterOf(in.numbers[i].field.Name)), in.parameter(len(in.numbers[i].places))
		numbered := "numbered_" + strconv.Itoa(i)
		numbers += numbered + " AS (" + takeSQL(name, taken) + "), "
		from += numbered + ", "
		before = append(before, numbered+".before")
		locks += fmt.Sprintf("%s lock_%d, ", lockOfCounter(name), i)
		count = fmt.Sprintf("CASE WHEN lock_%d IS NOT NULL THEN %s END", i, count)
	}
	in.with += "stamp AS MATERIALIZED (SELECT s.first_position, s.at FROM " + locks + "reserve_positions($2::text, " + count +
		") s), " + numbers
	return from + "stamp", before
}

// one inserts a record whose values are arguments, each as text.
func (in *insertion) one(it *change.Change) error {
	from, before := in.positions()
	in.from, in.single = from, true
	in.column("id", in.parameter(it.ID)+"::uuid")
	in.column("position", "stamp.first_position")
	record := change.Record(it.After)
	for _, column := range in.Columns {
		if !column.Stored || it.Numbered[column.Name] { // a row that is tried again had a number
			continue
		}
		if value := column.Get(record); value != nil {
			text, err := textOf(value)
			if err != nil {
				return err
			}
			in.column(column.Column, in.parameter(text)+"::"+table.SQLType(column.Field))
		}
	}
	for i, n := range in.numbers {
		in.column(n.field.Column, codeSQL(n.field.Auto, before[i]+" + 1"))
	}
	return nil
}

// textOf is a value as SQL reads it.
func textOf(value any) (string, error) {
	if text, ok := value.(string); ok {
		return text, nil
	}
	text, err := appendJSON(nil, value)
	return string(text), err
}

// many inserts records that are one argument, a JSON array: each has one place in it.
func (in *insertion) many(changes []*change.Change) error {
	records, columns, err := in.document(changes, in.numbers)
	if err != nil {
		return err
	}
	from, before := in.positions()
	types, code := "id uuid", map[string]string{}
	for i, n := range in.numbers {
		types += ", " + n.field.Column + "_place integer"
		code[n.field.Column] = codeSQL(n.field.Auto, before[i]+" + r."+n.field.Column+"_place")
	}
	in.column("id", "r.id")
	in.column("position", "stamp.first_position + r.place - 1")
	for _, column := range columns {
		types += ", " + column.Column + " " + table.SQLType(column.Field)
		value := "r." + column.Column
		if numbered, ok := code[column.Column]; ok {
			value = "coalesce(" + value + ", " + numbered + ")"
			delete(code, column.Column)
		}
		in.column(column.Column, value)
	}
	for _, n := range in.numbers { // of which no record has a number of its own
		if numbered, ok := code[n.field.Column]; ok {
			in.column(n.field.Column, numbered)
		}
	}
	in.with += "input AS (SELECT row_number() OVER () AS place, r.* FROM " +
		"json_to_recordset(" + in.parameter(records) + "::json) r (" + types + ")), "
	in.from = from + ", input r ORDER BY r.place"
	return nil
}

func (in *insertion) sql() string {
	live, grouped, ordered := "count(*)", " GROUP BY 3", " ORDER BY t.position"
	if in.single {
		live, grouped, ordered = "1", "", ""
	}
	counted := ""
	if in.Parent == "" {
		counted = ", counted AS (INSERT INTO ledger (organization_id, collection, block, live) SELECT $1, $2, t.position / " +
			strconv.Itoa(table.BlockSize) + ", " + live + " FROM written t" + grouped + ")"
	}
	return "WITH " + in.with + "written AS (INSERT INTO " + in.Name + " AS t (organization_id, version, created_at, updated_at, " +
		"created_by, updated_by" + in.names + ") SELECT $1, 1, stamp.at, stamp.at, $4::jsonb, $4::jsonb" + in.values + " FROM " + in.from +
		" RETURNING t.*)" + counted + " SELECT " + table.Selection(in.Columns) + " FROM written t" + ordered
}
