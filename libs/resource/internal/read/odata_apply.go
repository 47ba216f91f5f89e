package read

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/odata"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
)

// maxApplyGroups is how many groups $apply gives.
const maxApplyGroups = 10_000

// apply gives the groups that $apply asks for, as a body. They are read whole: sums and other figures are exact, as the database has them.
func (t list) apply(ctx context.Context, q *query, request *odata.Request, o *odata.Options) ([]byte, error) {
	groups, err := t.groupsOf(o.Apply)
	if err != nil {
		return nil, err
	}
	if err := table.MayQuery(ctx, groups.queried...); err != nil {
		return nil, err
	}
	var rows []odata.Row
	err = inTurn(ctx, func() error {
		return t.DB.FromReplica(ctx, func(ctx context.Context) (err error) {
			rows, err = t.readGroups(ctx, q, groups)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	if len(rows) > maxApplyGroups {
		return nil, fault.InvalidFields(fault.Field{Field: "$apply",
			Message: "has more than " + strconv.Itoa(maxApplyGroups) + " groups; group by fewer fields, or filter the records first"})
	}
	applied := *o
	applied.Apply, applied.PageSize = nil, len(rows)
	if o.Top >= 0 {
		applied.PageSize = int(min(o.Top, int64(len(rows))))
	}
	shown, total, _, err := odata.Rows(ctx, rows, o.Apply.Names(), &applied)
	if err != nil {
		return nil, err
	}
	if o.TextNumbers {
		groups.textNumbers(shown)
	}
	applied.Select = o.Apply.Names()
	return request.Response(shown, &applied, total, "")
}

// group is the statement of $apply in the making: the members of a group, and how each becomes JSON.
type group struct {
	names   []string
	columns []*table.Column
	texts   []bool          // numbers that are texts where IEEE754Compatible=true is asked for
	by      []string        // expressions that are grouped by
	order   []string        // of the groups
	queried []*table.Column // of the table, that are grouped by or counted
}

// groupsOf checks what is grouped and aggregated.
func (t list) groupsOf(a *odata.Apply) (group, error) {
	var problems schema.Problems
	var g group
	filterable := t.Schema.Names(func(f *schema.Field) bool {
		return (f.Filter == "equals" || f.Filter == "range" || f.Filter == "prefix") && f.Kind != schema.List && f.Kind != schema.Object
	})
	for _, name := range a.GroupBy {
		c := t.named("$apply", name, &problems)
		if c == nil {
			continue
		}
		if !slices.Contains(filterable, name) {
			problems.Add("$apply", "cannot group by %s; these can be: %s", name, strings.Join(filterable, ", "))
			continue
		}
		g.names, g.columns, g.queried = append(g.names, name), append(g.columns, c), append(g.queried, c)
		g.by, g.order = append(g.by, c.SQL), append(g.order, c.Order())
		g.texts = append(g.texts, odata.HasTextNumbers(c.JSON))
	}
	for _, aggregate := range a.Aggregates {
		g.names = append(g.names, aggregate.As)
		if aggregate.Of == "" {
			g.columns, g.texts = append(g.columns, table.Computed("count(*)", schema.Integer)), append(g.texts, true)
			continue
		}
		c := t.named("$apply", aggregate.Of, &problems)
		if c == nil {
			continue
		}
		g.columns, g.queried = append(g.columns, aggregated(c, aggregate, &problems)), append(g.queried, c)
		g.texts = append(g.texts, isTextNumber(c, aggregate.With))
	}
	return g, problems.Err()
}

// isTextNumber says whether an aggregate is a number that a double does not hold exactly: all but what is made of doubles, and the least
// or greatest of small whole numbers. In OData numbers of records are of the type Edm.Decimal.
func isTextNumber(c *table.Column, with string) bool {
	switch with {
	case "min", "max":
		return odata.HasTextNumbers(c.JSON)
	case "sum", "average":
		return c.Kind == schema.Integer || odata.HasTextNumbers(c.JSON)
	}
	return true
}

// textNumbers has such numbers of the groups be texts.
func (g group) textNumbers(rows []odata.Row) {
	for _, row := range rows {
		for i, name := range g.names {
			if number, isNumber := row[name].(json.Number); isNumber && g.texts[i] {
				row[name] = number.String()
			}
		}
	}
}

// aggregated is the column of an aggregate.
func aggregated(c *table.Column, a odata.Aggregate, problems *schema.Problems) *table.Column {
	number := c.Kind == schema.Integer || c.Kind == schema.Number
	switch a.With {
	case "countdistinct":
		if c.Kind != schema.List && c.Kind != schema.Object {
			return table.Computed("count(DISTINCT "+c.SQL+")", schema.Integer)
		}
	case "min", "max":
		if number || c.Kind == schema.Date || c.Kind == schema.Time {
			return table.Computed(a.With+"("+c.SQL+")", c.Kind)
		}
	case "sum":
		if number {
			return table.Computed("sum("+c.SQL+")", schema.Number)
		}
	case "average":
		if number {
			return table.Computed("avg("+c.SQL+")", schema.Number)
		}
	}
	problems.Add("$apply", "cannot aggregate %s with %s, since it is a %s", c.Name, a.With, c.Kind)
	return nil
}

// readGroups reads the groups, and one more than there may be.
func (t list) readGroups(ctx context.Context, q *query, g group) (rows []odata.Row, err error) {
	sql := ""
	if len(g.by) > 0 {
		sql = " GROUP BY " + strings.Join(g.by, ", ") + " ORDER BY " + strings.Join(g.order, ", ")
	}
	err = t.DB.Read(ctx, func(reading context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(reading, "SET LOCAL statement_timeout = '"+totalsTimeout+"'"); err != nil {
			return err
		}
		conditions, err := t.conditionsOfAll(ctx, reading, tx, q)
		if err != nil {
			return err
		}
		found, err := tx.Query(reading, "SELECT "+table.Selection(g.columns)+" FROM "+t.Name+" t WHERE "+conditions.SQL()+sql+
			" LIMIT "+strconv.Itoa(maxApplyGroups+1), conditions.Arguments(ctx)...)
		if err != nil {
			return err
		}
		defer found.Close()
		for found.Next() {
			row, err := g.row(found.RawValues())
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		return found.Err()
	})
	return rows, err
}

// row gives a group with its numbers as the database writes them.
func (g group) row(values table.Values) (odata.Row, error) {
	row := odata.Row{}
	for i, c := range g.columns {
		decoder := json.NewDecoder(bytes.NewReader(c.AppendValue(nil, values[i])))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		row[g.names[i]] = value
	}
	return row, nil
}
