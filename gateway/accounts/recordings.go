package accounts

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// recordedAction is what the console records: who signed in and out, which form was forged, whose id was refused.
type recordedAction struct {
	byOrganization
	Action  string         `json:"action" required:"true" maxLength:"100" pattern:"^[a-z_]+\\.[a-z_]+$" patternDescription:"two words such as user.signed_in"`
	Subject map[string]any `json:"subject"`
	Changes map[string]any `json:"changes"`
	Address *string        `json:"address" maxLength:"50"`
}

type recorded struct {
	ID string `json:"id"`
}

// recordings is the operation by which our services add to the audit trail.
type recordings struct{ db *postgres.DB }

func (r *recordings) mount(api *transport.API) {
	record := transport.Operation{Path: auditPath, ID: "record_audit", Status: http.StatusCreated, MaxBody: 64 << 10}
	transport.Post(api, record, r.recordAudit)
}

// recordAudit adds an entry that one of our services vouches for; its principal says who acted. A session of a sign-in
// adds none: people do not write their own trail.
func (r *recordings) recordAudit(ctx context.Context, in recordedAction) (recorded, error) {
	ctx, err := authorize(ctx, in.ID, roleService, roleAdministrator, roleMember)
	if err != nil {
		return recorded{}, err
	}
	if !vouched(ctx) {
		return recorded{}, fault.Forbidden("services_only", "Only the product's own services may do this.")
	}
	about, err := readSubject(in.Subject)
	if err != nil {
		return recorded{}, err
	}
	p := principal.From(ctx)
	if in.Address != nil {
		p.Address = *in.Address
	}
	if in.Changes == nil {
		in.Changes = map[string]any{}
	}
	entry := recorded{newID()}
	err = r.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := readOrganization(ctx, tx, in.ID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO audit (organization_id, id, actor, action, subject, changes, address, request_id)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, in.ID, entry.ID, p.Actor, in.Action, about, in.Changes, p.Address, p.RequestID)
		return err
	})
	return entry, postgres.Fault(err, nil)
}

func readSubject(given map[string]any) (subject, error) {
	var problems schema.Problems
	text := func(name string, maxLength int) string {
		value, isText := given[name].(string)
		if given[name] != nil && !isText || len([]rune(value)) > maxLength {
			problems.Add("subject."+name, "must be a text of at most %d characters", maxLength)
		}
		return value
	}
	return subject{text("type", 100), text("id", 100), text("name", 255)}, problems.Err()
}
