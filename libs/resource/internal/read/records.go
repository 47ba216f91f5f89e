package read

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// Records gives whole records as OData shows them, by their ids: those that the caller may see. It is what $expand shows of another set,
// so it needs what that set needs.
func Records(ctx context.Context, tbl *table.Table, wanted reference.RecordsQuery) (map[string]json.RawMessage, error) {
	t := list{tbl.For(ctx)}
	if err := readable(ctx, t.Row, "$expand"); err != nil {
		return nil, err
	}
	columns, err := t.recordColumns(wanted)
	if err != nil || len(wanted.IDs) == 0 {
		return nil, err
	}
	found, size := make(map[string]json.RawMessage, len(wanted.IDs)), 0
	err = t.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT "+table.Selection(columns)+" FROM "+t.Name+" t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[])"+
			t.AndVisible(ctx), principal.From(ctx).OrganizationID, wanted.IDs).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				values := rows.RawValues()
				record := table.AppendRecord(nil, columns[1:], values[1:])
				if size += len(record); size > maxPage {
					return errExpandedTooLarge
				}
				found[string(values[0])] = record
			}
			return rows.Err()
		})
	})
	return found, t.Explain(err)
}

// recordColumns are the columns that are shown, behind the id.
func (t list) recordColumns(wanted reference.RecordsQuery) ([]*table.Column, error) {
	columns := []*table.Column{t.Column("id")}
	if len(wanted.Fields) == 0 {
		for _, c := range t.Columns {
			columns = append(columns, c.InOData(wanted.TextNumbers))
		}
		return columns, nil
	}
	var problems schema.Problems
	shown := map[string]bool{}
	for _, name := range wanted.Fields {
		c := t.Column(name)
		switch {
		case c == nil && len(problems) < maxProblems:
			problems.Add("$expand", "%.100q is not a field of %s%s", name, t.Row.Name,
				suggest.DidYouMean(name, t.Schema.Names(func(*schema.Field) bool { return true })))
		case c != nil && !shown[name]:
			shown[name] = true
			columns = append(columns, c.InOData(wanted.TextNumbers))
		}
	}
	return columns, problems.Err()
}

// errExpandedTooLarge objects to a page whose related records would take more than a page may.
var errExpandedTooLarge = fault.Invalid("page_too_large", "What $expand shows on this page takes more than %d MB. Ask for fewer records "+
	"with the header Prefer: odata.maxpagesize=100, or for fewer fields with $expand=site($select=name).", maxPage>>20)

// readable objects to records of a collection that the caller's scopes or the organization's plan do not show. option is what asks for
// them.
func readable(ctx context.Context, row catalogue.Collection, option string) error {
	if !principal.From(ctx).Has(row.Feature) {
		return endpoint.NotInPlan(row.Feature)
	}
	if scope := row.Scope + ":read"; !principal.From(ctx).Allows(scope) {
		return fault.Forbidden("scope_missing", "%s needs the scope %s as well; leave it out, or use a key that has it.", option, scope)
	}
	return nil
}

// records gives whole records of a collection, here or at the service that owns them. Fields are checked also where there is no record.
func (t list) records(ctx context.Context, collection string, wanted reference.RecordsQuery) (map[string]string, error) {
	if len(wanted.IDs)+len(wanted.Fields) == 0 {
		return nil, nil
	}
	var found map[string]json.RawMessage
	var err error
	if own := t.Tables[collection]; own != nil {
		found, err = Records(ctx, own, wanted)
	} else {
		found, err = t.References.Records(ctx, collection, wanted)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", collection, err)
	}
	texts := make(map[string]string, len(found))
	for id, record := range found {
		texts[id] = string(record)
	}
	return texts, nil
}
