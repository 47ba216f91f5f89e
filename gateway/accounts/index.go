package accounts

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

// indexRequest is what the platform's admin asks of the index of an organization's collection.
type indexRequest struct {
	byOrganization
	reference.IndexQuery
}

// indexes lets the platform's admin verify, rebuild and fold what finds records: the services that own them do it.
type indexes struct {
	db     *postgres.DB
	client *reference.Client
}

func (i *indexes) mount(api *transport.API) {
	operation := transport.Operation{Path: "/internal/organizations/{id}/index", ID: "operate_index", Deadline: reference.IndexTimeout}
	transport.Post(api, operation, i.operate)
}

// operate asks the owner of a collection. A rebuild is in the audit trail, also one that failed then.
func (i *indexes) operate(ctx context.Context, in indexRequest) (reference.IndexState, error) {
	ctx, err := authorize(ctx, in.ID, rolePlatformAdmin)
	if err != nil {
		return reference.IndexState{}, err
	}
	var of organization
	err = i.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if of, err = readOrganization(ctx, tx, in.ID); err != nil || in.Action != "rebuild" {
			return err
		}
		return audit(ctx, tx, "organization.index_rebuilt", subject{"organization", of.ID, of.Name},
			map[string]any{"collection": [2]any{nil, in.Collection}})
	})
	if err != nil {
		return reference.IndexState{}, postgres.Fault(err, nil)
	}
	p := principal.From(of.within(ctx))
	p.Actor = principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	return i.client.Index(principal.Into(ctx, p), in.IndexQuery)
}
