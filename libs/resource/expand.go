package resource

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
)

// expansion shows {id, name} of a referred record beside its id: "site" beside "site_id".
type expansion struct {
	name   string
	column *column
	row    catalogue.Collection // of what it refers to
}

func (t *table) expansions() []*expansion {
	var all []*expansion
	for _, c := range t.columns {
		if name, ok := strings.CutSuffix(c.Name, "_id"); ok && c.References != "" && !strings.HasPrefix(c.References, "@") {
			all = append(all, &expansion{name, c, t.registry.Catalogue.Must(c.References)})
		}
	}
	return all
}

func (t *table) parseExpand(text string, problems *schema.Problems) []*expansion {
	var chosen []*expansion
	all := t.expansions()
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(all, func(e *expansion) bool { return e.name == name })
		if i < 0 {
			var names []string
			for _, e := range all {
				names = append(names, e.name)
			}
			problems.Add("expand", "cannot expand %q; can expand %s", name, strings.Join(names, ", "))
			continue
		}
		if !slices.Contains(chosen, all[i]) {
			chosen = append(chosen, all[i])
		}
	}
	return chosen
}

// allowed objects to names that the caller's scopes or the organization's plan do not show.
func (q *query) allowed(ctx context.Context) error {
	for _, e := range q.expand {
		if !principal.From(ctx).Has(e.row.Feature) {
			return endpoint.NotInPlan(e.row.Feature)
		}
		if scope := e.row.Scope + ":read"; !principal.From(ctx).Allows(scope) {
			return fault.Forbidden("scope_missing", "expand=%s needs the scope %s as well; leave it out, or use a key that has it.", e.name, scope)
		}
	}
	return nil
}

// selected are the columns to read: those to show, behind them the ids to expand, and what makes a feature.
func (q *query) selected() []*column {
	columns := slices.Clone(q.columns)
	for _, e := range q.expand {
		columns = append(columns, e.column)
	}
	return append(columns, q.feature...)
}

// names looks up what the rows refer to: one question per expansion, whatever the number of rows.
func (t *table) names(ctx context.Context, q *query, rows []row) ([]map[string]string, error) {
	all := make([]map[string]string, len(q.expand))
	for i, e := range q.expand {
		seen := map[string]bool{}
		var ids []string
		for _, values := range rows {
			if id := values[len(q.columns)+i]; id != nil && !seen[string(id)] {
				seen[string(id)] = true
				ids = append(ids, string(id))
			}
		}
		entries, err := t.registry.find(ctx, e.column.References, reference.Query{IDs: ids})
		if err != nil {
			return nil, err
		}
		all[i] = make(map[string]string, len(entries))
		for _, entry := range entries {
			all[i][entry.ID] = entry.Name
		}
	}
	return all, nil
}

// appendExpanded appends records, comma between them, each with the names of what it refers to.
func (t *table) appendExpanded(ctx context.Context, dst []byte, q *query, rows []row) ([]byte, error) {
	names, err := t.names(ctx, q, rows)
	if err != nil {
		return nil, err
	}
	for i, values := range rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = q.appendOne(dst, values, names)
	}
	return dst, nil
}

func (q *query) appendOne(dst []byte, values row, names []map[string]string) []byte {
	dst = appendRecord(dst, q.columns, values)
	if len(q.expand) == 0 {
		return dst
	}
	dst = dst[:len(dst)-1]
	for i, e := range q.expand {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), e.name...), '"', ':')
		id := values[len(q.columns)+i]
		name, known := names[i][string(id)]
		if !known {
			dst = append(dst, "null"...)
			continue
		}
		dst = append(append(append(dst, `{"id":"`...), id...), `","name":`...)
		dst = append(appendText(dst, []byte(name)), '}')
	}
	return append(dst, '}')
}

// find looks records up: in this service's own table, or at the service that owns them.
func (registry *Registry) find(ctx context.Context, collection string, wanted reference.Query) ([]reference.Entry, error) {
	if len(wanted.IDs) == 0 && len(wanted.ExternalIDs) == 0 {
		return nil, nil
	}
	t := registry.tables[collection]
	if t == nil {
		return registry.References.Find(ctx, collection, wanted)
	}
	var entries []reference.Entry
	err := registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		t.queueFind(batch, principal.From(ctx).OrganizationID, wanted, func(found []reference.Entry) { entries = found })
	})
	return entries, err
}

// queueFind asks for records by id and external id, as others may show them. Of those that are asked for to be held, it
// finds out whether their rows can be locked against being deleted, without waiting.
func (t *table) queueFind(batch *pgx.Batch, organization string, wanted reference.Query, use func([]reference.Entry)) {
	held := map[string]bool{}
	if wanted.Hold {
		batch.Queue("SELECT t.id::text FROM "+t.name+" t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[]) FOR KEY SHARE SKIP LOCKED",
			organization, wanted.IDs).Query(func(rows pgx.Rows) error {
			var id string
			_, err := pgx.ForEachRow(rows, []any{&id}, func() error { held[id] = true; return nil })
			return err
		})
	}
	status, references := "NULL", "'{}'"
	if t.find("status") != nil {
		status = "t.status"
	}
	var pairs []string
	for _, c := range t.columns {
		if c.References != "" && c.Kind == schema.UUID && !strings.HasPrefix(c.References, "@") {
			pairs = append(pairs, "'"+c.Name+"', "+c.sql)
		}
	}
	if pairs != nil {
		references = "jsonb_strip_nulls(jsonb_build_object(" + strings.Join(pairs, ", ") + "))::text"
	}
	columns := "t.id::text, t.external_id, t." + t.label + ", " + status + ", " + references
	batch.Queue("SELECT "+columns+" FROM "+t.name+" t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[]) UNION "+
		"SELECT "+columns+" FROM "+t.name+" t WHERE t.organization_id = $1 AND t.external_id_key = ANY(ARRAY(SELECT unique_key(v) FROM unnest($3::text[]) v))",
		organization, wanted.IDs, wanted.ExternalIDs).Query(func(rows pgx.Rows) error {
		entries, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (e reference.Entry, err error) {
			var references string
			if err := r.Scan(&e.ID, &e.ExternalID, &e.Name, &e.Status, &references); err != nil {
				return e, err
			}
			e.Held = held[e.ID]
			return e, json.Unmarshal([]byte(references), &e.References)
		})
		use(entries)
		return err
	})
}
