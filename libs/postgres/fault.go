package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"ams.internal/libs/fault"
)

// The states (https://www.postgresql.org/docs/15/errcodes-appendix.html) that are told apart.
const (
	uniqueViolation     = "23505"
	foreignKeyViolation = "23503"
	notNullViolation    = "23502"
	checkViolation      = "23514"
)

// refusedValues are the states of a value that the database cannot hold, for example text with a NUL.
var refusedValues = map[string]bool{
	"22001": true, // string_data_right_truncation
	"22003": true, // numeric_value_out_of_range
	"22007": true, // invalid_datetime_format
	"22008": true, // datetime_field_overflow
	"22021": true, // character_not_in_repertoire
	"22P02": true, // invalid_text_representation
	"22P03": true, // invalid_binary_representation
	"22P05": true, // untranslatable_character
}

// passing are the states that end by themselves: the same request may succeed a moment later.
var passing = map[string]bool{
	"40001": true, // serialization_failure
	"40P01": true, // deadlock_detected
	"55P03": true, // lock_not_available
	"57014": true, // query_canceled, by statement_timeout
	"57P01": true, // admin_shutdown
	"57P02": true, // crash_shutdown
	"57P03": true, // cannot_connect_now
	"57P05": true, // idle_session_timeout
	"25P03": true, // idle_in_transaction_session_timeout
}

// Fault puts an error of the database into the caller's words. describe says which field and value a constraint or
// unique index is about; it may be nil, and answers an empty field for a name it does not know, for which
// the field is then taken from the constraint's name (<table>_<field>_key).
//
// A taken value is 409 "already_exists", a row still in use 409 "in_use", an unknown reference, a missing or impossible
// value 400, a database that is away or overloaded 503. A *fault.Error, nil and everything else are given back as they are.
func Fault(err error, describe func(constraint string) (field string, value any)) error {
	if err == nil || isFault(err) {
		return err
	}
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return unavailable(err)
	}
	field, value := fieldOf(refused, describe)
	switch {
	case refused.Code == uniqueViolation:
		return fault.Conflict("already_exists", field, value,
			"%s: another record already has %s. Fetch that record and update it, or leave this one out.", field, shown(value)).Because(err)
	case refused.Code == foreignKeyViolation && strings.HasPrefix(refused.Message, "update or delete"):
		return fault.Conflict("in_use", field, value, "The record is still in use: other records refer to it. Change or delete those first.").Because(err)
	case refused.Code == foreignKeyViolation:
		return invalid(err, field, fmt.Sprintf("there is no record %s in this organization", shown(value)))
	case refused.Code == notNullViolation:
		return invalid(err, refused.ColumnName, "must be given")
	case refused.Code == checkViolation:
		return invalid(err, field, "is not an allowed value")
	case refusedValues[refused.Code]:
		return fault.Invalid("invalid_value", "A value in the request cannot be stored: it is too large, or text with characters that are not allowed (such as NUL).").Because(err)
	}
	return unavailable(err)
}

// unavailable makes the 503 of an error that says the database is away, overloaded or asks to try again;
// every other error is given back as it is.
func unavailable(err error) error {
	if err == nil || isFault(err) || !isAway(err) {
		return err
	}
	return fault.Unavailable("database_unavailable", "The database cannot be reached or is too busy; try again in a second.").Because(err)
}

func isAway(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		// 08 connection exceptions, 53 too many connections, disk full or out of memory, 58 failing disks.
		class := refused.Code[:min(2, len(refused.Code))]
		return class == "08" || class == "53" || class == "58" || passing[refused.Code]
	}
	var connecting *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connecting) || errors.As(err, &network) || pgconn.Timeout(err) ||
		errors.Is(err, errNoPulse) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
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
	return fault.InvalidFields(fault.Field{Field: field, Message: message}).Because(err)
}

// fieldOf asks describe, else reads the convention: site_external_id_key → external_id, building_site_id_fkey → site_id.
func fieldOf(refused *pgconn.PgError, describe func(string) (string, any)) (string, any) {
	constraint := Constraint(refused)
	if describe != nil && constraint != "" {
		if field, value := describe(constraint); field != "" {
			return field, value
		}
	}
	name := strings.TrimPrefix(constraint, partOf.ReplaceAllString(refused.TableName, "")+"_")
	for _, suffix := range []string{"_key", "_fkey", "_check"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name, nil
}

// partOf is what the names of a part have behind those of the table (docs/operations/partition.sql).
var partOf = regexp.MustCompile(`_p[0-9]+$`)

// Constraint is the constraint that an error is about; in a table that is split by organization, the table's, not the part's.
func Constraint(refused *pgconn.PgError) string {
	return partOf.ReplaceAllString(refused.ConstraintName, "")
}

func shown(value any) string {
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
