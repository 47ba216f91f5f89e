package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"ams.internal/libs/fairqueue"
	"ams.internal/libs/fault"
)

// Fault turns an error of the database into the error that a caller sees. describe gives the field and the value of a
// constraint or unique index. It may be nil, and returns an empty field for a name that it does not know; the field is then
// taken from the constraint's name (<table>_<field>_key).
//
// A duplicate value is 409 "already_exists", a row that is still referred to 409 "in_use". An unknown reference is 404
// "reference_not_found", a missing or an invalid value 400. A database that is down or overloaded is 503. A *fault.Error, nil and all
// other errors are returned unchanged.
func Fault(err error, describe func(constraint string) (field string, value any)) error {
	if err == nil || isFault(err) {
		return err
	}
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return unavailable(err)
	}
	field, value := fieldOf(pgErr, describe)
	switch {
	case pgErr.Code == UniqueViolation:
		return fault.Conflict("already_exists", field, value,
			"%s: another record already has %s. Fetch that record and update it, or leave this one out.", field, quoteValue(value)).WithCause(err)
	case pgErr.Code == ForeignKeyViolation && strings.HasPrefix(pgErr.Message, "update or delete"):
		return fault.Conflict("in_use", field, value,
			"The record is still in use: other records refer to it. Change or delete those first.").WithCause(err)
	case pgErr.Code == ForeignKeyViolation:
		return fault.InvalidFields(fault.Field{Field: field, Missing: true,
			Message: fmt.Sprintf("there is no record %s in this organization", quoteValue(value))}).WithCause(err)
	case pgErr.Code == NotNullViolation:
		return invalid(err, cmp.Or(pgErr.ColumnName, quotedAfter("column", pgErr.Message)), "must be given")
	case pgErr.Code == CheckViolation:
		return invalid(err, field, "is not an allowed value")
	case invalidValueStates[pgErr.Code]:
		return fault.Invalid("invalid_value", "A value in the request cannot be stored: "+
			"it is too large, or text with characters that are not allowed (such as NUL).").WithCause(err)
	}
	return unavailable(err)
}

// unavailable makes a 503 of an error that says that the database is down or overloaded, or that a retry may succeed, and a 429 of one
// that says that the organization's other requests hold what this one needs. What does not pass by itself is said to last. All other errors
// are returned unchanged.
func unavailable(err error) error {
	if err == nil || isFault(err) {
		return err
	}
	if pgErr := new(pgconn.PgError); errors.As(err, &pgErr) {
		switch pgErr.Code {
		case OrganizationMoving:
			return moving(err)
		case OrganizationSuspended:
			return Suspended().WithCause(err)
		}
	}
	lasts := doesNotPass(err)
	switch {
	case !isUnavailable(err) && lasts:
		return fault.Lasting(err)
	case !isUnavailable(err):
		return err
	case lasts:
		return lasting(err)
	}
	if pgErr := new(pgconn.PgError); errors.As(err, &pgErr) && pgErr.Code == LockNotAvailable {
		return fairqueue.TooManyInFlight(context.Background()).WithCause(err)
	}
	return fault.Unavailable("database_unavailable", "The database cannot be reached or is too busy; try again after a pause.").WithCause(err)
}

// lasting is the 503 of a database that cannot be used until somebody acts.
func lasting(cause error) error {
	e := fault.Unavailable("database_unavailable", "The database cannot be used, which does not pass by itself: somebody on our side has "+
		"to repair it, and trying again soon does not help.").WithCause(cause)
	e.RetryAfter = fault.LongestRetry
	return e
}

// doesNotPass says whether an error has a cause that stays until somebody acts: a full disk, a missing table, a password that is not known.
func doesNotPass(err error) bool {
	pgErr := new(pgconn.PgError)
	return errors.As(err, &pgErr) && (lastingClasses[classOf(pgErr.Code)] || pgErr.Code == DiskFull)
}

func isUnavailable(err error) bool {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		switch classOf(pgErr.Code) {
		case classConnection, classResources, classSystemFailure:
			return true
		}
		return transientStates[pgErr.Code] || isDemoted(pgErr)
	}
	var connecting *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connecting) || errors.As(err, &network) || pgconn.Timeout(err) ||
		errors.Is(err, errUnresponsive) || errors.Is(err, errUnreplicated) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, puddle.ErrClosedPool) || pgconn.SafeToRetry(err)
}

func isFault(err error) bool {
	var known *fault.Error
	return errors.As(err, &known)
}

func invalid(err error, field, message string) error {
	if field == "" {
		field = "record"
	}
	return fault.InvalidFields(fault.Field{Field: field, Message: message}).WithCause(err)
}

// fieldOf gives the field and the value of the error's constraint: from describe, else from the convention of its name, as in
// site_external_id_key → external_id, building_site_id_fkey → site_id.
func fieldOf(pgErr *pgconn.PgError, describe func(string) (string, any)) (string, any) {
	constraint := Constraint(pgErr)
	if describe != nil && constraint != "" {
		if field, value := describe(constraint); field != "" {
			return field, value
		}
	}
	name := strings.TrimPrefix(constraint, partitionSuffix.ReplaceAllString(pgErr.TableName, "")+"_")
	for _, suffix := range []string{"_key", "_fkey", "_check"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name, nil
}

// partitionSuffix follows the table's names in the names of a partition (docs/operations/partition.sql).
var partitionSuffix = regexp.MustCompile(`_p[0-9]+$`)

// Constraint is the name of the error's constraint. In a table that is partitioned by organization it is the table's, not the
// partition's. An error that another machine has passed on (of Citus) has the name in its message only, with the number of a shard.
func Constraint(pgErr *pgconn.PgError) string {
	if pgErr.ConstraintName == "" {
		return shardSuffix.ReplaceAllString(quotedAfter("constraint", pgErr.Message), "")
	}
	return partitionSuffix.ReplaceAllString(pgErr.ConstraintName, "")
}

// shardSuffix follows the names of what a shard has.
var shardSuffix = regexp.MustCompile(`_[0-9]{6,}$`)

// quotedAfter is the name that stands in quotes behind a word of a message: constraint "site_name_key".
func quotedAfter(word, message string) string {
	_, rest, _ := strings.Cut(message, word+` "`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

func quoteValue(value any) string {
	switch value := value.(type) {
	case nil:
		return "this value"
	case string:
		return fmt.Sprintf("%q", value)
	case *string:
		if value != nil {
			return fmt.Sprintf("%q", *value)
		}
		return "this value"
	default:
		return fmt.Sprint(value)
	}
}
