package read

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/transport"
)

// Show answers a record as GET does, with what this transaction has written: for operations beside those of the resource. A
// record that the organization does not have, or that the caller may not see, is a 404.
func Show(ctx context.Context, tx pgx.Tx, t *table.Table, id string) (*transport.Response, error) {
	t = t.For(ctx)
	rows, err := table.ReadRows(ctx, tx, "SELECT "+table.Selection(t.Columns)+" FROM "+t.Name+" t WHERE t.organization_id = $1 AND t.id = $2"+
		t.AndVisible(ctx), principal.From(ctx).OrganizationID, id)
	if err != nil {
		return nil, t.Explain(err)
	}
	if len(rows) == 0 {
		return nil, t.Missing(ctx, id)
	}
	response := &transport.Response{Body: table.AppendRecord(nil, t.Columns, rows[0])}
	response.SetHeader("ETag", `"`+t.Text(rows[0], "version")+`"`)
	return response, nil
}

// Shown is a record as GET shows it.
type Shown struct {
	ID      string
	Version int
	Object  []byte // JSON
}

// ShowAll gives records as GET does, in the order of their ids, with what this transaction has written. Those that the organization does
// not have are left out.
func ShowAll(ctx context.Context, tx pgx.Tx, t *table.Table, ids []string) ([]Shown, error) {
	t = t.For(ctx)
	rows, err := table.ReadRows(ctx, tx, "SELECT "+table.Selection(t.Columns)+" FROM "+t.Name+
		" t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[]) ORDER BY t.id", principal.From(ctx).OrganizationID, ids)
	if err != nil {
		return nil, t.Explain(err)
	}
	shown := make([]Shown, len(rows))
	for i, values := range rows {
		version, err := strconv.Atoi(t.Text(values, "version"))
		if err != nil {
			return nil, err
		}
		shown[i] = Shown{t.Text(values, "id"), version, table.AppendRecord(nil, t.Columns, values)}
	}
	return shown, nil
}
