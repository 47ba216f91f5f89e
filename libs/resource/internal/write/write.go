package write

import (
	"context"
	"errors"
	"reflect"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/resource/internal/index"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/transaction"
)

// How a write goes, for one record and for a thousand alike: the changes are checked together, the rows of all of
// them are written by one statement that takes them as one JSON document, and what was written is kept as history and
// as events. A change that cannot be made says so on itself; the caller decides whether the others stand.

// create writes new records.
func (c *Resource) create(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
	for _, it := range changes {
		if it.ID == "" {
			it.ID = newID()
		}
		c.number(it)
	}
	if err := c.prepare(ctx, tx, changes); err != nil {
		return err
	}
	return c.write(ctx, tx, "created", change.Valid(changes), c.insert)
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// update writes changed records, whose Before was read with a lock in this transaction.
func (c *Resource) update(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
	if err := c.prepare(ctx, tx, changes); err != nil {
		return err
	}
	var changed []*change.Change
	for _, it := range change.Valid(changes) {
		if reflect.DeepEqual(it.Before, it.After) {
			it.Written, it.Unchanged = it.Former, true // no new version
			continue
		}
		changed = append(changed, it)
	}
	return c.write(ctx, tx, "updated", changed, c.replace)
}

// remove deletes records, whose Before was read with a lock in this transaction.
func (c *Resource) remove(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
	if c.SoftDelete != nil {
		for _, it := range changes {
			it.Copy()
			c.SoftDelete(it.After)
		}
		return c.update(ctx, tx, changes)
	}
	return c.removeForGood(ctx, tx, changes)
}

// removeForGood is remove of rows, also where SoftDelete keeps them.
func (c *Resource) removeForGood(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
	if c.BeforeWrite != nil {
		if err := c.BeforeWrite(ctx, tx, changes); err != nil {
			return err
		}
	}
	if err := links.RejectReferredTo(ctx, tx, c.Table, change.Valid(changes), false); err != nil {
		return err
	}
	return c.write(ctx, tx, "deleted", change.Valid(changes), c.eraseWhole)
}

// prepare checks what holds for every resource, then what the resource itself asks for.
func (c *Resource) prepare(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
	for _, it := range changes {
		c.checkTransition(it)
		c.checkMakes(ctx, it)
	}
	if err := links.Check(ctx, tx, c.Table, links.RejectUnplanned(ctx, c.Table, changes), c.Resolve); err != nil {
		return err
	}
	if c.BeforeWrite == nil {
		return nil
	}
	return c.BeforeWrite(ctx, tx, changes)
}

// checkMakes refuses a change with entries that make records which the caller may not make by themselves. A service has no scopes: what it
// carries out, such as an effect, was allowed when it was declared.
func (c *Resource) checkMakes(ctx context.Context, it *change.Change) {
	p := principal.From(ctx)
	if len(p.Scopes) == 0 {
		return
	}
	for _, f := range c.Schema.Fields {
		if f.Makes == "" || it.After == nil || change.Record(it.After).FieldByIndex(f.Index).Len() == 0 {
			continue
		}
		made, _ := c.Catalogue.Find(f.Makes) // declaration.Check has found it
		switch scope := made.Scope + ":write"; {
		case !p.Has(made.Feature):
			it.Reject(endpoint.NotInPlan(made.Feature))
		case !p.Allows(scope):
			it.Reject(endpoint.ScopeMissing(p, scope, "%s: each entry makes %s, which needs the scope %s.", f.Name, catalogue.A(made.One()), scope))
		}
	}
}

type rowByRowKey struct{}

// rowByRow is the context of a call whose rows stand by themselves: where one cannot be written, the others are.
func rowByRow(ctx context.Context) context.Context {
	return context.WithValue(ctx, rowByRowKey{}, true)
}

// write writes changes together. What AfterWrite says against records that it makes with them, it says of all of them; where rows stand by
// themselves all is undone then, and each is written alone, so that it speaks against those only that it is about.
func (c *Resource) write(ctx context.Context, tx pgx.Tx, action string, changes []*change.Change,
	statement func(context.Context, pgx.Tx, []*change.Change) error) error {
	if c.AfterWrite == nil || ctx.Value(rowByRowKey{}) != true {
		return c.writeTogether(ctx, tx, action, changes, statement)
	}
	write := func(changes ...*change.Change) error {
		return postgres.Savepoint(context.WithValue(ctx, rowByRowKey{}, nil), tx, func(ctx context.Context, tx pgx.Tx) error {
			return c.writeTogether(ctx, tx, action, changes, statement)
		})
	}
	err := write(changes...)
	if !refuses(err) {
		return err
	}
	for _, it := range change.Valid(changes) {
		it.Emitted = nil
		if err := write(it); refuses(err) {
			reason := *fault.From(err)
			reason.ExistingID = "" // it is of another record than the row's
			it.Reject(&reason)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// refuses says whether an error speaks against what was sent, and not against the service.
func refuses(err error) bool {
	if err == nil {
		return false
	}
	switch fault.From(err).Kind {
	case fault.KindInvalid, fault.KindForbidden, fault.KindNotFound, fault.KindConflict:
		return true
	}
	return false
}

// writeTogether runs statement for all changes. When a record becomes too large, or has custom fields that are not as declared, it runs
// once more without that. When a unique value is taken, it runs once more for each change alone, so that every change that clashes is
// named. Then come history, events, and what the resource does afterwards.
func (c *Resource) writeTogether(ctx context.Context, tx pgx.Tx, action string, changes []*change.Change,
	statement func(context.Context, pgx.Tx, []*change.Change) error) error {
	if len(changes) == 0 {
		return nil
	}
	err := c.attempt(ctx, tx, changes, statement)
	if errors.Is(err, errRefused) {
		return c.writeTogether(ctx, tx, action, change.Valid(changes), statement)
	}
	switch {
	case err == nil:
	case !isGuarded(ctx):
		return err // all is undone; the call looks at it
	case clash(err) == nil:
		return c.Explain(err)
	default:
		for _, it := range changes {
			if err := c.writeAlone(ctx, tx, it, statement); err != nil {
				return err
			}
		}
	}
	written := change.Valid(changes)
	index.Written(ctx, c.Table, len(written))
	if err := record.Write(ctx, tx, c.Table, action, written, c.Emit); err != nil {
		return err
	}
	if c.AfterWrite == nil || len(written) == 0 {
		return nil
	}
	return c.AfterWrite(ctx, tx, written)
}

// attempt runs statement in a savepoint, which is undone when a record may not be as it was written; of an unguarded write, without one.
func (c *Resource) attempt(ctx context.Context, tx pgx.Tx, changes []*change.Change,
	statement func(context.Context, pgx.Tx, []*change.Change) error) error {
	run := func(ctx context.Context, tx pgx.Tx) error {
		var declared []custom.Field
		if c.concernsCustomFields(changes) {
			if err := custom.Along(ctx, tx, c.Table, &declared); err != nil {
				return err
			}
		}
		if err := statement(ctx, tx, changes); err != nil {
			return err
		}
		return errors.Join(c.refuseLarge(changes), c.refuseUndeclared(ctx, changes, declared))
	}
	if !isGuarded(ctx) {
		return run(ctx, tx)
	}
	return postgres.Savepoint(ctx, tx, run)
}

type unguardedKey struct{}

// unguarded is the context of a write of one record that is tried without a savepoint: what fails undoes all of it, and a value that is
// taken comes back as the database says it, for the call to be made once more with savepoints. Where a transaction runs already, which
// cannot be begun again, it is ctx.
func unguarded(ctx context.Context) context.Context {
	if transaction.Runs(ctx) {
		return ctx
	}
	return context.WithValue(ctx, unguardedKey{}, true)
}

func isGuarded(ctx context.Context) bool { return ctx.Value(unguardedKey{}) == nil }

func (c *Resource) writeAlone(ctx context.Context, tx pgx.Tx, it *change.Change,
	statement func(context.Context, pgx.Tx, []*change.Change) error) error {
	for attempt := 0; ; attempt++ {
		err := c.attempt(ctx, tx, []*change.Change{it}, statement)
		if errors.Is(err, errRefused) {
			return nil
		}
		violation := clash(err)
		if violation == nil {
			return c.Explain(err)
		}
		field := c.FieldOfConstraint(postgres.Constraint(violation))
		if it.Numbered[field] && attempt < 3 { // somebody gave that number by hand: go on behind the highest
			if err := c.skipNumbers(ctx, tx, field); err != nil {
				return err
			}
			continue
		}
		taken, err := c.conflict(ctx, tx, violation, field, it)
		if err != nil {
			return err
		}
		it.Reject(taken)
		return nil
	}
}
