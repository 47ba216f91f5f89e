package table

import (
	"strings"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
)

// FieldOfConstraint gives the field that a unique or foreign key is about: constraints are named <table>_<field>_key
// and <table>_<field>_fkey.
func (t *Table) FieldOfConstraint(constraint string) string {
	name := strings.TrimPrefix(constraint, t.Name+"_")
	return strings.TrimSuffix(strings.TrimSuffix(name, "_fkey"), "_key")
}

// Explain puts a database error into the caller's words.
func (t *Table) Explain(err error) error {
	if err == nil {
		return nil
	}
	return postgres.Fault(err, func(constraint string) (string, any) { return t.FieldOfConstraint(constraint), nil })
}

// NotFound is the 404 of a record that the organization does not have.
func (t *Table) NotFound(id string) error { return fault.NotFound(t.One(), id) }
