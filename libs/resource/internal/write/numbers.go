package write

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/schema"
)

// number notes which codes the caller left out; reserveNumbers gives them.
func (c *Resource) number(it *change.Change) {
	for _, f := range c.numberedFields() {
		if f.Get(change.Record(it.After)) == nil {
			if it.Numbered == nil {
				it.Numbered = map[string]bool{}
			}
			it.Numbered[f.Name] = true
		}
	}
}

func (c *Resource) numberedFields() []*schema.Field {
	var fields []*schema.Field
	for _, f := range c.Schema.Fields {
		if f.Auto != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// reserveNumbers gives codes to the changes that need one. Numbers grow; one whose record is not written in the end
// stays unused.
func (c *Resource) reserveNumbers(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
	for _, f := range c.numberedFields() {
		var wanting []*change.Change
		for _, it := range changes {
			if it.Numbered[f.Name] {
				wanting = append(wanting, it)
			}
		}
		if len(wanting) == 0 {
			continue
		}
		var last int
		name := c.Row.Name + "." + f.Name
		// Those who wait for a row of a table go on in any order; those who wait for a lock of their own, in the order they came.
		if err := tx.QueryRow(ctx, `
			INSERT INTO counter (organization_id, name, value)
			SELECT $1, $2, $3 FROM pg_advisory_xact_lock(hashtextextended('counter ' || $2::text || current_organization(), 0))
			ON CONFLICT (organization_id, name) DO UPDATE SET value = counter.value + $3 RETURNING value`,
			principal.From(ctx).OrganizationID, name, len(wanting)).Scan(&last); err != nil {
			return err
		}
		for i, it := range wanting {
			f.Set(change.Record(it.After), fmt.Sprintf(f.Auto, last-len(wanting)+1+i))
		}
	}
	return nil
}

// skipNumbers moves a counter behind the highest number that is in use, however it came there.
func (c *Resource) skipNumbers(ctx context.Context, tx pgx.Tx, field string) error {
	prefix, _, _ := strings.Cut(strings.ToLower(c.Schema.Field(field).Auto), "%") // codes compare without regard to case
	_, err := tx.Exec(ctx, `
		UPDATE counter SET value = greatest(value, (
			SELECT coalesce(max(substring(lower(t.`+field+`) FROM '^`+prefix+`([0-9]{1,15})$')::bigint), 0)
			FROM `+c.Name+` t WHERE t.organization_id = $1))
		WHERE organization_id = $1 AND name = $2`, principal.From(ctx).OrganizationID, c.Row.Name+"."+field)
	return err
}
