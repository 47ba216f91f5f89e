package oauth

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/mcp"
	"ams.internal/libs/fault"
	"ams.internal/libs/persons"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	changes "ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

// internalAPI serves our own services: the settings screens list and end connections, the gateway reads the audit trail.
func (a *Authorizer) internalAPI() http.Handler {
	api := transport.New(a.signer, a.db, a.log)
	transport.Internal(api, contract.Connections, a.listConnections)
	transport.Internal(api, contract.EndConnection, a.endConnection)
	transport.Internal(api, changes.Changes, a.listChanges)
	persons.Mount(api, a.db)
	return api.Handler()
}

// requireAdministrator refuses anyone but an Administrator. The settings screens checked the role for this request.
func requireAdministrator(ctx context.Context) error {
	p := principal.From(ctx)
	if p.Actor.Type == "user" && p.Origin == "console" && slices.Contains(p.Scopes, "administrator") {
		return nil
	}
	return fault.Forbidden("administrator_needed", "Only an Administrator of the organization may do this.")
}

// listConnections returns the active connections, the newest first.
func (a *Authorizer) listConnections(ctx context.Context, _ struct{}) (contract.ConnectionList, error) {
	list := contract.ConnectionList{Data: []contract.Connection{}}
	if err := requireAdministrator(ctx); err != nil {
		return list, err
	}
	err := a.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT id::text, client_name, redirect_host, key_id::text, key_name, read_only, connected_at, last_used_at
			FROM mcp_grant WHERE organization_id = $1 AND salt IS NOT NULL AND connected_at IS NOT NULL AND good_until > now()
			ORDER BY connected_at DESC, id DESC`, principal.From(ctx).OrganizationID)
		if err != nil {
			return err
		}
		var c contract.Connection
		var since time.Time
		var used *time.Time
		_, err = pgx.ForEachRow(rows, []any{&c.ID, &c.Client, &c.Host, &c.KeyID, &c.KeyName, &c.ReadOnly, &since, &used}, func() error {
			c.ConnectedAt, c.LastUsedAt = since.UTC().Format(time.RFC3339), nil
			if used != nil {
				text := used.UTC().Format(time.RFC3339)
				c.LastUsedAt = &text
			}
			list.Data = append(list.Data, c)
			return nil
		})
		return err
	})
	return list, postgres.Fault(err, nil)
}

// endConnection disconnects an assistant. The audit trail names the Administrator. A connection that has ended already
// is no error.
func (a *Authorizer) endConnection(ctx context.Context, in contract.ConnectionID) (contract.ConnectionID, error) {
	if err := requireAdministrator(ctx); err != nil {
		return in, err
	}
	var known bool
	err := a.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM mcp_grant WHERE organization_id = $1 AND id = $2)`,
			principal.From(ctx).OrganizationID, in.ID).Scan(&known)
	})
	if err != nil {
		return in, postgres.Fault(err, nil)
	}
	if !known {
		return in, fault.NotFound("connection", in.ID)
	}
	_, err = a.endGrant(ctx, principal.From(ctx), in.ID, "disconnected")
	return in, err
}
