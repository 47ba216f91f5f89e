// Package links resolves references between records, here or at the service that owns them, and prevents the deletion of records
// that others refer to.
package links

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
)

// Find looks records up: in this service's own table, those that the caller may see, or at the service that owns them.
func Find(ctx context.Context, set *table.Set, collection string, wanted reference.Query) ([]reference.Entry, error) {
	if len(wanted.IDs) == 0 && len(wanted.ExternalIDs) == 0 {
		return nil, nil
	}
	t := set.Tables[collection]
	if t == nil {
		return set.References.Find(ctx, collection, wanted)
	}
	return findOwn(ctx, t, wanted, t.AndVisible(ctx))
}

// FindAny looks records of this service up, whether the caller may see them or not: for other services, which have signed the question,
// and for the audit trail.
func FindAny(ctx context.Context, t *table.Table, wanted reference.Query) ([]reference.Entry, error) {
	if len(wanted.IDs) == 0 && len(wanted.ExternalIDs) == 0 {
		return nil, nil
	}
	return findOwn(ctx, t, wanted, "")
}

func findOwn(ctx context.Context, t *table.Table, wanted reference.Query, visible string) (entries []reference.Entry, err error) {
	err = t.DB.Batch(ctx, func(batch *pgx.Batch) {
		queueFind(batch, t, principal.From(ctx).OrganizationID, wanted, visible, func(found []reference.Entry) { entries = found })
	})
	return entries, err
}

// queueFind asks for records by id and external id, as others may show them. Of those that are asked for to be held, it
// finds out whether their rows can be locked against being deleted, without waiting. visible is a further condition; it begins with AND.
func queueFind(batch *pgx.Batch, t *table.Table, organization string, wanted reference.Query, visible string, use func([]reference.Entry)) {
	held := map[string]bool{}
	if wanted.Hold {
		batch.Queue("SELECT t.id::text FROM "+t.Name+" t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[]) FOR KEY SHARE SKIP LOCKED",
			organization, wanted.IDs).Query(func(rows pgx.Rows) error {
			var id string
			_, err := pgx.ForEachRow(rows, []any{&id}, func() error { held[id] = true; return nil })
			return err
		})
	}
	status, references := "NULL", "'{}'"
	if t.Column("status") != nil {
		status = "t.status"
	}
	var pairs []string
	for _, c := range t.Columns {
		if c.References != "" && c.Kind == schema.UUID && !strings.HasPrefix(c.References, "@") {
			pairs = append(pairs, "'"+c.Name+"', "+c.SQL)
		}
	}
	if pairs != nil {
		references = "jsonb_strip_nulls(jsonb_build_object(" + strings.Join(pairs, ", ") + "))::text"
	}
	externalIDs := make([]string, len(wanted.ExternalIDs))
	for i, id := range wanted.ExternalIDs {
		externalIDs[i] = schema.UniqueKey(id)
	}
	columns := "t.id::text, t.external_id, t." + t.Label + ", " + status + ", " + references
	batch.Queue("SELECT "+columns+" FROM "+t.Name+" t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[])"+visible+" UNION "+
		"SELECT "+columns+" FROM "+t.Name+" t WHERE t.organization_id = $1 AND "+
		"t.external_id_key = ANY(ARRAY(SELECT unique_key(v) FROM unnest($3::text[]) v))"+visible,
		organization, wanted.IDs, externalIDs).Query(func(rows pgx.Rows) error {
		entries, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (e reference.Entry, err error) {
			var references string
			if err := r.Scan(&e.ID, &e.ExternalID, &e.Name, &e.Status, &references); err != nil {
				return e, err
			}
			e.Held = held[e.ID]
			return e, json.Unmarshal([]byte(references), &e.References)
		})
		use(entries)
		return err
	})
}
