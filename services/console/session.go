package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// session is a signed-in browser. The user's current role and state are read for every request.
type session struct {
	organization     string
	organizationName string
	id               string
	user             string
	userName         string
	userRole         string // at the sign-in
	language         string // chosen in this session; empty: the user's own
	zone             string // time zone of the user, at the sign-in
	created          time.Time
	alive            bool // neither ended nor expired: 12 hours after the sign-in, 1 hour without use
}

// principal is the session's user, for the database and for calls of other services.
func (s *session) principal() principal.Principal {
	return principal.Principal{
		OrganizationID: s.organization, Actor: principal.Actor{Type: "user", ID: s.user, Name: s.userName},
	}
}

// randomValue returns 256 random bits.
func randomValue() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}

func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// findSession returns the session of a cookie value, alive or not. It returns nil where there is none.
func (c *console) findSession(ctx context.Context, value string) (*session, error) {
	if value == "" {
		return nil, nil
	}
	var s session
	err := c.db.Pool().QueryRow(ctx,
		`SELECT organization_id::text, organization_name, id::text, user_id::text, user_name, user_role,
			language, time_zone, created_at, alive FROM find_session($1)`, hashOf(value)).
		Scan(&s.organization, &s.organizationName, &s.id, &s.user, &s.userName, &s.userRole, &s.language, &s.zone, &s.created, &s.alive)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &s, postgres.Fault(err, nil)
}

// openSession stores a new session and returns the value of its cookie.
func (c *console) openSession(ctx context.Context, s *session, address string) (string, error) {
	value := randomValue()
	s.id, s.alive = uuid.Must(uuid.NewV7()).String(), true
	return value, c.change(ctx, s, `INSERT INTO session
			(organization_id, organization_name, id, hash, user_id, user_name, user_role, language, time_zone, address)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		s.organization, s.organizationName, s.id, hashOf(value), s.user, s.userName, s.userRole, s.language, s.zone, address)
}

func (c *console) endSession(ctx context.Context, s *session) error {
	return c.change(ctx, s, `UPDATE session SET ended_at = clock_timestamp() WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL`,
		s.organization, s.id)
}

// endSessions ends all sessions of the session's user.
func (c *console) endSessions(ctx context.Context, s *session) error {
	return c.change(ctx, s, `UPDATE session SET ended_at = clock_timestamp() WHERE organization_id = $1 AND user_id = $2 AND ended_at IS NULL`,
		s.organization, s.user)
}

func (c *console) rememberLanguage(ctx context.Context, s *session) error {
	return c.change(ctx, s, `UPDATE session SET language = $3 WHERE organization_id = $1 AND id = $2`, s.organization, s.id, s.language)
}

// openSessions counts the user's sessions that are alive.
func (c *console) openSessions(ctx context.Context, s *session) (count int, err error) {
	err = c.db.Read(principal.Into(ctx, s.principal()), func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT count(*) FROM session WHERE organization_id = $1 AND user_id = $2 AND ended_at IS NULL
			AND created_at > now() - interval '12 hours' AND used_at > now() - interval '1 hour'`, s.organization, s.user).Scan(&count)
	})
	return count, postgres.Fault(err, nil)
}

// claimForm reports whether a form is sent for the first time in this session.
func (c *console) claimForm(ctx context.Context, s *session, form string) (first bool, err error) {
	if valid := uuid.Validate(form) == nil; !valid {
		return false, nil
	}
	err = c.db.Write(principal.Into(ctx, s.principal()), func(ctx context.Context, tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `INSERT INTO sent_form (organization_id, session_id, form) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			s.organization, s.id, form)
		first = done.RowsAffected() == 1
		return err
	})
	return first, postgres.Fault(err, nil)
}

func (c *console) change(ctx context.Context, s *session, statement string, arguments ...any) error {
	err := c.db.Write(principal.Into(ctx, s.principal()), func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, statement, arguments...)
		return err
	})
	return postgres.Fault(err, nil)
}
