package postgres

import (
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/fault"
)

// An organization that is moved to another database has a row in organization_move there and here; nearly always that table is empty
// (migrations/0001_base.sql says what the states mean). The last column of what a transaction begins with looks at it, in that same
// statement, and fails with OrganizationMoving where the transaction cannot be. A batch of which nobody knows whether it writes can be read
// in while the organization leaves: it is told so, and the database refuses its writes.
const (
	toRead        = "(select enter_moving(m.organization, m.state, 'read') from organization_move m where m.organization = $1::uuid)"
	toWrite       = "(select enter_moving(m.organization, m.state, 'write') from organization_move m where m.organization = $1::uuid)"
	toReadOrWrite = "(select enter_moving(m.organization, m.state, 'either') from organization_move m where m.organization = $1::uuid)"
)

// MayWrite is a condition in SQL for writes that are in no transaction of this package: that the organization in parameter may be written
// to until the end of the transaction.
func MayWrite(parameter string) string { return "may_write(" + parameter + "::uuid)" }

// LivesHere is a condition in SQL for what is done by itself for all organizations, about a column that names one: that it lives in this
// database, and not in another that it moves to or comes from, and that it is not suspended.
func LivesHere(column string) string {
	return "NOT EXISTS (SELECT FROM organization_move m WHERE m.organization = " + column + " AND m.state <> 'moving')"
}

// movingRetry is when a caller is to try again. Writes pause for less than five seconds.
const movingRetry = 2 * time.Second

// moving is the error of a transaction that cannot be because its organization is being moved.
func moving(cause error) error {
	e := fault.Unavailable("organization_moving", "The organization is being moved to another database, "+
		"and takes no changes for a few seconds. Nothing was changed; send the request again.").WithCause(cause)
	e.RetryAfter = movingRetry
	return e
}

// Suspended is the refusal of everything that concerns an organization that its operator has suspended.
func Suspended() *fault.Error {
	return fault.Forbidden("organization_suspended", "The organization is suspended: its keys, sign-ins and links do not work, and "+
		"nothing of it is read or changed, until the operator of this installation resumes it. Its data stays as it is.")
}

// IsMoving says whether something was not done because the organization is being moved.
func IsMoving(err error) bool {
	known := new(fault.Error)
	return errors.As(err, &known) && known.Code == "organization_moving"
}

func isReadOnly(err error) bool {
	pgErr := new(pgconn.PgError)
	return errors.As(err, &pgErr) && pgErr.Code == ReadOnlySQLTransaction
}
