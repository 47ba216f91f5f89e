package resource

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
)

// number notes which codes the caller left out; reserveNumbers gives them.
func (c *collection[T]) number(change *Change[T]) {
	for _, f := range c.numberedFields() {
		if f.Get(reflect.ValueOf(change.After).Elem()) == nil {
			if change.numbered == nil {
				change.numbered = map[string]bool{}
			}
			change.numbered[f.Name] = true
		}
	}
}

func (c *collection[T]) numberedFields() []*schema.Field {
	var fields []*schema.Field
	for _, f := range c.schema.Fields {
		if f.Auto != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// reserveNumbers gives codes to the changes that need one. Numbers grow; one whose record is not written in the end
// stays unused.
func (c *collection[T]) reserveNumbers(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error {
	for _, f := range c.numberedFields() {
		var wanting []*Change[T]
		for _, change := range changes {
			if change.numbered[f.Name] {
				wanting = append(wanting, change)
			}
		}
		if len(wanting) == 0 {
			continue
		}
		var last int
		if err := tx.QueryRow(ctx, `
			INSERT INTO counter (organization_id, name, value) VALUES ($1, $2, $3)
			ON CONFLICT (organization_id, name) DO UPDATE SET value = counter.value + $3 RETURNING value`,
			principal.From(ctx).OrganizationID, c.Collection+"."+f.Name, len(wanting)).Scan(&last); err != nil {
			return err
		}
		for i, change := range wanting {
			f.Set(reflect.ValueOf(change.After).Elem(), fmt.Sprintf(f.Auto, last-len(wanting)+1+i))
		}
	}
	return nil
}

// skipNumbers moves a counter behind the highest number that is in use, however it came there.
func (c *collection[T]) skipNumbers(ctx context.Context, tx pgx.Tx, field string) error {
	prefix, _, _ := strings.Cut(strings.ToLower(c.schema.Field(field).Auto), "%") // codes compare without regard to case
	_, err := tx.Exec(ctx, `
		UPDATE counter SET value = greatest(value, (
			SELECT coalesce(max(substring(lower(t.`+field+`) FROM '^`+prefix+`([0-9]{1,15})$')::bigint), 0) FROM `+c.name+` t WHERE t.organization_id = $1))
		WHERE organization_id = $1 AND name = $2`, principal.From(ctx).OrganizationID, c.Collection+"."+field)
	return err
}
