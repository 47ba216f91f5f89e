package read

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/transport"
)

const (
	// totalsTimeout is how long the database may take for totals: a little less than the operation.
	totalsTimeout = "25s"
	// maxGroups is how many groups group_by shows: those that group_sort puts first, or of most records.
	maxGroups = "100"
)

// totals gives the number of the records that the query finds, on all pages, and their sums, as a JSON object; with group_by also of each
// group. Sums are exact: they are written as the database has them.
func (t list) totals(ctx context.Context, q *query) (object []byte, err error) {
	expressions := []string{"count(*)::text"}
	for _, sum := range t.Totals.Sums {
		expressions = append(expressions, "coalesce(sum("+sum.SQL+"), 0)::text")
	}
	selected := "SELECT " + strings.Join(expressions, ", ")
	var whole, groups []table.Values
	err = inTurn(ctx, func() error {
		return t.DB.Read(ctx, func(reading context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(reading, "SET LOCAL statement_timeout = '"+totalsTimeout+"'"); err != nil {
				return err
			}
			conditions, err := t.conditionsOfAll(ctx, reading, tx, q)
			if err != nil {
				return err
			}
			from, arguments := " FROM "+t.Name+" t "+t.Totals.Join+" WHERE "+conditions.SQL(), conditions.Arguments(ctx)
			if whole, err = table.ReadRows(reading, tx, selected+from, arguments...); err != nil || q.groupBy == nil {
				return err
			}
			by, key := t.groupedBy(q.groupBy)
			groups, err = table.ReadRows(reading, tx, selected+", count(*) OVER ()::text, "+by+from+" GROUP BY "+by+" ORDER BY "+
				t.orderOfGroups(q.groupSort, key)+" LIMIT "+maxGroups, arguments...)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	object = t.appendSums([]byte{'{'}, whole[0])
	if q.groupBy != nil {
		if object, err = t.appendGroups(ctx, object, q.groupBy, groups); err != nil {
			return nil, err
		}
	}
	return append(object, '}'), nil
}

// groupedBy is what records are grouped by for a field, and what the groups are ordered by.
func (t list) groupedBy(field *table.Column) (by, order string) {
	if expression := t.Totals.GroupedBy[field.Name]; expression != "" {
		return "(" + expression + ")", "(" + expression + ")"
	}
	return field.SQL, field.Order()
}

// groupSorts are the orders that groups can have: by their number, their key, and their sums.
func (t list) groupSorts() []string {
	sorts := []string{"count", "-count", "key", "-key"}
	for _, sum := range t.Totals.Sums {
		sorts = append(sorts, sum.Name, "-"+sum.Name)
	}
	return sorts
}

// orderOfGroups is an order of groups in SQL; of equal ones it goes by the key. By the key, the group without one comes last either way.
func (t list) orderOfGroups(sort, key string) string {
	name, descending := strings.CutPrefix(sort, "-")
	direction := " ASC NULLS LAST"
	if descending {
		direction = " DESC NULLS LAST"
	}
	if name == "key" {
		return key + direction
	}
	for _, sum := range t.Totals.Sums {
		if sum.Name == name {
			return "coalesce(sum(" + sum.SQL + "), 0)" + direction + ", " + key
		}
	}
	if name == "" { // those of most records first
		direction = " DESC"
	}
	return "count(*)" + direction + ", " + key
}

// appendSums appends the number of records and their sums, as members of an object.
func (t list) appendSums(object []byte, row table.Values) []byte {
	object = append(append(object, `"count":`...), row[0]...)
	for i, sum := range t.Totals.Sums {
		object = append(append(append(object, `,"`...), sum.Name...), `":`...)
		object = append(object, row[i+1]...)
	}
	return object
}

// appendGroups appends the groups, those of references with their names where the caller may read them.
func (t list) appendGroups(ctx context.Context, object []byte, by *table.Column, rows []table.Values) ([]byte, error) {
	key := len(t.Totals.Sums) + 2
	var ids []string
	for _, row := range rows {
		if row[key] != nil {
			ids = append(ids, string(row[key]))
		}
	}
	records, err := t.recordsOf(ctx, by.References, ids)
	if err != nil {
		return nil, err
	}
	ids = ids[:0]
	for _, record := range records {
		if id := record.References[catalogue.LocationField]; id != "" {
			ids = append(ids, id)
		}
	}
	locations, err := t.recordsOf(ctx, catalogue.Locations, ids)
	if err != nil {
		return nil, err
	}
	number := []byte("0")
	if len(rows) > 0 {
		number = rows[0][key-1]
	}
	object = append(append(object, `,"number_of_groups":`...), number...)
	object = append(object, `,"groups":[`...)
	for i, row := range rows {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(object, `{"key":`...)
		if row[key] == nil {
			object = append(object, "null"...)
		} else {
			object = table.AppendText(object, row[key])
		}
		object = append(object, `,"name":`...)
		record, known := records[string(row[key])]
		switch {
		case row[key] == nil:
			object = table.AppendText(object, []byte(lacking(by.Name)))
		case known:
			object = table.AppendText(object, []byte(record.Name))
		default:
			object = append(object, "null"...)
		}
		if location, known := locations[record.References[catalogue.LocationField]]; known { // places of one name stand apart by it
			object = table.AppendText(append(object, `,"`+catalogue.LocationField+`":`...), []byte(location.ID))
			object = table.AppendText(append(object, `,"`+catalogue.LocationName+`":`...), []byte(location.Name))
		}
		object = append(t.appendSums(append(object, ','), row), '}')
	}
	return append(object, ']'), nil
}

// lacking is what the group is called that has no value of a field: "No building".
func lacking(field string) string {
	return "No " + strings.ReplaceAll(strings.TrimSuffix(field, "_id"), "_", " ")
}

// recordsOf looks records up that groups are of, by one question. There are none of those that the caller may not read, nor of what is no
// reference.
func (t list) recordsOf(ctx context.Context, collection string, ids []string) (map[string]reference.Entry, error) {
	if collection == "" || strings.HasPrefix(collection, "@") || len(ids) == 0 {
		return nil, nil
	}
	who, row := principal.From(ctx), t.Catalogue.Must(collection)
	if !who.Has(row.Feature) || !who.Allows(row.Scope+":read") {
		return nil, nil
	}
	named := map[string]reference.Entry{}
	entries, err := links.Find(ctx, t.Set, collection, reference.Query{IDs: ids})
	for _, entry := range entries {
		named[entry.ID] = entry
	}
	return named, err
}

// totalsParameter describes totals and group_by, where there are any.
func totalsParameter(t list) []transport.Parameter {
	if t.Totals == nil {
		return nil
	}
	parameters := []transport.Parameter{{Name: "totals", In: "query", Schema: map[string]any{"type": "boolean", "default": false},
		Description: t.Totals.Doc}}
	if t.Totals.Groups != nil {
		parameters = append(parameters, transport.Parameter{Name: "group_by", In: "query", Schema: oneOf(t.Totals.Groups),
			Description: "`totals`, and in it the groups of all that the filters find, those of most records first, up to " + maxGroups + "."},
			transport.Parameter{Name: "group_sort", In: "query", Schema: oneOf(t.groupSorts()),
				Description: "The order of the groups, of which the first " + maxGroups +
					" are shown: by their count, a sum or their key; - before it is descending."})
	}
	return parameters
}
