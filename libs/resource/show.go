package resource

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// Show answers a record as GET does, with what this transaction has written: for operations beside those of the resource. A
// record that the organization does not have is a 404.
func (registry *Registry) Show(ctx context.Context, tx pgx.Tx, collection, id string) (*transport.Response, error) {
	t := registry.tables[collection]
	if t == nil {
		return nil, fmt.Errorf("show %s: it is not a collection of this service", collection)
	}
	rows, err := readRows(ctx, tx, "SELECT "+selection(t.columns)+" FROM "+t.name+" t WHERE t.organization_id = $1 AND t.id = $2", principal.From(ctx).OrganizationID, id)
	if err != nil {
		return nil, t.explain(err)
	}
	if len(rows) == 0 {
		return nil, t.notFound(id)
	}
	response := &transport.Response{Body: appendRecord(nil, t.columns, rows[0])}
	response.SetHeader("ETag", `"`+t.text(rows[0], "version")+`"`)
	return response, nil
}
