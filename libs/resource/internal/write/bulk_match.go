package write

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
)

// keyOf says what a row is matched by: its external id, else its natural key; "" when it has neither.
func (b *bulk) keyOf(body map[string]any) string {
	if keys := b.keysOf(body); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

// keysOf lists what may name a row's record, the stronger key first.
func (b *bulk) keysOf(body map[string]any) []string {
	var keys []string
	for _, name := range []string{"external_id", b.NaturalKey} {
		if value, ok := body[name].(string); ok && name != "" && strings.TrimSpace(value) != "" {
			keys = append(keys, name+"\x00"+normal(value))
		}
	}
	return keys
}

// normal is how unique values compare: trimmed, NFC, without regard to case; see unique_key in the base migration.
func normal(value string) string { return schema.UniqueKey(value) }

// match finds and locks the records that rows are about, by key.
func (b *bulk) match(ctx context.Context, tx pgx.Tx) (map[string]table.Values, error) {
	held := map[string]table.Values{}
	if b.onConflict == "error" {
		return held, nil
	}
	wanted := map[string][]string{}
	for _, body := range b.bodies {
		if name, value, ok := strings.Cut(b.keyOf(body), "\x00"); ok {
			wanted[name] = append(wanted[name], value)
		}
	}
	return held, b.lockByKeys(ctx, tx, wanted, held)
}

func (b *bulk) lockByKeys(ctx context.Context, tx pgx.Tx, wanted map[string][]string, held map[string]table.Values) error {
	var size counted
	lock := " FOR NO KEY UPDATE OF t"
	if b.Row.AppendOnly { // nobody changes them
		lock = ""
	}
	for name, values := range wanted {
		column := "t." + name + "_key = ANY(ARRAY(SELECT unique_key(v) FROM unnest($2::text[]) v))"
		if name == "id" {
			column = "t.id = ANY($2::uuid[])"
		}
		args := []any{principal.From(ctx).OrganizationID, values}
		if b.Resource.Parent != "" {
			column, args = column+" AND t."+b.Resource.Parent+" = $3", append(args, b.parent)
		}
		rows, err := tx.Query(ctx, "SELECT "+table.Selection(b.Columns)+" FROM "+b.Name+" t WHERE t.organization_id = $1 AND "+column+
			b.AndVisible(ctx)+" ORDER BY t.id"+lock, args...)
		if err != nil {
			return err
		}
		for rows.Next() {
			values := table.Copy(rows.RawValues())
			if err := size.add(values); err != nil {
				rows.Close()
				return err
			}
			held[name+"\x00"+normal(b.Text(values, name))] = values
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

// ReferencesByExternalID are the fields whose records the rows of a bulk call may name by external id.
func ReferencesByExternalID(declared *schema.Schema) []*schema.Field {
	return slices.DeleteFunc(slices.Clone(declared.Fields), func(f *schema.Field) bool {
		return f.References == "" || strings.HasPrefix(f.References, "@") || f.ReadOnly || !strings.HasSuffix(f.Name, "_id")
	})
}

// ExternalName is what rows call such a field when they give an external id: site_external_id for site_id.
func ExternalName(f *schema.Field) string { return strings.TrimSuffix(f.Name, "_id") + "_external_id" }

// resolveReferences replaces site_external_id by site_id, and so on: known records are looked up together, and
// records of earlier rows of this very call count as known.
func (b *bulk) resolveReferences(ctx context.Context) error {
	for _, f := range ReferencesByExternalID(b.Schema) {
		alias := ExternalName(f)
		wanted := map[string]bool{}
		for i, body := range b.bodies {
			given, has := body[alias]
			if !has {
				continue
			}
			if text, ok := given.(string); ok && strings.TrimSpace(text) != "" {
				wanted[text] = true
			} else if given != nil {
				b.failures[i] = fault.InvalidFields(fault.Field{Field: b.prefix(i) + alias, Message: "must be a text"})
			}
		}
		if len(wanted) == 0 {
			continue
		}
		entries, err := links.Find(ctx, b.Set, f.References, reference.Query{ExternalIDs: links.Keys(wanted)})
		if err != nil {
			return err
		}
		ids := map[string]string{}
		for _, entry := range entries {
			ids[normal(*entry.ExternalID)] = entry.ID
		}
		b.substitute(f, alias, ids)
	}
	return nil
}

// substitute puts ids in the place of external ids. Where records refer to their own kind, an earlier row of the call
// stands for the record that it will be.
func (b *bulk) substitute(f *schema.Field, alias string, ids map[string]string) {
	for i, body := range b.bodies {
		given, has := body[alias]
		delete(body, alias)
		text, _ := given.(string)
		switch id, known := ids[normal(text)]; {
		case !has || b.failures[i] != nil:
		case given == nil:
			body[f.Name] = nil
		case known:
			body[f.Name] = id
		default:
			b.failures[i] = fault.InvalidFields(fault.Field{Field: b.prefix(i) + alias, Missing: true,
				Message: b.Catalogue.Must(f.References).Missing(fmt.Sprintf("with the external_id %q", text))})
		}
		if own, ok := body["external_id"].(string); ok && f.References == b.Row.Name && ids[normal(own)] == "" {
			ids[normal(own)] = b.ids[i]
		}
	}
}

// nameOf says which record a row of PATCH or DELETE is about.
func (b *bulk) nameOf(i int, body map[string]any) (string, *fault.Error) {
	if id, ok := body["id"].(string); ok {
		if !schema.IsUUID(id) {
			return "", fault.InvalidFields(fault.Field{Field: b.prefix(i) + "id", Message: "must be a UUID"})
		}
		return "id\x00" + strings.ToLower(id), nil
	}
	if key := b.keyOf(body); key != "" {
		return key, nil
	}
	return "", fault.InvalidFields(fault.Field{Field: b.prefix(i) + "id", Message: "is required; external_id names the record as well"})
}
