package accounts

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// deletion is what the operator has ordered about the end of an organization, and what holds it off.
type deletion struct {
	DeleteAfter       *string `json:"delete_after"` // the operator may delete it from then on; nil: it stays
	DeletionOrderedBy *string `json:"deletion_ordered_by"`
	DeletionBeganAt   *string `json:"deletion_began_at"` // it cannot be called off any more
	HeldAt            *string `json:"held_at"`           // it is not deleted meanwhile
	HoldReason        *string `json:"hold_reason"`
}

// deletions are the operator's: to order that an organization is deleted, and to hold that off. deploy/move deletes it, after its date.
type deletions struct{ db *postgres.DB }

func (d *deletions) mount(api *transport.API) {
	const path = "/internal/organizations/{id}"
	transport.Post(api, transport.Operation{Path: path + "/delete", ID: "delete_organization"}, d.order)
	transport.Post(api, transport.Operation{Path: path + "/hold", ID: "hold_organization"}, d.hold)
	transport.Post(api, transport.Operation{Path: path + "/release", ID: "release_organization"}, d.release)
	transport.Post(api, transport.Operation{Path: path + "/restore", ID: "restore_organization"}, d.restore)
}

type deletionOrder struct {
	byOrganization
	AfterDays int    `json:"after_days" required:"true" minimum:"1" maximum:"365"`
	OrderedBy string `json:"ordered_by" required:"true" minLength:"1" maxLength:"200"`
}

// order suspends an organization and names the date of its deletion. An order that stands stays as it is.
func (d *deletions) order(ctx context.Context, in deletionOrder) (organization, error) {
	return d.change(ctx, in.ID, func(ctx context.Context, tx pgx.Tx, before organization) (string, map[string]any, error) {
		if before.DeleteAfter != nil {
			return "", nil, nil
		}
		if before.HeldAt != nil {
			return "", nil, fault.Conflict("organization_held", "hold_reason", *before.HoldReason,
				"The organization is held (%s) and is not deleted: amsctl organizations release lets it be.", *before.HoldReason)
		}
		var after time.Time
		err := tx.QueryRow(ctx, `UPDATE organization SET suspended_at = coalesce(suspended_at, now()), delete_after = now() +
			make_interval(days => $2),
			deletion_ordered_at = now(), deletion_ordered_by = $3, updated_at = now() WHERE organization_id = $1 RETURNING delete_after`,
			in.ID, in.AfterDays, in.OrderedBy).Scan(&after)
		return "organization.deletion_ordered", map[string]any{"delete_after": timestamp(&after)}, err
	})
}

type holdOrder struct {
	byOrganization
	Reason string `json:"reason" required:"true" minLength:"1" maxLength:"2000"`
}

// hold keeps an organization from being deleted, until it is released. One whose deletion was ordered stays suspended.
func (d *deletions) hold(ctx context.Context, in holdOrder) (organization, error) {
	return d.change(ctx, in.ID, func(ctx context.Context, tx pgx.Tx, before organization) (string, map[string]any, error) {
		if before.DeletionBeganAt != nil {
			return "", nil, deletionBegan(before)
		}
		_, err := tx.Exec(ctx, `UPDATE organization SET held_at = coalesce(held_at, now()), hold_reason = $2, updated_at = now() WHERE
			organization_id = $1`,
			in.ID, in.Reason)
		return "organization.held", map[string]any{"reason": in.Reason}, err
	})
}

func (d *deletions) release(ctx context.Context, in byOrganization) (organization, error) {
	return d.change(ctx, in.ID, func(ctx context.Context, tx pgx.Tx, before organization) (string, map[string]any, error) {
		if before.HeldAt == nil {
			return "", nil, nil
		}
		_, err := tx.Exec(ctx, `UPDATE organization SET held_at = NULL, hold_reason = NULL, updated_at = now() WHERE organization_id = $1`, in.ID)
		return "organization.released", map[string]any{"reason": *before.HoldReason}, err
	})
}

type restoration struct {
	byOrganization
	RowsNow  int64 `json:"rows_now" required:"true" minimum:"0"`
	RowsThen int64 `json:"rows_then" required:"true" minimum:"0"`
}

// restore notes that an organization is about to be brought back to a moment, which deploy/move does while it is suspended.
func (d *deletions) restore(ctx context.Context, in restoration) (organization, error) {
	return d.change(ctx, in.ID, func(_ context.Context, _ pgx.Tx, before organization) (string, map[string]any, error) {
		switch {
		case before.DeletionBeganAt != nil:
			return "", nil, deletionBegan(before)
		case before.SuspendedAt == nil:
			return "", nil, fault.Conflict("organization_not_suspended", "suspended_at", nil, "The organization is not suspended: suspend it, "+
				"then restore it.")
		}
		return "organization.restoring", map[string]any{"rows": [2]int64{in.RowsNow, in.RowsThen}}, nil
	})
}

// change changes the organization, with its entry in the trail; without an action nothing was changed.
func (d *deletions) change(ctx context.Context, id string,
	update func(ctx context.Context, tx pgx.Tx, before organization) (action string, changes map[string]any,
		err error)) (changed organization, err error) {
	if ctx, err = authorize(ctx, id, rolePlatformAdmin); err != nil {
		return changed, err
	}
	err = d.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		before, err := lockOrganization(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := before.ofItsOwn("delete_after"); err != nil {
			return err
		}
		action, changes, err := update(ctx, tx, before)
		if changed = before; err != nil || action == "" {
			return err
		}
		if err := audit(ctx, tx, action, subject{"organization", before.ID, before.Name}, changes); err != nil {
			return err
		}
		changed, err = readOrganization(ctx, tx, id)
		return err
	})
	return changed, postgres.Fault(err, nil)
}

func deletionBegan(o organization) error {
	return fault.Conflict("deletion_began", "deletion_began_at", *o.DeletionBeganAt,
		"The deletion of the organization has begun and cannot be called off: run amsctl organizations delete again, which finishes it.")
}
