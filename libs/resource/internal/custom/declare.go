package custom

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
)

// lockDeclarations makes changes of what an organization has declared of a collection wait for each other.
func lockDeclarations(ctx context.Context, tx pgx.Tx, t *table.Table) error {
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('custom fields ' || $1::text || $2::text, 0))",
		principal.From(ctx).OrganizationID, t.Row.Name)
	return err
}

// find gives the declaration of a key, or nil.
func find(ctx context.Context, tx pgx.Tx, t *table.Table, key string) (*Field, int, error) {
	fields, err := Declared(ctx, tx, t)
	for i := range fields {
		if fields[i].Key == key {
			return &fields[i], len(fields), err
		}
	}
	return nil, len(fields), err
}

// Declare declares the type of a custom field, and says what it was before, "" for nothing. The values are yet to be built by Work, unless
// it was declared so already.
func Declare(ctx context.Context, tx pgx.Tx, t *table.Table, key string, kind schema.Kind) (former schema.Kind, err error) {
	if err := lockDeclarations(ctx, tx, t); err != nil {
		return "", err
	}
	field, declared, err := find(ctx, tx, t, key)
	switch {
	case err != nil:
		return "", err
	case field != nil && field.Type == kind:
		return kind, nil
	case field != nil:
		former, err = field.Type, remove(ctx, tx, field.ID)
	case declared >= Most:
		err = fault.Conflict("too_many_custom_fields", "key", key,
			"The organization has declared %d custom fields of %s, which is the most; delete a declaration that no list needs.", Most, t.Many())
	}
	if err != nil {
		return "", err
	}
	_, err = tx.Exec(ctx, "INSERT INTO custom_field (organization_id, collection, key, type) VALUES ($1, $2, $3, $4)",
		principal.From(ctx).OrganizationID, t.Row.Name, key, kind)
	return former, err
}

// Remove takes the declaration of a custom field back, and says what its type was. One that is not declared is a 404.
func Remove(ctx context.Context, tx pgx.Tx, t *table.Table, key string) (schema.Kind, error) {
	if err := lockDeclarations(ctx, tx, t); err != nil {
		return "", err
	}
	field, _, err := find(ctx, tx, t, key)
	switch {
	case err != nil:
		return "", err
	case field == nil:
		return "", fault.New(fault.KindNotFound, "not_found", "No type is declared for the custom field %.100q of %s.", key, t.Many())
	}
	return field.Type, remove(ctx, tx, field.ID)
}

// remove leaves a declaration, which no list and no write sees from now on, to Work.
func remove(ctx context.Context, tx pgx.Tx, id int64) error {
	_, err := tx.Exec(ctx, "UPDATE custom_field SET state = 'removed' WHERE organization_id = $1 AND id = $2",
		principal.From(ctx).OrganizationID, id)
	return err
}

// Counts are how many records have a value of a field's type, and one that cannot be read as it.
type Counts struct{ Values, Unparsed int64 }

// Count counts the records of a field whose values are built, those that the caller may see.
func (f Field) Count(ctx context.Context, tx pgx.Tx, t *table.Table) (c Counts, err error) {
	seen := ""
	if visible := t.VisibleTo(ctx); visible != "" {
		seen = " AND v.id IN (SELECT t.id FROM " + t.Name + " t WHERE t.organization_id = $1 AND " + visible + ")"
	}
	err = tx.QueryRow(ctx, "SELECT count(*) FILTER (WHERE v.missing = 0), count(*) FILTER (WHERE v.missing = 2) FROM custom_value v WHERE "+f.Rows()+
		" AND v.missing IN (0, 2)"+seen, principal.From(ctx).OrganizationID).Scan(&c.Values, &c.Unparsed)
	return c, err
}
