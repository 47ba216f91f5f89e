package odata

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"ams.internal/libs/fault"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// Row is one row of a report, as decoded with UseNumber.
type Row = map[string]any

// Rows filters, sorts and cuts the rows of a report, which are all there: names are those that a row may have. It gives what is shown of
// them, how many there are, and whether there are some behind the last that is shown.
func Rows(ctx context.Context, rows []Row, names []string, o *Options) (shown []Row, total int64, behind bool, err error) {
	var problems schema.Problems
	f := newRowFilter(names, o, &problems)
	for _, key := range o.OrderBy {
		checkName("$orderby", key.Name, names, &problems)
	}
	if err := problems.Err(); err != nil {
		return nil, 0, false, err
	}
	all := rows
	rows = make([]Row, 0, len(all))
	for _, row := range all {
		if err := ctx.Err(); err != nil { // of a caller who has left
			return nil, 0, false, err
		}
		if f.keeps(row) {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		for _, key := range o.OrderBy {
			left, right := a[key.Name], b[key.Name]
			if key.Descending && left != nil && right != nil { // null comes last in both directions
				left, right = right, left
			}
			if by := order(left, right); by != 0 {
				return by
			}
		}
		return 0
	})
	total = int64(len(rows))
	rows = rows[min(o.Skip, total):]
	count := min(len(rows), o.PageSize)
	behind = len(rows) > count && (o.Top < 0 || o.Top > int64(count))
	rows = rows[:count]
	for i, row := range rows {
		rows[i] = o.selected(row)
	}
	return rows, total, behind, nil
}

// selected is what $select shows of a row.
func (o *Options) selected(row Row) Row {
	if o.Select == nil {
		return row
	}
	shown := Row{}
	for _, name := range o.Select {
		shown[name] = row[name]
	}
	return shown
}

func checkName(option, name string, names []string, problems *schema.Problems) {
	if !slices.Contains(names, name) {
		problems.Add(option, "%s", Unknown(name, names))
	}
}

// Unknown says that there is no such field.
func Unknown(name string, names []string) string {
	return fmt.Sprintf("%.100q is not a field of this set%s", name, suggest.DidYouMean(name, names))
}

// Response is the body of a page of the rows of a report.
func (r *Request) Response(rows []Row, o *Options, total int64, next string) ([]byte, error) {
	body := r.Begin(nil, o)
	for i, row := range rows {
		if i > 0 {
			body = append(body, ',')
		}
		encoded, err := json.Marshal(row)
		if err != nil {
			return nil, err
		}
		body = append(body, encoded...)
	}
	return r.End(body, o, total, next), nil
}

// ErrToken objects to a $skiptoken that no response gave.
var ErrToken = fault.InvalidFields(fault.Field{Field: "$skiptoken",
	Message: "is not one that a response gave; follow @odata.nextLink whole"})
