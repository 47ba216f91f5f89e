// Package contacts erases the contact data of people who are no users, when the organization has had it for as long as it may.
package contacts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
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
		erased, err := d.eraseSome(ctx, before)
		if err != nil || erased == 0 {
			return err
		}
	}
}

// eraseSome erases the contact data of the records that ended first, and says of how many.
func (d Data) eraseSome(ctx context.Context, before time.Time) (erased int, err error) {
	err = d.Registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT r.id::text FROM "+d.Table+" r WHERE r.organization_id = current_organization() AND "+d.EndedAt+
			" < $1 AND num_nonnulls(r."+strings.Join(d.Fields, ", r.")+") > 0 ORDER BY "+d.EndedAt+" LIMIT $2 FOR NO KEY UPDATE", before, atOnce)
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
