// Package custom serves declarations of custom fields: it validates writes by their types and rules, and filters and sorts lists by
// them at a cost that does not grow with the other records. The table custom_field has the declarations, custom_value the value of
// each record for each of them, in the order of a list. A trigger of the records' table updates the values in the transaction of the
// write; a background job builds those of records that existed before a declaration.
package custom

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
)

// Prefix is before the key of a custom field in the names of filters and sorts.
const Prefix = "custom_fields."

const (
	// MaxFields is how many custom fields of a collection an organization can declare. Each costs every write of a record.
	MaxFields = 20
	// MaxKey is how many characters a name of a custom field has at most, as in package schema.
	MaxKey = 100
	// MaxText is how many characters of a text can be filtered and sorted by, as in custom_text. A longer one counts as none.
	MaxText = 500
)

// The states of a declaration. One that was removed is there until its values are gone.
const (
	Pending = "pending"
	Ready   = "ready"
)

// Field is a custom field whose type an organization has declared.
type Field struct {
	ID          int64
	Key         string
	Type        schema.Kind // text, number, date or boolean: how lists compare it. A choice is compared as text
	State       string
	DeclaredAt  time.Time
	Declaration Declaration

	pattern *regexp.Regexp // once it was needed
}

// Querier is a transaction or what is like one.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Declared gives what the organization has declared of a collection, by key in the order of the keys.
func Declared(ctx context.Context, tx Querier, t *table.Table) ([]Field, error) {
	rows, err := tx.Query(ctx, declaredSQL, principal.From(ctx).OrganizationID, t.Row.Name)
	if err != nil {
		return nil, err
	}
	return collect(rows)
}

const declaredSQL = `SELECT id, key, type, state, declared_at, declaration FROM custom_field
	WHERE organization_id = $1 AND collection = $2 AND state <> 'removed' ORDER BY key`

// Along is Declared together with the next statement of a transaction, in no round trip of its own: fields are what it finds once that
// statement returns.
func Along(ctx context.Context, tx pgx.Tx, t *table.Table, fields *[]Field) error {
	return postgres.Along(ctx, tx, func(rows pgx.Rows) (err error) {
		*fields, err = collect(rows)
		return err
	}, declaredSQL, principal.From(ctx).OrganizationID, t.Row.Name)
}

func collect(rows pgx.Rows) ([]Field, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (f Field, err error) {
		err = row.Scan(&f.ID, &f.Key, &f.Type, &f.State, &f.DeclaredAt, &f.Declaration)
		if f.Declaration.Type == "" { // it was declared when there was nothing else to be said
			f.Declaration = OfType(string(f.Type))
		}
		return f, err
	})
}

// CheckKey says what is wrong with the name of a custom field, or "".
func CheckKey(key string) string {
	switch n := len([]rune(key)); {
	case n == 0 || n > MaxKey:
		return fmt.Sprintf("must have 1 to %d characters", MaxKey)
	case strings.ContainsRune(key, ',') || strings.ContainsFunc(key, unicode.IsControl):
		return "cannot have a comma or a control character: the parameter sort could not name it"
	case strings.TrimSpace(key) != key:
		return "cannot begin or end with a space"
	}
	return ""
}

// PendingFault is the 409 of a list that asks for a field whose values are being built.
func (f Field) PendingFault() error {
	e := fault.Conflict("custom_field_pending", Prefix+f.Key, f.Key,
		"The values of the custom field %q are being collected, because its type was declared a moment ago; try again in %d seconds.",
		f.Key, int(retryAfter.Seconds()))
	e.RetryAfter = retryAfter
	return e
}

// retryAfter is when a list may be worth another attempt.
const retryAfter = 5 * time.Second

// Cast is the SQL type of values.
func (f Field) Cast() string {
	if f.Type == schema.Text {
		return "text"
	}
	return "double precision"
}

// Rows is the condition over alias v of the rows of custom_value that are of the field; $1 is the organization.
func (f Field) Rows() string {
	return "v.organization_id = $1 AND v.field = " + strconv.FormatInt(f.ID, 10)
}

// Expression is the value of the record under alias t, NULL for none: what custom_value has, computed from the record.
func (f Field) Expression() string {
	value := "(t.custom_fields -> '" + strings.ReplaceAll(f.Key, "'", "''") + "', '" + string(f.Type) + "')"
	if f.Type == schema.Text {
		return "custom_text" + value
	}
	return "custom_number" + value
}

// Column is the field as a column that lists are ordered by.
func (f Field) Column() *table.Column {
	return &table.Column{Field: &schema.Field{Name: Prefix + f.Key, Kind: f.Type, Nullable: true, Sort: true}, SQL: f.Expression()}
}

// Parse reads a value of a filter, as custom_value has it. The error is the sentence that follows the filter's name.
func (f Field) Parse(text string) (any, error) {
	switch f.Type {
	case schema.Number:
		if number, err := strconv.ParseFloat(text, 64); err == nil && number-number == 0 { // not infinite, and a number
			return number, nil
		}
		return nil, fmt.Errorf("must be a number, as its type is declared, not %.50q", text)
	case schema.Date:
		if day, err := time.Parse(time.DateOnly, text); err == nil {
			return float64(day.Unix() / 86400), nil
		}
		return nil, fmt.Errorf("must be a date such as 2026-01-31, as its type is declared, not %.50q", text)
	case schema.Boolean:
		switch text {
		case "true":
			return 1.0, nil
		case "false":
			return 0.0, nil
		}
		return nil, fmt.Errorf("must be true or false, as its type is declared, not %.50q", text)
	}
	if len([]rune(text)) > MaxText {
		return nil, fmt.Errorf("must have at most %d characters", MaxText)
	}
	return text, nil
}
