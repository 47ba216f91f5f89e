package documents

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// LegalHold keeps documents that somebody may ask for in a court: those that it names, or all that are on a record, also later ones.
type LegalHold struct {
	resource.Record
	Name        string   `json:"name" required:"true" unique:"true" filter:"prefix" sort:"true" search:"name" doc:"What it is about." example:"Smith v. Ville de Rivière-Claire"`
	Reason      string   `json:"reason" required:"true" maxLength:"2000" search:"text" doc:"Why the documents must be kept." example:"Claim of 2026-05-04"`
	Collection  *string  `json:"collection" enum:"sites,buildings,systems,assets,condition_assessments,deficiencies,work_orders,work_order_tasks,vendors,job_plans,pm_plans,meters,form_responses,requests,los_service_areas,los_measures,los_measurements,networks,segments,inspections,infrastructure_deficiencies,projects,project_phases,project_funding_sources" filter:"equals" doc:"What record_id is of." example:"buildings"`
	RecordID    *string  `json:"record_id" references:"@collection" filter:"equals" doc:"All documents on this record are held, also those that come later. Either this or document_ids." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	DocumentIDs []string `json:"document_ids" format:"uuid" writeOnly:"true" maxItems:"10000" uniqueItems:"true" doc:"The documents that are held; a PATCH replaces them. GET /v1/documents?legal_hold_id= lists them."`
	Status      string   `json:"status" default:"active" enum:"active,released" filter:"equals" sort:"true" doc:"released is final." example:"active"`
	ReleasedAt  *string  `json:"released_at" format:"date-time" readOnly:"true" filter:"range" sort:"true" doc:"When it was released."`
}

func (d *documents) legalHolds() resource.Definition[LegalHold] {
	return resource.Definition[LegalHold]{
		Collection: "legal_holds", Table: "legal_hold", NaturalKey: "name",
		Transitions: resource.Transitions{Field: "status", From: map[string][]string{"active": {"released"}}},
		Holds:       "t.status = 'active'",
		BeforeWrite: d.prepareHolds,
		AfterWrite:  d.keepHeld,
	}
}

// prepareHolds checks what holds are on. An active one is released before it is deleted; a released one stays as it is.
func (d *documents) prepareHolds(ctx context.Context, tx pgx.Tx, changes []*resource.Change[LegalHold]) error {
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock("+holdsLock+")"); err != nil {
		return err
	}
	p := principal.From(ctx)
	for _, c := range changes {
		if c.After == nil {
			if c.Before.Status == "active" {
				c.Reject(fault.Conflict("hold_active", "status", "active", "The legal hold is active; release it first (status released)."))
			}
			continue
		}
		hold := c.After
		for i, id := range hold.DocumentIDs {
			hold.DocumentIDs[i] = strings.ToLower(id)
		}
		named := c.Sets("document_ids")
		moved := c.Before == nil || !resource.Same(c.Before.RecordID, hold.RecordID) || !resource.Same(c.Before.Collection, hold.Collection)
		if c.Before != nil && c.Before.Status == "released" && (named || moved) {
			c.Reject(fault.Conflict("hold_released", "status", "released", "The legal hold was released; make a new one."))
			continue
		}
		switch {
		case (hold.Collection == nil) != (hold.RecordID == nil):
			c.FieldError("record_id", "and collection are given together, or neither")
		case hold.RecordID != nil && len(hold.DocumentIDs) > 0:
			c.FieldError("document_ids", "cannot stand beside record_id: a hold is on documents, or on all of a record")
		case hold.RecordID == nil && (named && len(hold.DocumentIDs) == 0 || !named && moved):
			c.FieldError("document_ids", "must name a document at least, or record_id and collection must be given")
		case hold.RecordID != nil && moved:
			if reason := mayTouch(p, *hold.Collection, ":read"); reason != nil {
				c.Reject(reason)
			}
		}
		if hold.Status == "released" && hold.ReleasedAt == nil {
			now := time.Now().UTC().Format(time.RFC3339Nano)
			hold.ReleasedAt = &now
		}
		if len(hold.DocumentIDs) > 0 {
			if err := checkHeld(ctx, tx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkHeld objects to ids that are no documents which the caller may see. The documents stay until the transaction ends.
func checkHeld(ctx context.Context, tx pgx.Tx, c *resource.Change[LegalHold]) error {
	rows, err := tx.Query(ctx, `SELECT t.id::text FROM document t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[])`+alsoVisible(ctx)+
		` ORDER BY t.id FOR KEY SHARE OF t`, principal.From(ctx).OrganizationID, c.After.DocumentIDs)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	visible := map[string]bool{}
	for _, id := range found {
		visible[id] = true
	}
	var missing []string
	for _, id := range c.After.DocumentIDs {
		if !visible[id] {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		c.FieldError("document_ids", "names %d that are no documents which this key may see: %s", len(missing),
			strings.Join(missing[:min(len(missing), 5)], ", "))
	}
	return nil
}

// keepHeld writes which documents a hold is on: those that were sent take the place of those before. The audit trail
// says which came and went.
func (d *documents) keepHeld(ctx context.Context, tx pgx.Tx, changes []*resource.Change[LegalHold]) error {
	for _, c := range changes {
		if c.After == nil || !c.Sets("document_ids") && (c.Before == nil || c.After.RecordID == nil) {
			continue
		}
		ids, added, removed := c.After.DocumentIDs, []string{}, []string{}
		if ids == nil {
			ids = []string{}
		}
		if err := tx.QueryRow(ctx, `WITH gone AS (DELETE FROM legal_hold_document WHERE organization_id = current_organization()
			AND legal_hold_id = $1
				AND document_id <> ALL($2::uuid[]) RETURNING document_id),
			come AS (INSERT INTO legal_hold_document (organization_id, legal_hold_id, document_id)
				SELECT current_organization(), $1, id FROM unnest($2::uuid[]) id ON CONFLICT DO NOTHING RETURNING document_id)
			SELECT (SELECT coalesce(array_agg(document_id::text), '{}') FROM come), (SELECT coalesce(array_agg(document_id::text), '{}') FROM gone)`,
			c.ID(), ids).Scan(&added, &removed); err != nil {
			return err
		}
		if len(added)+len(removed) == 0 {
			continue
		}
		if err := d.registry.Audit(ctx, tx, "legal_holds", c.ID(), "documents_set",
			map[string]any{"added": added, "removed": removed}); err != nil {
			return err
		}
	}
	return nil
}

// leaves is a document that is about to leave a record, by being moved or by its link to it.
type leaves struct {
	collection, record string
	reject             func(*fault.Error)
}

// rejectLeaving keeps documents on records that are under a legal hold: else they could be taken from under it.
func rejectLeaving(ctx context.Context, tx pgx.Tx, leaving []leaves) error {
	if len(leaving) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock_shared("+holdsLock+")"); err != nil {
		return err
	}
	var collections, records []string
	for _, l := range leaving {
		collections, records = append(collections, l.collection), append(records, l.record)
	}
	rows, err := tx.Query(ctx, `SELECT h.collection, h.record_id::text, array_agg(h.name ORDER BY h.name COLLATE "natural") FROM legal_hold h
		WHERE h.organization_id = current_organization() AND h.status = 'active'
			AND (h.collection, h.record_id) IN (SELECT * FROM unnest($1::text[], $2::uuid[])) GROUP BY 1, 2`, collections, records)
	if err != nil {
		return err
	}
	var collection, record string
	var names []string
	_, err = pgx.ForEachRow(rows, []any{&collection, &record, &names}, func() error {
		for _, l := range leaving {
			if l.collection == collection && l.record == record {
				l.reject(fault.Conflict("legal_hold", "legal_holds", names,
					"All documents of the record are under a legal hold (%s) and stay on it until it is released.", strings.Join(names, ", ")))
			}
		}
		return nil
	})
	return err
}
