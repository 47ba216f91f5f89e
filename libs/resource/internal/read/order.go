package read

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ams.internal/libs/resource/internal/table"
)

// sortKey is one key of an order.
type sortKey struct {
	*table.Column
	by         string // the expression over alias t that rows are compared by
	descending bool
}

// sortBy is the key that compares by a column.
func sortBy(c *table.Column, descending bool) sortKey { return sortKey{c, c.Order(), descending} }

// clause is the key of an ORDER BY clause over expression. Nulls come last in both directions.
func (k sortKey) clause(expression string) string {
	if !k.descending {
		return expression
	}
	if k.Nullable {
		return expression + " DESC NULLS LAST"
	}
	return expression + " DESC"
}

// indexed says whether an index has the whole order: of one field, and of equal values the ids as they grow.
func (q *query) indexed() bool {
	return len(q.Where) == 0 && len(q.sort) == 2 && q.sort[0].Indexed && !q.sort[1].descending
}

// order gives the ORDER BY clause. Every order ends with a unique key, so no row is repeated or lost between pages.
func (q *query) order() string {
	if q.ranked != nil {
		places, _ := json.Marshal(q.ranked) // of numbers: no error
		return " ORDER BY array_position('{" + strings.Trim(string(places), "[]") + "}'::bigint[], t.position)"
	}
	if len(q.sort) == 0 {
		if q.backwards {
			return " ORDER BY t.position DESC"
		}
		return " ORDER BY t.position"
	}
	var keys []string
	for _, key := range q.sort {
		keys = append(keys, key.clause(key.by))
	}
	return " ORDER BY " + strings.Join(keys, ", ")
}

// orderValues are the expressions that a cursor keeps of its row.
func (q *query) orderValues() string {
	if len(q.sort) == 0 {
		return "t.position"
	}
	var values []string
	for _, key := range q.sort {
		values = append(values, key.by)
	}
	return strings.Join(values, ", ")
}

// arguments are those of a statement in the making.
type arguments []any

// add gives the placeholder of one more argument. Its type follows from what it is compared with.
func (a *arguments) add(value any) string {
	*a = append(*a, value)
	return "$" + strconv.Itoa(len(*a))
}

// behind is the condition of the rows behind the cursor's in any order; it begins with AND, and is empty without a cursor.
func (q *query) behind(args *arguments) string {
	if q.after == nil {
		return ""
	}
	if len(q.sort) == 0 {
		comparison := " > "
		if q.backwards {
			comparison = " < "
		}
		return " AND t.position" + comparison + args.add(*q.after[0])
	}
	var cases []string
	same := "" // as the cursor's row in all keys before this one
	for i, key := range q.sort {
		if q.after[i] == nil { // nothing comes behind null
			same += key.by + " IS NULL AND "
			continue
		}
		value, further := args.add(*q.after[i]), " > "
		if key.descending {
			further = " < "
		}
		condition := key.by + further + value
		if key.Nullable {
			condition = "(" + condition + " OR " + key.by + " IS NULL)"
		}
		cases = append(cases, "("+same+condition+")")
		same += key.by + " = " + value + " AND "
	}
	condition := " AND (" + strings.Join(cases, " OR ") + ")"
	// Said once more of the first key alone, for an index.
	switch first := q.sort[0]; {
	case q.after[0] == nil:
		condition += " AND " + first.by + " IS NULL"
	case !first.Nullable && first.descending:
		condition += " AND " + first.by + " <= " + args.add(*q.after[0])
	case !first.Nullable:
		condition += " AND " + first.by + " >= " + args.add(*q.after[0])
	}
	return condition
}

// keysSQL gives the common table expressions that end with page: the keys and ids of the page's rows, and of one more. They read nothing
// but the index where that has the order; else they read all rows once, and keep the first.
func (t list) keysSQL(q *query, args *arguments) string {
	if q.walked() {
		return t.customKeys(q, args)
	}
	limit := strconv.Itoa(q.perPage + 1)
	skip := ""
	if q.offset() > 0 {
		skip = " OFFSET " + args.add(q.offset()) + "::bigint"
	}
	if q.indexed() && q.sort[0].descending {
		return t.descendingKeys(q, args, limit, skip)
	}
	rows := func(condition string) string {
		return "SELECT " + q.named() + " FROM " + t.Name + " t WHERE " + q.SQL() + condition + q.order() + " LIMIT " + limit
	}
	first := q.sort[0]
	if !q.indexed() || q.after == nil || q.after[0] == nil {
		return "WITH page AS MATERIALIZED (" + rows(q.behind(args)) + skip + ")"
	}
	further := rows(fmt.Sprintf(" AND (%s, t.id) > (%s, %s)", first.by, args.add(*q.after[0]), args.add(*q.after[1])))
	if !first.Nullable {
		return "WITH page AS MATERIALIZED (" + further + ")"
	}
	return together(q, limit, further, rows(" AND "+first.by+" IS NULL"))
}

// named selects the values of the order as key0, key1 and so on; the last of them is the id.
func (q *query) named() string {
	var values []string
	for i, key := range q.sort {
		values = append(values, fmt.Sprintf("%s AS key%d", key.by, i))
	}
	return strings.Join(values, ", ")
}

// namedOrder is the order over what named selects.
func (q *query) namedOrder(alias string) string {
	var keys []string
	for i, key := range q.sort {
		keys = append(keys, key.clause(fmt.Sprintf("%skey%d", alias, i)))
	}
	return " ORDER BY " + strings.Join(keys, ", ")
}

// together takes the first rows of several parts, each of which has its own first rows.
func together(q *query, limit string, parts ...string) string {
	return "WITH page AS MATERIALIZED (SELECT * FROM ((" + strings.Join(parts, ") UNION ALL (") + ")) u" + q.namedOrder("") +
		" LIMIT " + limit + ")"
}

// descendingKeys is keysSQL for a descending order. Read backwards, the index has the values in this order, but equal ones by descending
// id, and the nulls first. So the rows come from parts of the index, each of which is read from where it begins: those that have the
// cursor's value, by id; those with lesser values, down to the value of the last row that may be needed; those that have that value, by
// id; and the nulls, by id.
func (t list) descendingKeys(q *query, args *arguments, limit, skip string) string {
	key := q.sort[0].by
	rows := func(condition, order string) string {
		return "SELECT " + q.named() + " FROM " + t.Name + " t WHERE t.organization_id = $1" + condition + " ORDER BY " + order +
			" LIMIT " + limit
	}
	ascending, downwards := key+", t.id", key+" DESC"
	valued := ""
	if q.sort[0].Nullable {
		valued = " AND " + key + " IS NOT NULL"
	}
	if skip != "" {
		walked := rows(valued, downwards+", t.id") + skip
		if valued == "" {
			return "WITH page AS MATERIALIZED (" + walked + ")"
		}
		// How many nulls come before the page is counted only where they are on it.
		nulls := rows(" AND "+key+" IS NULL", ascending) + " OFFSET CASE WHEN (SELECT count(*) FROM valued) < " + limit + " THEN greatest(0," +
			strings.TrimPrefix(skip, " OFFSET") + " - (SELECT count(*) FROM " + t.Name + " t WHERE t.organization_id = $1" + valued + ")) ELSE 0 END"
		return "WITH valued AS MATERIALIZED (" + walked + "), " + strings.TrimPrefix(together(q, limit, "SELECT * FROM valued", nulls), "WITH ")
	}
	var parts []string
	below := valued
	switch {
	case q.after == nil:
	case q.after[0] == nil:
		return "WITH page AS MATERIALIZED (" + rows(" AND "+key+" IS NULL AND t.id > "+args.add(*q.after[1]), ascending) + ")"
	default:
		value := args.add(*q.after[0])
		parts = append(parts, rows(" AND "+key+" = "+value+" AND t.id > "+args.add(*q.after[1]), ascending))
		below = " AND " + key + " < " + value
	}
	edge := "(SELECT key0 FROM edge)"
	parts = append(parts, rows(below+" AND "+key+" > "+edge, downwards), rows(" AND "+key+" = "+edge, ascending))
	if valued != "" {
		parts = append(parts, rows(" AND "+key+" IS NULL", ascending))
	}
	return "WITH edge AS MATERIALIZED (SELECT key0 FROM (" + rows(below, downwards) + ") e ORDER BY key0 LIMIT 1), " +
		strings.TrimPrefix(together(q, limit, parts...), "WITH ")
}
