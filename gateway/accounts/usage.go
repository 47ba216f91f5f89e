package accounts

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	"ams.internal/gateway/ratelimit"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// usageDays is how many days of use are shown, today among them.
const usageDays = 90

type usageQuery struct {
	byOrganization
	From *string `query:"from" format:"date"`
	To   *string `query:"to" format:"date"`
	Key  *string `query:"key" format:"uuid"`
}

// keyUse is what one key did on one day, UTC.
type keyUse struct {
	KeyID    string `json:"key_id"`
	KeyName  string `json:"key_name"`
	Day      string `json:"day"`
	Requests int64  `json:"requests"`
	Errors   int64  `json:"errors"`
	Limited  int64  `json:"limited"`
}

type usageReport struct {
	Data       json.RawMessage `json:"data"`
	Limits     keys.Ceilings   `json:"limits"`
	ThisMinute int             `json:"this_minute"` // requests of the organization, over all gateways
}

// usage is the report on the use of keys.
type usage struct {
	db      *postgres.DB
	limiter *ratelimit.Limiter
}

func (u *usage) mount(api *transport.API) {
	transport.Get(api, transport.Operation{Path: "/internal/organizations/{id}/usage", ID: "get_usage"}, u.getUsage)
}

// getUsage gives requests, errors and refusals for the limit, per key and day (UTC), of the last 90 days at most; the last
// seconds are not yet among them. It also gives the organization's limits, and what was counted in the present minute.
func (u *usage) getUsage(ctx context.Context, in usageQuery) (usageReport, error) {
	ctx, err := authorizeSandbox(ctx, in.ID, rolePlatformAdmin, roleService, roleAdministrator)
	if err != nil {
		return usageReport{}, err
	}
	if in.From != nil && in.To != nil && *in.From > *in.To {
		return usageReport{}, fault.InvalidFields(fault.Field{Field: "from", Message: "must not be after to"})
	}
	uses := []keyUse{}
	var of organization
	err = u.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if of, err = readOrganization(ctx, tx, in.ID); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT d.key_id, k.name, d.day::text, d.requests, d.errors, d.limited
			FROM key_day d JOIN api_key k ON k.organization_id = d.organization_id AND k.id = d.key_id
			WHERE d.organization_id = $1 AND d.day > (now() AT TIME ZONE 'UTC')::date - $2::integer
				AND ($3::date IS NULL OR d.day >= $3) AND ($4::date IS NULL OR d.day <= $4) AND ($5::uuid IS NULL OR d.key_id = $5)
			ORDER BY d.day, k.name COLLATE "natural", d.key_id`, in.ID, usageDays, in.From, in.To, in.Key)
		if err != nil {
			return err
		}
		var one keyUse
		_, err = pgx.ForEachRow(rows, []any{&one.KeyID, &one.KeyName, &one.Day, &one.Requests, &one.Errors, &one.Limited}, func() error {
			uses = append(uses, one)
			return nil
		})
		return err
	})
	if err != nil {
		return usageReport{}, postgres.Fault(err, nil)
	}
	encoded, err := json.Marshal(uses)
	window := u.limiter.PeekOrganization(ctx, in.ID, of.Limits.RequestsPerMinute)
	return usageReport{encoded, of.Limits, window.Count}, err
}
