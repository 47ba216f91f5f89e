// Package contacts erases the contact data of people who are not users when the organization's retention period has ended.
package contacts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/persons"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// atOnce is how many records lose their contact data in one transaction.
const atOnce = 500

// Data is the contact data in the records of one collection. The schema has a function organizations_with_contacts(), which names the
// organizations that have some of records that have ended.
type Data struct {
	Registry   *resource.Registry
	Service    string
	Actor      string // what the service is called in history
	Collection string
	Table      string
	Fields     []string
	EndedAt    string // SQL over alias r: when the record ended, NULL where it has not
	Now        func() time.Time
}

// Erase erases the contact data of records that ended as long ago as their organization's contact_retention_days. History and events never
// had it, and responses that are stored for repeated requests stay for a day. Whatever instance comes second finds nothing left.
func (d Data) Erase(ctx context.Context) error {
	rows, err := d.Registry.DB.Pool().Query(ctx, `SELECT organization_id::text FROM organizations_with_contacts() AS organization_id`)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	var failed []error
	for _, id := range ids {
		organization, err := d.Registry.References.Organization(ctx, d.Service, id)
		if err == nil {
			err = d.eraseOf(ctx, organization)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("organization %s: %w", id, err)) // the others are not to wait for it
		}
	}
	return errors.Join(failed...)
}

func (d Data) eraseOf(ctx context.Context, organization reference.Organization) error {
	if organization.ContactRetentionDays < 1 { // a gateway that does not know the setting yet
		return nil
	}
	before := d.Now().AddDate(0, 0, -organization.ContactRetentionDays)
	p := organization.Principal(d.Service)
	p.Actor = principal.Actor{Type: "service", ID: d.Service, Name: d.Actor}
	ctx = principal.Into(ctx, p)
	for {
		erased, err := d.eraseEnded(ctx, before)
		if err != nil || erased == 0 {
			return err
		}
	}
}

// eraseEnded erases the contact data of the records that ended first, and says of how many.
func (d Data) eraseEnded(ctx context.Context, before time.Time) (erased int, err error) {
	return d.erase(ctx, d.EndedAt+" < $1", d.EndedAt, before)
}

// erase erases the contact data of the first records that a condition over alias r finds, of which $1 is the value, and says of how many.
func (d Data) erase(ctx context.Context, where, order string, value any) (erased int, err error) {
	err = d.Registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT r.id::text FROM "+d.Table+" r WHERE r.organization_id = current_organization() AND "+where+
			" AND num_nonnulls(r."+strings.Join(d.Fields, ", r.")+") > 0 ORDER BY "+order+" LIMIT $2 FOR NO KEY UPDATE", value, atOnce)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if erased = len(ids); err != nil || erased == 0 {
			return err
		}
		cleared := "SELECT r.id, NULL::text AS " + strings.Join(d.Fields, ", NULL::text AS ") + " FROM " + d.Table +
			" r WHERE r.organization_id = $1 AND r.id = ANY($2::uuid[])"
		return d.Registry.UpdateWhere(ctx, tx, d.Collection, d.Fields, cleared, ids)
	})
	return erased, err
}

// Mount serves the gateway, for a person who wants to see, or to have erased, what is stored under an e-mail address.
func (d Data) Mount() {
	transport.Internal(d.Registry.API, persons.EraseContact, d.eraseContact)
	transport.Internal(d.Registry.API, persons.ExportContact, d.exportContact)
}

// hasEmail is the condition for the records of one e-mail address, $1, however it is written.
const hasEmail = "unique_key(r.requester_email) = unique_key($1::text)"

// eraseContact erases the contact data of an e-mail address, whether what was requested has ended or not.
func (d Data) eraseContact(ctx context.Context, in persons.ContactQuery) (persons.Part, error) {
	part := persons.Part{Rows: map[string]int64{}}
	if err := persons.ServicesOnly(ctx); err != nil {
		return part, err
	}
	erased, err := d.erase(ctx, hasEmail, "r.id", in.Email)
	if erased > 0 {
		part.Rows[d.Table] = int64(erased)
	}
	if erased == atOnce {
		part.Next = "more"
	}
	return part, postgres.Fault(err, nil)
}

// exportContact gives the records that have an e-mail address as GET does, in the order of their ids.
func (d Data) exportContact(ctx context.Context, in persons.ContactQuery) (persons.Part, error) {
	part := persons.Part{Rows: map[string]int64{}, Records: map[string][]json.RawMessage{}}
	if err := persons.ServicesOnly(ctx); err != nil {
		return part, err
	}
	if in.After != "" && !schema.IsUUID(in.After) {
		return part, fault.InvalidFields(fault.Field{Field: "after", Message: "must be the next of the call before"})
	}
	err := d.Registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT r.id::text FROM "+d.Table+" r WHERE r.organization_id = current_organization() AND "+hasEmail+
			" AND ($2 = '' OR r.id > nullif($2, '')::uuid) ORDER BY r.id LIMIT $3", in.Email, in.After, atOnce)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(ids) == 0 {
			return err
		}
		shown, err := d.Registry.ShowAll(ctx, tx, d.Collection, ids)
		if err != nil {
			return err
		}
		for _, record := range shown {
			part.Records[d.Table] = append(part.Records[d.Table], record.Object)
		}
		part.Rows[d.Table] = int64(len(shown))
		if len(ids) == atOnce {
			part.Next = ids[len(ids)-1]
		}
		return nil
	})
	return part, postgres.Fault(err, nil)
}
