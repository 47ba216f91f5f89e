package write

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/schema"
)

// clash gives the violated unique or foreign key, or nil.
func clash(err error) *pgconn.PgError {
	var violation *pgconn.PgError
	if errors.As(err, &violation) && (violation.Code == postgres.UniqueViolation || violation.Code == postgres.ForeignKeyViolation) {
		return violation
	}
	return nil
}

// conflict says which value of a change is taken, and by which record, if the caller may see that.
func (c *Resource) conflict(ctx context.Context, tx pgx.Tx, violation *pgconn.PgError, name string,
	it *change.Change) (*fault.Error, error) {
	f := c.Schema.Field(name)
	if violation.Code == postgres.ForeignKeyViolation || f == nil || it.After == nil {
		e := fault.StillInUse("id", it.ID, nil,
			"The %s is used by, or uses, a record that has just changed; read it again.", c.Row.Singular)
		return e.WithCause(violation), nil
	}
	record := change.Record(it.After)
	value := f.Get(record)
	conditions, args := "", []any{principal.From(ctx).OrganizationID, fmt.Sprint(value)}
	for _, within := range f.Within {
		args = append(args, c.Schema.Field(within).Get(record))
		conditions += fmt.Sprintf(" AND t.%s IS NOT DISTINCT FROM $%d", within, len(args))
	}
	var existing string
	err := tx.QueryRow(ctx, "SELECT t.id::text FROM "+c.Name+" t WHERE t.organization_id = $1 AND t."+name+"_key = unique_key($2)"+
		conditions+c.AndVisible(ctx), args...).Scan(&existing)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	taken := fault.Conflict("already_exists", name, value,
		"There already is %s with %s %q%s.", catalogue.A(c.One()), name, fmt.Sprint(value), c.shared(f, record))
	taken.ExistingID = existing
	return taken, nil
}

// shared says within what else than its parent a value is taken: " and fiscal_year 2027".
func (c *Resource) shared(f *schema.Field, record reflect.Value) string {
	text := ""
	for _, name := range f.Within {
		if value := c.Schema.Field(name).Get(record); name != c.Parent && value != nil {
			text += fmt.Sprintf(" and %s %v", name, value)
		}
	}
	return text
}
