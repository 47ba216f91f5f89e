package forms

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/forms"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// mountPresets serves the workorders service, whose presets of plans bring their forms. A preset makes a form once in an organization.
func (f forms) mountPresets() {
	transport.Internal(f.registry.API, contract.MakeTemplate, f.makeTemplate)
}

func (f forms) makeTemplate(ctx context.Context, in contract.PresetTemplate) (made contract.MadeTemplate, err error) {
	if p := principal.From(ctx); !p.Allows("forms:write") {
		e := fault.Forbidden("insufficient_scope", "The form that belongs to it needs the scope forms:write.")
		e.Required, e.Scopes = "forms:write", p.Scopes
		return made, e
	}
	key := "preset:" + in.Code
	err = f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT coalesce(n.id, t.id)::text, coalesce(n.status, t.status) FROM form_template t
			LEFT JOIN form_template n ON n.organization_id = t.organization_id AND n.name_key = t.name_key AND n.status = 'published'
			WHERE t.organization_id = current_organization() AND t.external_id_key = unique_key($1)`, key).Scan(&made.ID, &made.Status)
		if err == nil || !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		body := map[string]any{"name": in.Name, "external_id": key, "items": plain(in.Items), "status": draft}
		if in.Description != nil {
			body["description"] = *in.Description
		}
		if in.Publish {
			body["status"] = published
		}
		made.Status, made.Created = body["status"].(string), true
		made.ID, err = f.registry.Create(ctx, tx, "form_templates", "", body)
		return err
	})
	return made, postgres.Fault(err, nil)
}

// plain is a value as a body has it.
func plain(value any) (decoded any) {
	if err := json.Unmarshal([]byte(marshal(value)), &decoded); err != nil {
		panic("forms: " + err.Error()) // of what was read from JSON
	}
	return decoded
}
