package read

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/resource/internal/index"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// customCondition is what is asked of a custom field: sql is over alias v of its rows in custom_value, $2 is arg.
type customCondition struct {
	field custom.Field
	sql   string
	arg   any
}

// declared gives what the organization has declared of the custom fields of the list, nothing where no parameter is about them.
func (t list) declared(ctx context.Context, parameters url.Values) (fields []custom.Field, err error) {
	used := strings.Contains(parameters.Get("sort"), custom.Prefix)
	for name := range parameters {
		used = used || strings.HasPrefix(name, custom.Prefix)
	}
	if !used {
		return nil, nil
	}
	return t.declaredOf(ctx)
}

// customField finds a declared custom field by the name of a filter or sort, and notes that the query needs it.
func (q *query) customField(name string) *custom.Field {
	key, ok := strings.CutPrefix(name, custom.Prefix)
	i := slices.IndexFunc(q.declared, func(f custom.Field) bool { return ok && f.Key == key })
	if i < 0 {
		return nil
	}
	if q.declared[i].State != custom.Ready {
		q.pending = &q.declared[i]
	}
	return &q.declared[i]
}

// undeclared says of a filter or sort by custom fields how to make it possible.
func (t list) undeclared(q *query, name string) string {
	if !t.DeclaresCustomFields() {
		return "cannot be asked of: custom fields of " + t.Many() + " can be neither filtered nor sorted by"
	}
	key := strings.TrimPrefix(name, custom.Prefix)
	return fmt.Sprintf(`has no type by which it could be compared; declare it first: PUT %s/custom-fields?key=%s with {"type": `+
		`"number"}, or %s%s`, t.Row.Path, url.QueryEscape(key), "text, date or boolean", q.declaredLike(key))
}

// declaredLike asks whether a declared custom field, or a bound of one, was meant by a key.
func (q *query) declaredLike(key string) string {
	var names []string
	for _, f := range q.declared {
		names = append(names, f.Key)
	}
	if meant, found := suggest.Nearest(key, names); found {
		return "; did you mean " + custom.Prefix + meant + "?"
	}
	if i := strings.LastIndexByte(key, '_'); i > 0 && slices.Contains([]string{"_min", "_max", "_from", "_to"}, key[i:]) {
		if meant, found := suggest.Nearest(key[:i], names); found {
			return "; did you mean " + custom.Prefix + meant + key[i:] + "?"
		}
	}
	return ""
}

// parseCustom adds the condition of a filter by a custom field. A key that ends like a bound, and is declared, is that key.
func (t list) parseCustom(q *query, name, text string, problems *schema.Problems) {
	field, bound := q.customField(name), ""
	for _, end := range []string{"_min", "_max", "_from", "_to"} {
		if base, ok := strings.CutSuffix(name, end); ok && field == nil {
			field, bound = q.customField(base), end
		}
	}
	switch {
	case field == nil:
		problems.Add(name, "%s", t.undeclared(q, name))
	case bound != "" && (field.Type == schema.Text || field.Type == schema.Boolean || !slices.Contains(boundsOf(field.Type), bound)):
		problems.Add(name, "is no filter: %s is declared as %s, which %s", custom.Prefix+field.Key, field.Type, boundsInWords[field.Type])
	case bound != "":
		if value, err := field.Parse(text); err != nil {
			problems.Add(name, "%s", err)
		} else {
			operator := map[string]string{"_min": ">=", "_max": "<=", "_from": ">=", "_to": "<="}[bound]
			q.addCustom(*field, "v.missing = 0 AND v.number "+operator+" $2", field.Expression()+" "+operator+" $2", value)
		}
	default:
		t.customEquals(q, *field, name, text, problems)
	}
}

var boundsInWords = map[schema.Kind]string{
	schema.Text: "has no bounds", schema.Boolean: "has no bounds", schema.Number: "has _min and _max", schema.Date: "has _from and _to",
}

// customEquals takes several values, comma between them, and null for none.
func (t list) customEquals(q *query, f custom.Field, name, text string, problems *schema.Problems) {
	wanted := []string{}
	null := false
	for _, value := range values(name, text, maxValues, problems) {
		if value.Null {
			null = true
		} else if parsed, err := f.Parse(schema.LineOrLines(value.Text)); err != nil {
			problems.Add(name, "%s", err)
		} else {
			wanted = append(wanted, plain(parsed))
		}
	}
	rows := "v.missing = 0 AND v.number = ANY($2::text[]::double precision[])"
	records := f.Expression() + " = ANY($2::text[]::double precision[])"
	if f.Type == schema.Text {
		rows, records = "v.missing = 0 AND v.number = 0 AND v.text = ANY($2::text[])", f.Expression()+" = ANY($2::text[])"
	}
	if null {
		rows, records = "(v.missing IN (1, 2) OR "+rows+")", "("+f.Expression()+" IS NULL OR "+records+")"
	}
	q.addCustom(f, rows, records, wanted)
}

// addCustom adds a condition twice: over alias v, for the rows of custom_value that meet it, and over alias t, for records that are read
// already for another reason.
func (q *query) addCustom(f custom.Field, rows, records string, arg any) {
	q.custom = append(q.custom, customCondition{f, rows, arg})
	q.Add(records, arg)
}

// exact says whether facets and custom fields answer all conditions.
func (q *query) exact() bool { return len(q.facets)+len(q.custom) == len(q.Where) }

// findPositions gives the positions of the records that meet the conditions about facets, words and custom fields, in the snapshot of the
// transaction. It gives none where more than maxPending are pending.
func (t list) findPositions(ctx context.Context, tx pgx.Tx, q *query, maxPending int) (found index.Found, err error) {
	if len(q.facets) > 0 || q.search != nil {
		found, err = index.Find(ctx, tx, t.Table, q.indexQuery(maxPending))
		if err != nil || found.Positions == nil || found.Positions.IsEmpty() {
			return found, err
		}
	}
	if len(q.custom) == 0 && q.customOrder() == nil {
		return found, nil
	}
	sets := make([]*roaring.Bitmap, len(q.custom))
	batch := &pgx.Batch{}
	// What the values of one field are among those of all, statistics do not know: the database would rather read all.
	batch.Queue("SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'off', true)")
	for i, c := range q.custom {
		sql, args := c.statement(ctx)
		batch.Queue(sql, args...).QueryRow(func(row pgx.Row) (err error) {
			sets[i], err = readPositions(row)
			return err
		})
	}
	batch.Queue("SELECT set_config('enable_seqscan', 'on', true)")
	if q.customOrder() != nil { // rows are to be walked in the order of custom_value, and each looked up
		batch.Queue("SELECT set_config('enable_sort', 'off', true), set_config('enable_hashjoin', 'off', true), " +
			"set_config('enable_mergejoin', 'off', true)")
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return found, err
	}
	for _, set := range sets {
		if found.Positions == nil {
			found.Positions = set
		} else {
			found.Positions.And(set)
		}
	}
	return found, nil
}

// statement gives the positions of the records that meet the condition, packed: 8 bytes each, most significant first.
func (c customCondition) statement(ctx context.Context) (sql string, args []any) {
	return "SELECT string_agg(int8send(v.position), '') FROM custom_value v WHERE " + c.field.Rows() + " AND " + c.sql,
		[]any{principal.From(ctx).OrganizationID, c.arg}
}

// readPositions reads what statement gives.
func readPositions(row pgx.Row) (*roaring.Bitmap, error) {
	var packed []byte
	err := row.Scan(&packed)
	positions := make([]uint64, len(packed)/8)
	for i := range positions {
		positions[i] = binary.BigEndian.Uint64(packed[8*i:])
	}
	slices.Sort(positions)
	return roaring.BitmapOf(positions...), err
}

// FilterStatement gives the statement that reads which records meet a filter by a custom field, for tests like Statement.
func FilterStatement(ctx context.Context, tbl *table.Table, name, value string) (sql string, args []any, err error) {
	t, parameters := list{tbl}, url.Values{name: {value}}
	declared, err := t.declared(ctx, parameters)
	if err != nil {
		return "", nil, err
	}
	q, err := t.parseQuery(principal.From(ctx).Calendar(), parameters, declared...)
	if err != nil {
		return "", nil, err
	}
	sql, args = q.custom[0].statement(ctx)
	return sql, args, nil
}

// customOrder is the custom field that the list is sorted by, and of equal values by the ids as they grow: the order in which custom_value
// has its records. nil for any other order.
func (q *query) customOrder() *custom.Field {
	if len(q.sort) != 2 || q.sort[1].descending || !strings.HasPrefix(q.sort[0].Name, custom.Prefix) {
		return nil
	}
	return q.customField(q.sort[0].Name)
}

// sortedAs says what cursors of the list do not outlive: the declarations that it is sorted by, because another type has other values, and
// the order of texts, which releases before had by letters alone.
func (q *query) sortedAs() string {
	var names string
	for _, key := range q.sort {
		if key.by != key.SQL {
			names += " natural"
		}
		if f := q.customField(key.Name); f != nil {
			names += " " + strconv.FormatInt(f.ID, 10)
		}
	}
	return names
}

// walked says whether a page is read from custom_value in its order, row after row. Of few records it is sooner to sort them.
func (q *query) walked() bool {
	return q.customOrder() != nil && q.search == nil && (len(q.Where) == 0 || q.known != nil && *q.known > maxListed)
}

// customKeys gives the common table expressions that end with page, as keysSQL does: the keys of the page's rows, out of custom_value. Rows
// come from parts of it, each of which is read from where it begins: for an ascending order, those behind the cursor; for a descending
// one the parts of descendingKeys; and the records without a value, by id.
func (t list) customKeys(q *query, args *arguments) string {
	field := q.customOrder()
	limit := " LIMIT " + strconv.Itoa(q.perPage+1)
	partLimit, skip := limit, ""
	if skipped := q.offset(); skipped > 0 {
		partLimit, skip = " LIMIT "+args.add(skipped+int64(q.perPage)+1)+"::bigint", " OFFSET "+args.add(skipped)+"::bigint"
	}
	from := "FROM custom_value v WHERE " + field.Rows()
	if len(q.Where) > 0 {
		from = "FROM custom_value v JOIN " + t.Name + " t ON t.organization_id = v.organization_id AND t.id = v.id WHERE " +
			field.Rows() + " AND " + q.SQL()
		for _, c := range q.custom {
			if c.field.ID == field.ID { // said of these rows, too, so that the walk begins at the first of them
				from += " AND " + strings.ReplaceAll(c.sql, "$2", args.add(c.arg))
			}
		}
	}
	// Numbers have the columns of the primary key in its order, all with a value; texts those of the index custom_value_natural.
	value, valued, columns, downwards := "v.number", "v.missing = 0", "v.number, v.text, v.id", "v.number DESC, v.text DESC"
	key := func(value, id string) string { return "(" + value + ", '', " + id + ")" }
	if field.Type == schema.Text {
		value, valued = naturalText, "v.missing = 0 AND v.number = 0"
		columns, downwards = value+", v.id", value+" DESC"
		key = func(value, id string) string { return "(" + value + ", " + id + ")" }
	}
	rows := func(condition, order string) string {
		return "SELECT " + value + " AS key0, v.id AS key1 " + from + " AND " + condition + " ORDER BY " + order + partLimit
	}
	// Those without a value are looked for only where those with one do not fill the page.
	nulls := func(condition string) (parts []string) {
		for _, missing := range []string{"1", "2"} {
			parts = append(parts, "SELECT NULL::"+field.Cast()+" AS key0, v.id AS key1 "+from+" AND v.missing = "+missing+
				" AND v.number = 0 AND v.text = ''"+condition+" ORDER BY v.id"+partLimit)
		}
		return parts
	}
	page := func(parts []string) string {
		return "page AS MATERIALIZED (SELECT * FROM ((" + strings.Join(parts, ") UNION ALL (") + ")) u" + q.namedOrder("") + limit + skip + ")"
	}
	whole := func(parts ...string) string {
		return "valued AS MATERIALIZED ((" + strings.Join(parts, ") UNION ALL (") + ")), " + page(append(
			nulls(" AND (SELECT count(*) FROM valued) < "+strings.TrimPrefix(partLimit, " LIMIT ")), "SELECT key0, key1 FROM valued"))
	}
	switch {
	case q.after != nil && q.after[0] == nil:
		return "WITH " + page(nulls(" AND v.id > "+args.add(*q.after[1])))
	case !q.sort[0].descending && q.after != nil:
		return "WITH " + whole(rows(valued+" AND ("+columns+") > "+key(args.add(*q.after[0]), args.add(*q.after[1])), columns))
	case !q.sort[0].descending:
		return "WITH " + whole(rows(valued, columns))
	}
	var parts []string
	below := valued
	if q.after != nil {
		after := args.add(*q.after[0])
		parts = append(parts, rows("v.missing = 0 AND "+same(field, after)+" AND v.id > "+args.add(*q.after[1]), "v.id"))
		below += " AND " + value + " < " + after
	}
	edge := "(SELECT key0 FROM edge)"
	parts = append(parts, rows(below+" AND "+value+" > "+edge, downwards), rows("v.missing = 0 AND "+same(field, edge), "v.id"))
	return "WITH edge AS MATERIALIZED (SELECT min(key0) AS key0 FROM (" + rows(below, downwards) + ") e), " + whole(parts...)
}

// naturalText is the text of a row of custom_value, as lists are ordered by it.
var naturalText = table.Natural("v.text")

// same is the condition of the rows of custom_value with a value: both columns are said, so that those rows have the order of their ids.
func same(field *custom.Field, value string) string {
	if field.Type == schema.Text {
		return "v.number = 0 AND " + naturalText + " = " + value
	}
	return "v.number = " + value + " AND v.text = ''"
}
