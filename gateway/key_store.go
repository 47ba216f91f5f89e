package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// insertKey writes a new key and gives it with its value, which exists nowhere else from here on.
func insertKey(ctx context.Context, tx pgx.Tx, wanted keyRequest) (shownKey, error) {
	p := principal.From(ctx)
	value := generateKey()
	hash, err := parseKey(value)
	if err != nil {
		return shownKey{}, err
	}
	id := newID()
	confirmedBy := wanted.confirmed
	if wanted.privacy && confirmedBy == nil {
		confirmedBy = &p.Actor
	}
	_, err = tx.Exec(ctx, `INSERT INTO api_key (organization_id, id, hash, display, name, scopes, rate_limit, allowed_networks, expires_at, replaces,
			created_by, created_by_user, privacy_confirmed_by, privacy_confirmed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, CASE WHEN $14 THEN coalesce($15::text::timestamptz, now()) END)`,
		p.OrganizationID, id, hash[:], displayKey(value), wanted.name, wanted.scopes, wanted.rateLimit, wanted.networks, wanted.expiresAt, wanted.replaces,
		p.Actor, p.Actor.ID, confirmedBy, wanted.privacy, wanted.at)
	if err != nil {
		return shownKey{}, postgres.Fault(err, nil)
	}
	made, err := readKey(ctx, tx, byKey{byOrganization{p.OrganizationID}, id})
	made.Value = value
	return made, err
}

// lockKey reads a key that will be changed, so that two changes come one after the other.
func lockKey(ctx context.Context, tx pgx.Tx, of byKey) (shownKey, error) {
	if _, err := tx.Exec(ctx, `SELECT FROM api_key WHERE organization_id = $1 AND id = $2 FOR UPDATE`, of.ID, of.Key); err != nil {
		return shownKey{}, postgres.Fault(err, nil)
	}
	return readKey(ctx, tx, of)
}

func readKey(ctx context.Context, tx pgx.Tx, of byKey) (shownKey, error) {
	found, err := readKeys(ctx, tx, `AND k.id = $2`, of.ID, of.Key)
	if err != nil {
		return shownKey{}, postgres.Fault(err, nil)
	}
	if len(found) == 0 {
		return shownKey{}, fault.NotFound("key", of.Key)
	}
	return found[0], nil
}

// readKeys reads the keys of the organization $1; rest continues the statement.
func readKeys(ctx context.Context, tx pgx.Tx, rest string, arguments ...any) ([]shownKey, error) {
	rows, err := tx.Query(ctx, `SELECT k.id, k.name, k.display, k.scopes, k.rate_limit, k.expires_at,
			key_state(k.state, k.retires_at, k.expires_at, statement_timestamp()), k.state_reason, k.allowed_networks, k.retires_at, k.replaces,
			k.created_at, k.created_by, k.privacy_confirmed_by, k.privacy_confirmed_at, u.last_used_at, u.last_address
		FROM api_key k LEFT JOIN key_use u ON u.organization_id = k.organization_id AND u.key_id = k.id
		WHERE k.organization_id = $1 `+rest, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []shownKey{}
	for rows.Next() {
		var k shownKey
		var expires, created time.Time
		var retires, confirmed, used *time.Time
		if err := rows.Scan(&k.ID, &k.Name, &k.Display, &k.Scopes, &k.RateLimit, &expires, &k.State, &k.StateReason, &k.AllowedNetworks,
			&retires, &k.Replaces, &created, &k.CreatedBy, &k.PrivacyConfirmedBy, &confirmed, &used, &k.LastAddress); err != nil {
			return nil, err
		}
		k.ExpiresAt, k.CreatedAt = timestamp(expires), timestamp(created)
		k.RevokesAt, k.PrivacyConfirmedAt, k.LastUsedAt = optionalTimestamp(retires), optionalTimestamp(confirmed), optionalTimestamp(used)
		found = append(found, k)
	}
	return found, rows.Err()
}

func optionalTimestamp(at *time.Time) *string {
	if at == nil {
		return nil
	}
	text := timestamp(*at)
	return &text
}
