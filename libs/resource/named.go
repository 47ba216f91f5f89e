package resource

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/schema"
)

// FindNamed reads the records that the bodies of a BeforeTransaction are about: that of the path, or those that rows name by id, by
// external id or by number, the unique field of that name. columns is SQL over the alias c. use is called for each record, with scan,
// which reads the columns and gives the indexes of its bodies. What the organization does not have is left out.
func FindNamed(ctx context.Context, tx pgx.Tx, table, columns, number string, bodies []map[string]any,
	use func(scan func(into ...any) (at []int, err error)) error) error {
	byKey := map[string][]int{}     // by column and key
	wanted := map[string][]string{} // by column
	for i, body := range bodies {
		column, key := nameIn(ctx, body, number)
		if key == "" || column == "id" && !schema.IsUUID(key) {
			continue
		}
		if byKey[column+key] == nil {
			wanted[column] = append(wanted[column], key)
		}
		byKey[column+key] = append(byKey[column+key], i)
	}
	for column, keys := range wanted {
		on := "c." + column + "_key = unique_key(w.key) AND c." + column + "_key = ANY(ARRAY(SELECT unique_key(k) FROM unnest($1::text[]) k))"
		if column == "id" {
			on = "c.id = w.key::uuid AND c.id = ANY($1::text[]::uuid[])"
		}
		rows, err := tx.Query(ctx, "SELECT w.key, "+columns+" FROM unnest($1::text[]) w (key) JOIN "+table+
			" c ON c.organization_id = current_organization() AND "+on, keys)
		if err != nil {
			return err
		}
		var key string
		scan := func(into ...any) ([]int, error) {
			err := rows.Scan(append([]any{&key}, into...)...)
			return byKey[column+key], err
		}
		for rows.Next() {
			if err := use(scan); err != nil {
				rows.Close()
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

// nameIn is the column by which a body names its record, and the key that it gives there.
func nameIn(ctx context.Context, body map[string]any, number string) (column, key string) {
	text := func(name string) string {
		value, _ := body[name].(string)
		return value
	}
	switch id, external := PathValue(ctx, "id"), PathValue(ctx, "external_id"); {
	case id != "":
		return "id", strings.ToLower(id)
	case external != "":
		return "external_id", schema.Line(external)
	case text("id") != "":
		return "id", strings.ToLower(text("id"))
	case text("external_id") != "":
		return "external_id", schema.Line(text("external_id"))
	}
	return number, schema.Line(text(number))
}
