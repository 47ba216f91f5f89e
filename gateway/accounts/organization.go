package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// organization is one tenant, with what it has bought.
type organization struct {
	ID        string        `json:"id"`
	SandboxOf *string       `json:"sandbox_of"` // the live organization, whose plan, add-ons, currency and settings hold here; nil: it is live itself
	Name      string        `json:"name"`
	Plan      string        `json:"plan"`
	AddOns    []string      `json:"add_ons"`
	Features  []string      `json:"features"`
	Limits    keys.Ceilings `json:"limits"`
	OwnLimits []string      `json:"own_limits"` // those of limits that were set for it
	Currency  string        `json:"currency"`
	Cell      string        `json:"cell"` // the database that has its data
	keys.Settings
	publicSettings
	CreatedAt   string  `json:"created_at"`
	SuspendedAt *string `json:"suspended_at"` // by the operator; nil: it works
	deletion
	Administrator *administrator `json:"administrator,omitempty"`
}

type byOrganization struct {
	ID string `path:"id" format:"uuid"`
}

// lockOrganization is readOrganization for those who change it: of two at once, the second reads what the first has left.
func lockOrganization(ctx context.Context, tx pgx.Tx, id string) (organization, error) {
	if _, err := tx.Exec(ctx, `SELECT FROM organization WHERE organization_id = $1 FOR NO KEY UPDATE`, id); err != nil {
		return organization{}, postgres.Fault(err, nil)
	}
	return readOrganization(ctx, tx, id)
}

// readOrganization reads the organization of the transaction.
func readOrganization(ctx context.Context, tx pgx.Tx, id string) (organization, error) {
	var found organization
	var created time.Time
	var suspended, deleteAfter, began, held *time.Time
	limits := &found.Limits
	err := tx.QueryRow(ctx, `SELECT organization_id, sandbox_of, name, plan, currency, created_at, features, add_ons, requests_per_minute,
			requests_in_flight, streams, long_polls, active_keys, time_zone, fiscal_year_end_month, land_area_km2, own_limits,
			jurisdiction_id, contact_retention_days, public_requests_per_link, public_requests_per_day, storage_bytes, cell,
			renewal_basis, renewal_basis_changed_on, fci_bands, suspended_since(organization_id), delete_after, deletion_ordered_by,
			deletion_began_at, held_at, hold_reason
		FROM own_organization() WHERE organization_id = $1`, id).
		Scan(&found.ID, &found.SandboxOf, &found.Name, &found.Plan, &found.Currency, &created, &found.Features, &found.AddOns,
			&limits.RequestsPerMinute, &limits.RequestsInFlight, &limits.Streams, &limits.LongPolls, &limits.ActiveKeys, &found.TimeZone,
			&found.FiscalYearEndMonth, &found.LandArea, &found.OwnLimits, &found.JurisdictionID, &found.ContactRetentionDays,
			&found.PublicRequestsPerLink, &found.PublicRequestsPerDay, &limits.StorageBytes, &found.Cell,
			&found.RenewalBasis, &found.RenewalBasisChangedOn, &found.FCIBands, &suspended, &deleteAfter, &found.DeletionOrderedBy,
			&began, &held, &found.HoldReason)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, noOrganization(id)
	}
	found.CreatedAt = keys.Timestamp(created)
	found.SuspendedAt, found.DeleteAfter = timestamp(suspended), timestamp(deleteAfter)
	found.DeletionBeganAt, found.HeldAt = timestamp(began), timestamp(held)
	return found, postgres.Fault(err, nil)
}

// timestamp writes a time that may be none.
func timestamp(at *time.Time) *string {
	if at == nil {
		return nil
	}
	text := keys.Timestamp(*at)
	return &text
}

// within gives a context in which other services are asked about the organization: in its cell, on its days, in its money.
func (o organization) within(ctx context.Context) context.Context {
	p := principal.From(ctx)
	p.OrganizationID, p.Cell, p.Currency = o.ID, o.Cell, o.Currency
	p.StorageLimit = o.Limits.StorageBytes
	o.Settings.Into(&p)
	return principal.Into(ctx, p)
}

// ofItsOwn refuses to change what a sandbox does not have of its own; field is the one that was to be changed.
func (o organization) ofItsOwn(field string) error {
	if o.SandboxOf == nil {
		return nil
	}
	return fault.Conflict("sandbox", field, nil,
		"A sandbox has the plan, add-ons and settings of its organization, %s: change them there.", *o.SandboxOf)
}

// newID makes an identifier; they grow with time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
