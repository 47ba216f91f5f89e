package oauth

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// Lifetimes of codes and tokens.
const (
	codeLifetime    = 60 * time.Second
	accessLifetime  = 24 * time.Hour
	refreshLifetime = 90 * 24 * time.Hour // from the last use
	// rotationTolerance is how long the previous refresh token stays valid, because its holder may not have received the
	// response.
	rotationTolerance = 2 * time.Minute
)

// grant is the connection of one assistant with one key.
type grant struct {
	organization, id     string
	keyID, keyName       string
	clientID             string
	clientName           string
	redirectHost         string
	readOnly             bool
	salt                 []byte // nil: the connection has ended
	codeHash             []byte
	generation           int
	rotatedAt, goodUntil time.Time
	connected            bool
	address              string
}

func (g *grant) grantID() grantID {
	return grantID{uuid.MustParse(g.organization), uuid.MustParse(g.id)}
}

// codeContent is the sealed content of a code.
type codeContent struct {
	Key       string `json:"k"`
	Expires   int64  `json:"e"` // Unix seconds
	Client    []byte `json:"c"` // SHA-256 of the client's id
	Redirect  []byte `json:"r"` // SHA-256 of the redirect address
	Challenge string `json:"p"`
}

// tokenContent is the sealed content of an access or refresh token.
type tokenContent struct {
	Key        string `json:"k"`
	Expires    int64  `json:"e"`
	Generation int    `json:"g,omitempty"` // of a refresh token
	Client     []byte `json:"c,omitempty"` // of a refresh token: SHA-256 of the client's id
}

const grantColumns = `organization_id::text, id::text, key_id::text, key_name, client_id, client_name, redirect_host, read_only, salt,
	code_hash, generation, coalesce(rotated_at, created_at), good_until, connected_at IS NOT NULL, address`

func (g *grant) scanTargets() []any {
	return []any{&g.organization, &g.id, &g.keyID, &g.keyName, &g.clientID, &g.clientName, &g.redirectHost, &g.readOnly, &g.salt, &g.codeHash,
		&g.generation, &g.rotatedAt, &g.goodUntil, &g.connected, &g.address}
}

// findGrant reads a grant in one round trip. It returns nil where there is none. The organization comes from the
// envelope. A forged envelope finds a grant whose salt does not open it.
func (a *Authorizer) findGrant(ctx context.Context, of grantID) (*grant, error) {
	var found *grant
	ctx = principal.Into(ctx, a.servicePrincipal(of.organization.String(), ""))
	err := a.db.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue(`SELECT `+grantColumns+` FROM mcp_grant WHERE organization_id = $1 AND id = $2`, of.organization.String(),
			of.id.String()).QueryRow(func(row pgx.Row) error {
			var g grant
			err := row.Scan(g.scanTargets()...)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			found = &g
			return err
		})
	})
	return found, postgres.Fault(err, nil)
}

// insertGrant stores a grant whose code is about to be issued.
func (a *Authorizer) insertGrant(ctx context.Context, g *grant) error {
	err := a.db.Write(principal.Into(ctx, a.servicePrincipal(g.organization, "")), func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO mcp_grant (organization_id, id, key_id, key_name, client_id, client_name,
				redirect_host, read_only, salt, code_hash, good_until, address)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
			g.organization, g.id, g.keyID, g.keyName, g.clientID, g.clientName, g.redirectHost, g.readOnly, g.salt,
			g.codeHash, g.goodUntil, g.address)
		return err
	})
	return postgres.Fault(err, nil)
}

// connectGrant redeems the code. The new salt makes the code useless, and the connection is written to the audit trail.
// It returns false where another request has redeemed the code.
func (a *Authorizer) connectGrant(ctx context.Context, g *grant, salt []byte) (done bool, err error) {
	err = a.db.Write(principal.Into(ctx, a.keyPrincipal(ctx, g)), func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE mcp_grant SET salt = $3, generation = 1, connected_at = clock_timestamp(),
				rotated_at = clock_timestamp(), good_until = clock_timestamp() + $4::integer * interval '1 second', last_used_at = clock_timestamp()
			WHERE organization_id = $1 AND id = $2 AND salt = $5`, g.organization, g.id, salt, int(refreshLifetime/time.Second), g.salt)
		if done = err == nil && tag.RowsAffected() == 1; !done {
			return err
		}
		g.salt, g.generation = salt, 1
		return recordChange(ctx, tx, g, 1, "connected", map[string]any{
			"name": change{nil, g.clientName}, "host": change{nil, g.redirectHost}, "key": change{nil,
				g.keyName}, "read_only": change{nil, g.readOnly}})
	})
	return done, postgres.Fault(err, nil)
}

// rotateGrant moves the grant to the next refresh token. It returns false where another request has done so, or the
// grant has ended.
func (a *Authorizer) rotateGrant(ctx context.Context, g *grant) (done bool, err error) {
	err = a.db.Write(principal.Into(ctx, a.keyPrincipal(ctx, g)), func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE mcp_grant SET generation = generation + 1, rotated_at = clock_timestamp(),
				good_until = clock_timestamp() + $4::integer * interval '1 second', last_used_at = clock_timestamp()
			WHERE organization_id = $1 AND id = $2 AND generation = $3 AND salt IS NOT NULL`,
			g.organization, g.id, g.generation, int(refreshLifetime/time.Second))
		done = err == nil && tag.RowsAffected() == 1
		return err
	})
	if done {
		g.generation++
	}
	return done, postgres.Fault(err, nil)
}

// endGrant clears the salt, so that no envelope of the grant opens again. The audit trail has p as the actor, and the
// reason. Ending an ended grant changes nothing.
func (a *Authorizer) endGrant(ctx context.Context, p principal.Principal, id, why string) (done bool, err error) {
	err = a.db.Write(principal.Into(ctx, p), func(ctx context.Context, tx pgx.Tx) error {
		var g grant
		err := tx.QueryRow(ctx, `UPDATE mcp_grant SET salt = NULL, ended_at = clock_timestamp(), end_reason = $3
			WHERE organization_id = $1 AND id = $2 AND salt IS NOT NULL RETURNING `+grantColumns, p.OrganizationID, id, why).Scan(g.scanTargets()...)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if done = err == nil; !done || !g.connected {
			return err
		}
		return recordChange(ctx, tx, &g, 2, "disconnected", map[string]any{
			"name": change{g.clientName, nil}, "host": change{g.redirectHost, nil}, "key": change{g.keyName, nil}, "reason": change{nil, why}})
	})
	return done, postgres.Fault(err, nil)
}

// keyPrincipal is the key of a grant as the actor in the audit trail.
func (a *Authorizer) keyPrincipal(ctx context.Context, g *grant) principal.Principal {
	p := a.servicePrincipal(g.organization, "")
	p.Actor = principal.Actor{Type: "api_key", ID: g.keyID, Name: g.keyName}
	p.Address, p.RequestID = requestSourceFrom(ctx).address, requestSourceFrom(ctx).requestID
	return p
}
