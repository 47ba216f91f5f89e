package users

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
	"ams.internal/libs/persons"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// maxForgettable is how many removed users one call names.
const maxForgettable = 100

// erasedEmail is the address of a user who is forgotten: unique like any other, in a domain that will never exist (RFC 2606). It is also
// what says that everything else was erased before: it is written last.
const erasedEmail = `(u.id::text || '@private.invalid')`

// mountForgetting serves the gateway, which erases persons in all services.
func (p people) mountForgetting() {
	transport.Internal(p.registry.API, contract.Forgettable, p.forgettable)
	transport.Internal(p.registry.API, contract.FindPerson, p.person)
	transport.Internal(p.registry.API, contract.Forget, p.forget)
}

// forgettable names removed users, those first whose ids are smallest. The time is that of the last removal, as history has it; where that
// is deleted, of the last change.
func (p people) forgettable(ctx context.Context, in contract.ForgettableRequest) (found contract.ForgettableUsers, err error) {
	if err := persons.ServicesOnly(ctx); err != nil {
		return found, err
	}
	err = p.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT u.id::text FROM user_account u
			WHERE u.organization_id = current_organization() AND u.status = 'removed' AND u.email <> `+erasedEmail+`
				AND coalesce((SELECT max(h.at) FROM history h WHERE h.organization_id = current_organization() AND h.collection = 'users'
					AND h.record_id = u.id AND h.changes -> 'status' ->> 'new' = 'removed'), u.updated_at) < $1::text::timestamptz
			ORDER BY u.id LIMIT $2`, in.Before, maxForgettable)
		if err == nil {
			found.IDs, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	return found, postgres.Fault(err, nil)
}

// person gives the user with an id or an e-mail address; nobody is a 404.
func (p people) person(ctx context.Context, in contract.PersonRequest) (found contract.Person, err error) {
	if err := persons.ServicesOnly(ctx); err != nil {
		return found, err
	}
	err = p.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT u.id::text, u.email, u.status, u.email = `+erasedEmail+` FROM user_account u
			WHERE u.organization_id = current_organization() AND ($1::text::uuid IS NULL OR u.id = $1::text::uuid)
				AND ($2::text IS NULL OR u.email_key = unique_key($2::text)) AND num_nonnulls($1::text, $2::text) > 0`, in.UserID, in.Email).
			Scan(&found.ID, &found.Email, &found.Status, &found.Erased)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.New(fault.KindNotFound, "not_found", "There is no such user in this organization.")
		}
		if err != nil {
			return err
		}
		records, err := p.registry.ShowAll(ctx, tx, "users", []string{found.ID})
		if err == nil && len(records) == 1 {
			found.Record = records[0].Object
		}
		return err
	})
	return found, postgres.Fault(err, nil)
}

// forget erases what the record of a removed user says of the person, in one transaction with its history, the event of this change, and
// the words that it was found by. The id, the role and what others refer to stay.
func (p people) forget(ctx context.Context, in contract.UserRequest) (done contract.Forgotten, err error) {
	if err := persons.ServicesOnly(ctx); err != nil {
		return done, err
	}
	err = p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var status, email string
		err := tx.QueryRow(ctx, `SELECT u.status, u.email FROM user_account u WHERE u.organization_id = current_organization() AND u.id = $1
			FOR NO KEY UPDATE`, in.UserID).Scan(&status, &email)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return fault.New(fault.KindNotFound, "not_found", "There is no such user in this organization.")
		case err != nil:
			return err
		case status != removed:
			return notRemoved(in.UserID, status)
		case email == in.UserID+"@private.invalid":
			return nil
		}
		done.Rows = 1
		if err := p.registry.UpdateWhere(ctx, tx, "users",
			[]string{"name", "email", "phone", "job_title", "employee_number", "external_id", "custom_fields"},
			`SELECT u.id, 'private'::text AS name, `+erasedEmail+` AS email, NULL::text AS phone, NULL::text AS job_title,
				NULL::text AS employee_number, NULL::text AS external_id, '{}'::jsonb AS custom_fields
			FROM user_account u WHERE u.organization_id = $1 AND u.id = $2`, in.UserID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT erase_user_history($1)`, in.UserID); err != nil {
			return fmt.Errorf("erase the history of a user: %w", err)
		}
		return p.registry.RebuildIndex(ctx, tx, "users")
	})
	return done, postgres.Fault(err, nil)
}

// notRemoved refuses to forget somebody who still works here.
func notRemoved(id, status string) error {
	return fault.Conflict("user_not_removed", "user_id", id,
		"The user %s is %s: remove the user first (DELETE /v1/users/%[1]s), then forget the person.", id, status)
}
