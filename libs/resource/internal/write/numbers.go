package write

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/schema"
)

// Numbers are taken in the statement that inserts the records, together with their positions: the lock on them is held from there to the
// commit, and the order of numbers is that of positions. A number is given once; one whose record is not written in the end may stay
// unused.

// number notes which codes the caller left out.
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

// numbering is one field's part of an insert: the numbers that its records take.
type numbering struct {
	field  *schema.Field
	places map[*change.Change]int // of the changes that take one, from 1
}

// place is which of the numbers a change takes; 0: none.
func (n *numbering) place(it *change.Change) int { return n.places[it] }

// numberings are the numbers that changes take.
func (c *Resource) numberings(changes []*change.Change) []numbering {
	var all []numbering
	for _, f := range c.numberedFields() {
		places := map[*change.Change]int{}
		for _, it := range changes {
			if it.Numbered[f.Name] {
				places[it] = len(places) + 1
			}
		}
		if len(places) > 0 {
			all = append(all, numbering{f, places})
		}
	}
	return all
}

// counterOf is the name of a field's row in counter.
func (c *Resource) counterOf(field string) string { return c.Row.Name + "." + field }

// lockOfCounter is what those wait for who want numbers of the counter that a parameter names, until the commit. Those who wait for a row
// of a table go on in any order; those who wait for a lock of their own, in the order they came.
func lockOfCounter(parameter string) string {
	return "pg_advisory_xact_lock(hashtextextended('counter ' || " + parameter + "::text || current_organization(), 0))"
}

// takeSQL is a statement that takes count numbers, both of them parameters, and gives the number before the first. stamp has waited
// for the lock of the counter.
func takeSQL(name, count string) string {
	return `INSERT INTO counter (organization_id, name, value) SELECT $1, ` + name + `, ` + count + `::bigint FROM stamp
			ON CONFLICT (organization_id, name) DO UPDATE SET value = counter.value + ` + count + ` RETURNING value - ` + count + ` AS before`
}

// codeSQL is the code that the schema's form makes of a number: "A-%06d" of 12 is A-000012.
func codeSQL(form, number string) string {
	prefix, width, _ := strings.Cut(strings.TrimSuffix(form, "d"), "%0")
	text := "(" + number + ")::text"
	return "'" + prefix + "' || lpad(" + text + ", greatest(" + width + ", length(" + text + ")), '0')"
}

// skipNumbers moves a counter behind the highest number that is in use, however it came there.
func (c *Resource) skipNumbers(ctx context.Context, tx pgx.Tx, field string) error {
	prefix, _, _ := strings.Cut(strings.ToLower(c.Schema.Field(field).Auto), "%") // codes compare without regard to case
	_, err := tx.Exec(ctx, `
		WITH locked AS MATERIALIZED (SELECT FROM `+lockOfCounter("$2")+`)
		INSERT INTO counter (organization_id, name, value)
		SELECT $1, $2, coalesce(max(substring(lower(t.`+field+`) FROM '^`+prefix+`([0-9]{1,15})$')::bigint), 0)
		FROM locked LEFT JOIN `+c.Name+` t ON t.organization_id = $1
		ON CONFLICT (organization_id, name) DO UPDATE SET value = greatest(counter.value, excluded.value)`,
		principal.From(ctx).OrganizationID, c.counterOf(field))
	return err
}
