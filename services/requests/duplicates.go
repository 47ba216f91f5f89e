package requests

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// original is a request that others are duplicates of.
type original struct {
	status  string
	endedAt *string
}

// originalsOf reads the requests that changes name as their originals, and keeps them as they are until the commit.
func originalsOf(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Request]) (map[string]original, error) {
	found, ids := map[string]original{}, []string{}
	for _, c := range changes {
		if c.After.DuplicateOfID != nil {
			ids = append(ids, *c.After.DuplicateOfID)
		}
	}
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, `SELECT id::text, status, ended_at FROM request
		WHERE organization_id = current_organization() AND id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`, ids)
	if err != nil {
		return nil, err
	}
	var id, status string
	var at *time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &status, &at}, func() error {
		found[id] = original{status, instant(at)}
		return nil
	})
	return found, err
}

// instant is a time as records show it.
func instant(at *time.Time) *string {
	if at == nil {
		return nil
	}
	text := at.UTC().Format(time.RFC3339Nano)
	return &text
}

// checkDuplicates refuses chains: a duplicate is of a request that is none, and none is a duplicate that has some itself.
func checkDuplicates(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Request], originals map[string]original) error {
	becoming, ids := map[string]*resource.Change[Request]{}, []string{}
	for _, c := range changes {
		if c.After.DuplicateOfID == nil || c.Before != nil && resource.Same(c.Before.DuplicateOfID, c.After.DuplicateOfID) {
			continue
		}
		of := *c.After.DuplicateOfID
		switch {
		case of == c.ID():
			c.FieldError("duplicate_of_id", "must be another request")
		case originals[of].status == duplicate:
			c.Reject(fault.Conflict("duplicate_of_duplicate", "duplicate_of_id", of,
				"The request %s is a duplicate itself; name the request that it is a duplicate of.", of))
		default:
			becoming[c.ID()] = c
			ids = append(ids, c.ID())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT duplicate_of_id::text, count(*) FROM request
		WHERE organization_id = current_organization() AND duplicate_of_id = ANY($1::uuid[]) GROUP BY 1`, ids)
	if err != nil {
		return err
	}
	var id string
	var count int
	_, err = pgx.ForEachRow(rows, []any{&id, &count}, func() error {
		becoming[id].Reject(fault.Conflict("has_duplicates", "duplicate_of_id", *becoming[id].After.DuplicateOfID,
			"The request has %d duplicates of its own; make those duplicates of the other request first.", count))
		return nil
	})
	return err
}

// shareEnds gives duplicates the end of their original.
func (d desk) shareEnds(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Request]) error {
	var ids []string
	for _, c := range changes {
		if c.Before != nil && c.After != nil && !resource.Same(c.Before.EndedAt, c.After.EndedAt) {
			ids = append(ids, c.ID())
		}
	}
	return d.shareEndsOf(ctx, tx, ids)
}

func (d desk) shareEndsOf(ctx context.Context, tx pgx.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return d.registry.UpdateWhere(ctx, tx, "requests", []string{"ended_at"}, `SELECT d.id, o.ended_at FROM request d
		JOIN request o ON o.organization_id = d.organization_id AND o.id = d.duplicate_of_id
		WHERE d.organization_id = $1 AND d.duplicate_of_id = ANY($2::uuid[])`, ids)
}
