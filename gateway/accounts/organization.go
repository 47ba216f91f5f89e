package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	"ams.internal/libs/postgres"
)

// organization is one tenant, with what it has bought.
type organization struct {
	ID            string         `json:"id"`
	Name          string         `json:"name"`
	Plan          string         `json:"plan"`
	AddOns        []string       `json:"add_ons"`
	Features      []string       `json:"features"`
	Limits        keys.Ceilings  `json:"limits"`
	OwnLimits     []string       `json:"own_limits"` // those of limits that are not the plan's
	Currency      string         `json:"currency"`
	CreatedAt     string         `json:"created_at"`
	Administrator *administrator `json:"administrator,omitempty"`
}

type byOrganization struct {
	ID string `path:"id" format:"uuid"`
}

func readOrganization(ctx context.Context, tx pgx.Tx, id string) (organization, error) {
	var found organization
	var created time.Time
	limits := &found.Limits
	err := tx.QueryRow(ctx, `SELECT organization_id, o.name, plan, currency, created_at, organization_features(organization_id, plan),
			ARRAY(SELECT add_on FROM organization_add_on a WHERE a.organization_id = o.organization_id ORDER BY add_on),
			coalesce(o.requests_per_minute, p.requests_per_minute), coalesce(o.requests_in_flight, p.requests_in_flight),
			coalesce(o.streams, p.streams), coalesce(o.long_polls, p.long_polls), coalesce(o.active_keys, p.active_keys),
			array_remove(ARRAY[
				CASE WHEN o.requests_per_minute IS NOT NULL THEN 'requests_per_minute' END,
				CASE WHEN o.requests_in_flight IS NOT NULL THEN 'requests_in_flight' END,
				CASE WHEN o.streams IS NOT NULL THEN 'streams' END,
				CASE WHEN o.long_polls IS NOT NULL THEN 'long_polls' END,
				CASE WHEN o.active_keys IS NOT NULL THEN 'active_keys' END], NULL)
		FROM organization o JOIN plan p ON p.code = o.plan WHERE organization_id = $1`, id).
		Scan(&found.ID, &found.Name, &found.Plan, &found.Currency, &created, &found.Features, &found.AddOns, &limits.RequestsPerMinute,
			&limits.RequestsInFlight, &limits.Streams, &limits.LongPolls, &limits.ActiveKeys, &found.OwnLimits)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, noOrganization(id)
	}
	found.CreatedAt = keys.Timestamp(created)
	return found, postgres.Fault(err, nil)
}

// newID makes an identifier; they grow with time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
