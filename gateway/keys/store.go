package keys

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// DefaultExpiry is how long a key lasts when nothing else is asked for.
const DefaultExpiry = 90 * 24 * time.Hour

// Record is a key as people see it: never its hash, and its value only in the response to its creation.
type Record struct {
	ID                 string           `json:"id"`
	Name               string           `json:"name"`
	Display            string           `json:"display"`
	Scopes             []string         `json:"scopes"`
	RateLimit          int              `json:"rate_limit"`
	ExpiresAt          string           `json:"expires_at"`
	State              string           `json:"state"`
	StateReason        *string          `json:"state_reason"`
	AllowedNetworks    []string         `json:"allowed_networks"`
	RevokesAt          *string          `json:"revokes_at"` // a replaced key that still runs
	Replaces           *string          `json:"replaces"`
	CreatedAt          string           `json:"created_at"`
	CreatedBy          principal.Actor  `json:"created_by"`
	PrivacyConfirmedBy *principal.Actor `json:"privacy_confirmed_by"`
	PrivacyConfirmedAt *string          `json:"privacy_confirmed_at"`
	LastUsedAt         *string          `json:"last_used_at"`
	LastAddress        *string          `json:"last_address"`
	Value              string           `json:"value,omitempty"`
}

// Draft is a key that is to be made.
type Draft struct {
	Name        string
	Scopes      []string
	ExpiresAt   time.Time
	RateLimit   int
	Networks    []string
	Replaces    *string
	Privacy     bool             // the holder will see names and e-mail addresses, and that was confirmed
	ConfirmedBy *principal.Actor // who confirmed it, where that was for the key that is replaced; else who makes the key
	ConfirmedAt *string
}

// Replacement is the draft of a key that replaces this one. What was confirmed for the old key holds for the new one.
func (k Record) Replacement(now time.Time) Draft {
	return Draft{Name: k.Name, Scopes: k.Scopes, ExpiresAt: now.Add(DefaultExpiry), RateLimit: k.RateLimit, Networks: k.AllowedNetworks,
		Replaces: &k.ID, Privacy: k.PrivacyConfirmedAt != nil, ConfirmedBy: k.PrivacyConfirmedBy, ConfirmedAt: k.PrivacyConfirmedAt}
}

// Insert makes a key in the principal's organization and gives it with its value, which exists nowhere else from here on.
func Insert(ctx context.Context, tx pgx.Tx, draft Draft) (Record, error) {
	p := principal.From(ctx)
	value := Generate(ModeOf(p.OrganizationID))
	hash, err := Parse(value)
	if err != nil {
		return Record{}, err
	}
	id := uuid.Must(uuid.NewV7()).String()
	confirmedBy := draft.ConfirmedBy
	if draft.Privacy && confirmedBy == nil {
		confirmedBy = &p.Actor
	}
	_, err = tx.Exec(ctx, `INSERT INTO api_key (organization_id, id, hash, display, name, scopes, rate_limit, allowed_networks, expires_at,
			replaces, created_by, created_by_user, privacy_confirmed_by, privacy_confirmed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, CASE WHEN $14 THEN coalesce($15::text::timestamptz, now()) END)`,
		p.OrganizationID, id, hash[:], Display(value), draft.Name, draft.Scopes, draft.RateLimit, draft.Networks, draft.ExpiresAt, draft.Replaces,
		p.Actor, p.Actor.ID, confirmedBy, draft.Privacy, draft.ConfirmedAt)
	if err != nil {
		return Record{}, postgres.Fault(err, nil)
	}
	made, err := Read(ctx, tx, p.OrganizationID, id)
	made.Value = value
	return made, err
}

// Lock reads a key that will be changed, so that two changes come one after the other.
func Lock(ctx context.Context, tx pgx.Tx, organization, id string) (Record, error) {
	if _, err := tx.Exec(ctx, `SELECT FROM api_key WHERE organization_id = $1 AND id = $2 FOR UPDATE`, organization, id); err != nil {
		return Record{}, postgres.Fault(err, nil)
	}
	return Read(ctx, tx, organization, id)
}

// Read gives one key.
func Read(ctx context.Context, tx pgx.Tx, organization, id string) (Record, error) {
	found, err := Select(ctx, tx, `AND k.id = $2`, organization, id)
	if err != nil {
		return Record{}, postgres.Fault(err, nil)
	}
	if len(found) == 0 {
		return Record{}, fault.NotFound("key", id)
	}
	return found[0], nil
}

// Select reads keys of the organization that is the first argument. rest continues the statement; a key is k in it.
func Select(ctx context.Context, tx pgx.Tx, rest string, arguments ...any) ([]Record, error) {
	rows, err := tx.Query(ctx, `SELECT k.id, k.name, k.display, k.scopes, k.rate_limit, k.expires_at,
			key_state(k.state, k.retires_at, k.expires_at, statement_timestamp()), k.state_reason, k.allowed_networks, k.retires_at, k.replaces,
			k.created_at, k.created_by, k.privacy_confirmed_by, k.privacy_confirmed_at, u.last_used_at, u.last_address
		FROM api_key k LEFT JOIN key_use u ON u.organization_id = k.organization_id AND u.key_id = k.id
		WHERE k.organization_id = $1 `+rest, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Record{}
	for rows.Next() {
		var k Record
		var expires, created time.Time
		var retires, confirmed, used *time.Time
		if err := rows.Scan(&k.ID, &k.Name, &k.Display, &k.Scopes, &k.RateLimit, &expires, &k.State, &k.StateReason, &k.AllowedNetworks,
			&retires, &k.Replaces, &created, &k.CreatedBy, &k.PrivacyConfirmedBy, &confirmed, &used, &k.LastAddress); err != nil {
			return nil, err
		}
		k.ExpiresAt, k.CreatedAt = Timestamp(expires), Timestamp(created)
		k.RevokesAt, k.PrivacyConfirmedAt, k.LastUsedAt = optionalTimestamp(retires), optionalTimestamp(confirmed), optionalTimestamp(used)
		found = append(found, k)
	}
	return found, rows.Err()
}

func optionalTimestamp(at *time.Time) *string {
	if at == nil {
		return nil
	}
	text := Timestamp(*at)
	return &text
}
