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
	err := tx.QueryRow(ctx, `SELECT organization_id, name, plan, currency, created_at, organization_features(organization_id, plan),
		ARRAY(SELECT add_on FROM organization_add_on a WHERE a.organization_id = o.organization_id ORDER BY add_on)
		FROM organization o WHERE organization_id = $1`, id).
		Scan(&found.ID, &found.Name, &found.Plan, &found.Currency, &created, &found.Features, &found.AddOns)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, noOrganization(id)
	}
	found.CreatedAt = keys.Timestamp(created)
	return found, postgres.Fault(err, nil)
}

// newID makes an identifier; they grow with time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
