package users

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

const (
	minPasswordLength = 12
	// maxPasswordAttempts is how often within passwordAttemptWindow a signed-in user may give a wrong current password.
	maxPasswordAttempts   = 10
	passwordAttemptWindow = 15 * time.Minute
)

// mountPasswords serves the change of a password.
func (p people) mountPasswords() {
	transport.Internal(p.registry.API, contract.ChangePassword, p.changePassword)
}

func (p people) changePassword(ctx context.Context, in contract.PasswordChange) (contract.ChangedPassword, error) {
	if err := refuseKeys(ctx); err != nil {
		return contract.ChangedPassword{}, err
	}
	if actor := principal.From(ctx).Actor; actor.Type == "user" && actor.ID != in.UserID {
		return contract.ChangedPassword{}, fault.Forbidden("not_yours", "A password is changed by the one whose it is.")
	}
	email, current, err := p.countAttempt(ctx, in.UserID)
	if err != nil {
		return contract.ChangedPassword{}, err
	}
	if fits, err := verifyPassword(ctx, in.Current, current); err != nil {
		return contract.ChangedPassword{}, err
	} else if !fits {
		return contract.ChangedPassword{}, wrongPassword()
	}
	if err := checkPassword(in.New, email, in.Current); err != nil {
		return contract.ChangedPassword{}, errors.Join(err, p.resetAttempts(ctx, in.UserID))
	}
	hash, err := hashPassword(ctx, in.New)
	if err != nil {
		return contract.ChangedPassword{}, err
	}
	var changed time.Time
	err = p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		// Of two changes at once, one finds the password changed and fails.
		return tx.QueryRow(ctx, `UPDATE credential SET password_hash = $2, updated_at = clock_timestamp(), attempts = 0
			WHERE organization_id = current_organization() AND user_id = $1 AND password_hash = $3 RETURNING updated_at`,
			in.UserID, hash, current).Scan(&changed)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return contract.ChangedPassword{}, wrongPassword()
	}
	return contract.ChangedPassword{ChangedAt: changed.UTC().Format(time.RFC3339Nano)}, postgres.Fault(err, nil)
}

// countAttempt counts an attempt before it is made, so that attempts at the same time count too, and gives the e-mail address and
// the hash of the current password.
func (p people) countAttempt(ctx context.Context, id string) (email, hash string, err error) {
	var attempts int
	var since time.Time
	err = p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `UPDATE credential c SET
				attempts = CASE WHEN c.attempts_since < clock_timestamp() - $2 * interval '1 second' THEN 1 ELSE least(c.attempts, 1000) + 1 END,
				attempts_since = CASE WHEN c.attempts = 0 OR c.attempts_since < clock_timestamp() - $2 * interval '1 second'
					THEN clock_timestamp() ELSE c.attempts_since END
			FROM user_account u
			WHERE c.organization_id = current_organization() AND c.user_id = $1
				AND u.organization_id = c.organization_id AND u.id = c.user_id AND u.status = 'active'
			RETURNING u.email, c.password_hash, c.attempts, c.attempts_since`, id, int(passwordAttemptWindow.Seconds())).
			Scan(&email, &hash, &attempts, &since)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", "", sessionEnded()
	case err != nil:
		return "", "", postgres.Fault(err, nil)
	case attempts > maxPasswordAttempts:
		limited := fault.New(fault.KindRateLimited, "password_slowed", "The current password was wrong too often; wait some minutes before you "+
			"try again.")
		limited.RetryAfter = max(time.Second, time.Until(since.Add(passwordAttemptWindow)))
		return "", "", limited
	}
	return email, hash, nil
}

// resetAttempts resets the count for a user who knew the password.
func (p people) resetAttempts(ctx context.Context, id string) error {
	return p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE credential SET attempts = 0 WHERE organization_id = current_organization() AND user_id = $1", id)
		return err
	})
}

func wrongPassword() error {
	return fault.New(fault.KindUnauthenticated, "wrong_password", "The current password is wrong.")
}

// checkPassword rejects passwords that are guessed first. current is empty when there is none yet.
func checkPassword(password, email, current string) error {
	var problem string
	switch {
	case utf8.RuneCountInString(password) < minPasswordLength:
		problem = "must have at least 12 characters"
	case strings.EqualFold(strings.TrimSpace(password), email):
		problem = "must not be the e-mail address"
	case current != "" && password == current:
		problem = "must not be the current password"
	default:
		return nil
	}
	return fault.InvalidFields(fault.Field{Field: "new_password", Message: problem})
}

// forgetSecrets deletes the invitations of users who are being suspended or removed, and the passwords of those who are removed.
// A removed user who is made active again needs a new invitation.
func forgetSecrets(ctx context.Context, tx pgx.Tx, changes []*resource.Change[User]) error {
	var deactivated, removedIDs []string
	for _, c := range changes {
		if c.Before == nil || c.Before.Status == c.After.Status {
			continue
		}
		switch c.After.Status {
		case removed:
			deactivated, removedIDs = append(deactivated, c.ID()), append(removedIDs, c.ID())
		case suspended:
			deactivated = append(deactivated, c.ID())
		}
	}
	if deactivated == nil {
		return nil
	}
	if _, err := tx.Exec(ctx, "DELETE FROM invitation WHERE organization_id = current_organization() AND user_id = ANY($1::uuid[])",
		deactivated); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "DELETE FROM credential WHERE organization_id = current_organization() AND user_id = ANY($1::uuid[])", removedIDs)
	return err
}
