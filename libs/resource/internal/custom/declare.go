package custom

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
)

// lockDeclarations makes changes of what an organization has declared of a collection wait for each other.
func lockDeclarations(ctx context.Context, tx pgx.Tx, t *table.Table) error {
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('custom fields ' || $1::text || $2::text, 0))",
		principal.From(ctx).OrganizationID, t.Row.Name)
	return err
}

// find gives the declaration of a key, or nil.
func find(ctx context.Context, tx pgx.Tx, t *table.Table, key string) (*Field, int, error) {
	fields, err := Declared(ctx, tx, t)
	for i := range fields {
		if fields[i].Key == key {
			return &fields[i], len(fields), err
		}
	}
	return nil, len(fields), err
}

// Declare declares a custom field, and gives what it was declared as before, nil for nothing. Values are yet to be built by Work where they
// are compared by another type than before.
func Declare(ctx context.Context, tx pgx.Tx, t *table.Table, key string, d Declaration) (former *Declaration, err error) {
	if err := lockDeclarations(ctx, tx, t); err != nil {
		return nil, err
	}
	field, n, err := find(ctx, tx, t, key)
	switch {
	case err != nil:
		return nil, err
	case field != nil && field.Type == d.compared():
		if reflect.DeepEqual(field.Declaration, d) { // nothing was said anew
			return &field.Declaration, nil
		}
		_, err = tx.Exec(ctx, "UPDATE custom_field SET declaration = $3 WHERE organization_id = $1 AND id = $2",
			principal.From(ctx).OrganizationID, field.ID, d)
		return &field.Declaration, err
	case field != nil:
		former, err = &field.Declaration, remove(ctx, tx, field.ID)
	case n >= MaxFields:
		err = fault.Conflict("too_many_custom_fields", "key", key,
			"The organization has declared %d custom fields of %s, which is the most; delete a declaration that no list needs.", MaxFields, t.Many())
	}
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, "INSERT INTO custom_field (organization_id, collection, key, type, declaration) VALUES ($1, $2, $3, $4, $5)",
		principal.From(ctx).OrganizationID, t.Row.Name, key, d.compared(), d)
	return former, err
}

// Find gives the declaration of a key. One that is not declared is a 404.
func Find(ctx context.Context, tx pgx.Tx, t *table.Table, key string) (*Field, error) {
	field, _, err := find(ctx, tx, t, key)
	if err == nil && field == nil {
		err = fault.New(fault.KindNotFound, "not_found", "No type is declared for the custom field %.100q of %s.", key, t.Many())
	}
	return field, err
}

// Remove takes the declaration of a custom field back, and gives it. One that is not declared is a 404.
func Remove(ctx context.Context, tx pgx.Tx, t *table.Table, key string) (*Declaration, error) {
	if err := lockDeclarations(ctx, tx, t); err != nil {
		return nil, err
	}
	field, err := Find(ctx, tx, t, key)
	if err != nil {
		return nil, err
	}
	return &field.Declaration, remove(ctx, tx, field.ID)
}

// remove leaves a declaration, which no list and no write sees from now on, to Work.
func remove(ctx context.Context, tx pgx.Tx, id int64) error {
	_, err := tx.Exec(ctx, "UPDATE custom_field SET state = 'removed' WHERE organization_id = $1 AND id = $2",
		principal.From(ctx).OrganizationID, id)
	return err
}

// Counts are how many records have a value of a field's type, one that cannot be read as it, and how many do not meet the declaration.
type Counts struct{ Values, Unparsed, Exceptions int64 }

// Count counts the records of a field whose values are built, those that the caller may see.
func (f *Field) Count(ctx context.Context, tx pgx.Tx, t *table.Table) (c Counts, err error) {
	err = tx.QueryRow(ctx, "SELECT count(*) FILTER (WHERE v.missing = 0), count(*) FILTER (WHERE v.missing = 2) FROM custom_value v WHERE "+
		f.Rows()+" AND v.missing IN (0, 2)"+among(t, t.VisibleTo(ctx)), principal.From(ctx).OrganizationID).Scan(&c.Values, &c.Unparsed)
	if err != nil {
		return c, err
	}
	_, c.Exceptions, err = f.Exceptions(ctx, tx, t, 0, 0)
	return c, err
}

// among narrows rows of custom_value to those of the records that meet conditions over alias t.
func among(t *table.Table, conditions ...string) string {
	conditions = slices.DeleteFunc(conditions, func(condition string) bool { return condition == "" })
	if len(conditions) == 0 {
		return ""
	}
	return " AND v.id IN (SELECT t.id FROM " + t.Name + " t WHERE t.organization_id = $1 AND " + strings.Join(conditions, " AND ") + ")"
}

// Exceptions counts the records that do not meet the declaration, those that the caller may see, and gives the ids of some of them: count
// behind the first skip, those with a value of the type first. Its values are built.
func (f *Field) Exceptions(ctx context.Context, tx pgx.Tx, t *table.Table, skip int64, count int) (ids []string, total int64, err error) {
	from, args := f.exceptions(ctx, t)
	order := " ORDER BY v.missing, v.number, v.text, v.id"
	if f.Declaration.Pattern == nil {
		if err := tx.QueryRow(ctx, "SELECT count(*)"+from, args...).Scan(&total); err != nil || count == 0 || skip >= total {
			return nil, total, err
		}
		rows, err := tx.Query(ctx, "SELECT v.id::text"+from+order+fmt.Sprintf(" LIMIT %d OFFSET %d", count, skip), args...)
		if err != nil {
			return nil, total, err
		}
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return ids, total, err
	}
	// The database has other regular expressions than we: its texts are looked at here, one after the other.
	rows, err := tx.Query(ctx, "SELECT v.id::text, v.missing, v.text"+from+order, args...)
	if err != nil {
		return nil, 0, err
	}
	var id, text string
	var missing int16
	_, err = pgx.ForEachRow(rows, []any{&id, &missing, &text}, func() error {
		if missing == 0 && f.matches(text) {
			return nil
		}
		if total++; total > skip && len(ids) < count {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, total, err
}

// exceptions are the rows of custom_value of records that do not meet the declaration; of a field with a pattern, all those besides whose
// text it is to be held against.
func (f *Field) exceptions(ctx context.Context, t *table.Table) (from string, args []any) {
	d := f.Declaration
	args = []any{principal.From(ctx).OrganizationID}
	add := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	not, category := "v.missing = 2", ""
	if d.Required {
		not += " OR v.missing = 1"
	}
	for _, bound := range []struct {
		beyond string
		number *float64
		day    *string
	}{{"<", d.Minimum, d.Earliest}, {">", d.Maximum, d.Latest}} {
		var value any
		switch {
		case bound.number != nil:
			value = *bound.number
		case bound.day != nil:
			value, _ = f.Parse(*bound.day) // it was checked when it was declared
		default:
			continue
		}
		not += " OR v.missing = 0 AND v.number " + bound.beyond + " " + add(value) + "::double precision"
	}
	if d.Type == choice {
		not += " OR v.missing = 0 AND v.text <> ALL(" + add(d.Choices) + "::text[])"
	}
	if d.Pattern != nil {
		not += " OR v.missing = 0"
	}
	if d.Category != nil {
		category = t.Column(t.Category).SQL + " = " + add(*d.Category)
	}
	return " FROM custom_value v WHERE " + f.Rows() + " AND (" + not + ")" + among(t, t.VisibleTo(ctx), category), args
}
