package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// Result says what became of one row of a bulk call.
type Result struct {
	Index  int           `json:"index"`
	Status string        `json:"status" enum:"created,updated,skipped,deleted,failed"`
	ID     string        `json:"id,omitempty"`
	Error  string        `json:"error,omitempty"`
	Code   string        `json:"code,omitempty"`
	Field  string        `json:"field,omitempty"`
	Value  any           `json:"value,omitempty"`
	Fields []fault.Field `json:"fields,omitempty"`
}

// Summary counts the results of a bulk call.
type Summary struct {
	Created int `json:"created"`
	Updated int `json:"updated"`
	Skipped int `json:"skipped"`
	Deleted int `json:"deleted"`
	Failed  int `json:"failed"`
}

// bulk is one bulk call on its way.
type bulk[T any] struct {
	*collection[T]
	parent     string
	atomic     bool
	onConflict string // error, skip or update
	bodies     []map[string]any
	ids        []string       // of the records that rows make when they are new
	changes    []*Change[T]   // of each row; rows about the same record share one
	status     []string       // of each row, once it is done: created, updated, skipped or deleted
	failures   []*fault.Error // of each row
	earlier    map[string]int // "field\x00key" → the first row that has it
}

func bulkQuery(name string) bool { return name == "atomic" || name == "on_conflict" }

// parseBulk reads parameters and rows.
func (c *collection[T]) parseBulk(ctx context.Context, r *transport.Request) (*bulk[T], error) {
	if err := r.CheckQuery(bulkQuery); err != nil {
		return nil, err
	}
	b := &bulk[T]{collection: c, atomic: true, onConflict: "error", earlier: map[string]int{}}
	var problems schema.Problems
	if r.Query.Has("atomic") {
		if text := r.Query.Get("atomic"); text != "true" && text != "false" {
			problems.Add("atomic", "must be true or false")
		}
		b.atomic = r.Query.Get("atomic") == "true"
	}
	if r.Query.Has("on_conflict") {
		switch b.onConflict = r.Query.Get("on_conflict"); {
		case b.onConflict != "error" && b.onConflict != "skip" && b.onConflict != "update":
			problems.Add("on_conflict", "must be one of error, skip, update")
		case r.Method != http.MethodPost:
			problems.Add("on_conflict", "is a parameter of POST only")
		}
	}
	parent, err := c.parentOf(ctx, r)
	if err != nil {
		return nil, err
	}
	b.parent = parent
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	b.readRows(body, &problems)
	return b, problems.Err()
}

func (b *bulk[T]) readRows(body map[string]any, problems *schema.Problems) {
	for name := range body {
		if name != "data" && !schema.Tenant(name) {
			problems.Add(name, "is not a field of a bulk call; the records stand in data")
		}
	}
	rows, ok := body["data"].([]any)
	if !ok || len(rows) < 1 || len(rows) > MaxPerPage {
		problems.Add("data", "must be a list of 1 to %d records", MaxPerPage)
		return
	}
	n := len(rows)
	b.bodies, b.changes = make([]map[string]any, n), make([]*Change[T], n)
	b.status, b.failures = make([]string, n), make([]*fault.Error, n)
	b.ids = make([]string, n)
	for i, entry := range rows {
		b.ids[i] = newID()
		if b.bodies[i], ok = entry.(map[string]any); !ok {
			b.failures[i] = fault.InvalidFields(fault.Field{Field: fmt.Sprintf("data[%d]", i), Message: "must be an object"})
		}
	}
}

func prefix(index int) string { return fmt.Sprintf("data[%d].", index) }

// bulkOperation answers one of the three bulk methods with what do makes of the rows.
func (c *collection[T]) bulkOperation(do func(*bulk[T], context.Context, pgx.Tx) error) func(context.Context, *transport.Request) (*transport.Response, error) {
	return func(ctx context.Context, r *transport.Request) (*transport.Response, error) {
		b, err := c.parseBulk(ctx, r)
		if err != nil {
			return nil, err
		}
		err = c.registry.DB.Write(inBulk(ctx), func(ctx context.Context, tx pgx.Tx) error {
			if err := do(b, ctx, tx); err != nil {
				return err
			}
			b.collectFailures()
			if b.atomic {
				return b.refusal()
			}
			return nil
		})
		if err != nil {
			return nil, c.explain(err)
		}
		return b.answer(), nil
	}
}

// create makes the rows' records; rows that are there already are refused, skipped or updated, as on_conflict says.
func (b *bulk[T]) create(ctx context.Context, tx pgx.Tx) error {
	if err := b.resolveReferences(ctx); err != nil {
		return err
	}
	held, err := b.match(ctx, tx)
	if err != nil {
		return err
	}
	var creates, updates []*Change[T]
	for i, body := range b.bodies {
		if b.failures[i] != nil {
			continue
		}
		change, fresh, err := b.place(i, body, held)
		if err != nil {
			return err
		}
		b.changes[i] = change
		switch {
		case fresh && change.Before == nil:
			creates = append(creates, change)
		case fresh && b.status[i] == "updated":
			updates = append(updates, change)
		}
	}
	return b.run(ctx, tx, creates, updates)
}

// place finds the change that a row belongs to: a new record's, an existing record's, or that of an earlier row of
// this call about the same record.
func (b *bulk[T]) place(i int, body map[string]any, held map[string]row) (change *Change[T], fresh bool, err error) {
	key := b.keyOf(body)
	before := held[key]
	first, repeated := b.earlier[key]
	if before != nil && !repeated { // an earlier row may name the same record by its other key
		key = "id\x00" + b.text(before, "id")
		first, repeated = b.earlier[key]
	}
	switch {
	case repeated && b.changes[first] != nil && b.onConflict == "skip":
		b.status[i] = "skipped"
		return b.changes[first], false, nil
	case repeated && b.changes[first] != nil && b.onConflict == "update":
		b.status[i] = "updated"
		b.patch(b.changes[first], body, prefix(i))
		return b.changes[first], false, nil
	case !repeated:
		for _, key := range append(b.keysOf(body), key) {
			if _, known := b.earlier[key]; !known && key != "" {
				b.earlier[key] = i
			}
		}
	}
	if before == nil {
		b.status[i] = "created"
		change = b.newChange(i, body, prefix(i))
		change.id = b.ids[i]
		b.setParent(change, b.parent)
		return change, true, nil
	}
	if change, err = b.existing(i, b.text(before, "id"), before); err != nil {
		return nil, false, err
	}
	b.status[i] = "skipped"
	change.after = before
	if b.onConflict == "update" {
		b.status[i] = "updated"
		change.after = nil
		b.patch(change, body, prefix(i))
	}
	return change, true, nil
}

// keyOf says what a row is matched by: its external id, else its natural key; "" when it has neither.
func (b *bulk[T]) keyOf(body map[string]any) string {
	if keys := b.keysOf(body); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

// keysOf lists what may name a row's record, the stronger key first.
func (b *bulk[T]) keysOf(body map[string]any) []string {
	var keys []string
	for _, name := range []string{"external_id", b.NaturalKey} {
		if value, ok := body[name].(string); ok && name != "" && strings.TrimSpace(value) != "" {
			keys = append(keys, name+"\x00"+normal(value))
		}
	}
	return keys
}

// normal is how unique values compare: trimmed, NFC, without regard to case; see unique_key in the base migration.
func normal(value string) string { return schema.UniqueKey(value) }

// match finds and locks the records that rows are about, by key.
func (b *bulk[T]) match(ctx context.Context, tx pgx.Tx) (map[string]row, error) {
	held := map[string]row{}
	if b.onConflict == "error" {
		return held, nil
	}
	wanted := map[string][]string{}
	for _, body := range b.bodies {
		if name, value, ok := strings.Cut(b.keyOf(body), "\x00"); ok {
			wanted[name] = append(wanted[name], value)
		}
	}
	return held, b.lockByKeys(ctx, tx, wanted, held)
}

func (b *bulk[T]) lockByKeys(ctx context.Context, tx pgx.Tx, wanted map[string][]string, held map[string]row) error {
	for name, values := range wanted {
		column := "t." + name + "_key = ANY(ARRAY(SELECT unique_key(v) FROM unnest($2::text[]) v))"
		if name == "id" {
			column = "t.id = ANY($2::uuid[])"
		}
		args := []any{principal.From(ctx).OrganizationID, values}
		if b.collection.parent != "" {
			column, args = column+" AND t."+b.collection.parent+" = $3", append(args, b.parent)
		}
		rows, err := tx.Query(ctx, "SELECT "+selection(b.columns)+" FROM "+b.name+" t WHERE t.organization_id = $1 AND "+column+" ORDER BY t.id FOR NO KEY UPDATE OF t", args...)
		if err != nil {
			return err
		}
		for rows.Next() {
			values := copyRow(rows)
			held[name+"\x00"+normal(b.text(values, name))] = values
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

// resolveReferences replaces site_external_id by site_id, and so on: known records are looked up together, and
// records of earlier rows of this very call count as known.
func (b *bulk[T]) resolveReferences(ctx context.Context) error {
	for _, f := range b.schema.Fields {
		base, isID := strings.CutSuffix(f.Name, "_id")
		if f.References == "" || f.ReadOnly || !isID {
			continue
		}
		alias := base + "_external_id"
		wanted := map[string]bool{}
		for i, body := range b.bodies {
			given, has := body[alias]
			if !has {
				continue
			}
			if text, ok := given.(string); ok && strings.TrimSpace(text) != "" {
				wanted[text] = true
			} else if given != nil {
				b.failures[i] = fault.InvalidFields(fault.Field{Field: prefix(i) + alias, Message: "must be a text"})
			}
		}
		if len(wanted) == 0 {
			continue
		}
		entries, err := b.registry.find(ctx, f.References, reference.Query{ExternalIDs: keys(wanted)})
		if err != nil {
			return err
		}
		ids := map[string]string{}
		for _, entry := range entries {
			ids[normal(*entry.ExternalID)] = entry.ID
		}
		b.substitute(f, alias, ids)
	}
	return nil
}

// substitute puts ids in the place of external ids. Where records refer to their own kind, an earlier row of the call
// stands for the record that it will be.
func (b *bulk[T]) substitute(f *schema.Field, alias string, ids map[string]string) {
	for i, body := range b.bodies {
		given, has := body[alias]
		delete(body, alias)
		text, _ := given.(string)
		switch id, known := ids[normal(text)]; {
		case !has || b.failures[i] != nil:
		case given == nil:
			body[f.Name] = nil
		case known:
			body[f.Name] = id
		default:
			b.failures[i] = fault.InvalidFields(fault.Field{Field: prefix(i) + alias, Message: fmt.Sprintf("there is no record with the external_id %q in %s of this organization", text, f.References)})
		}
		if own, ok := body["external_id"].(string); ok && f.References == b.Collection && ids[normal(own)] == "" {
			ids[normal(own)] = b.ids[i]
		}
	}
}

// run writes the creates and the updates that nothing speaks against.
func (b *bulk[T]) run(ctx context.Context, tx pgx.Tx, creates, updates []*Change[T]) error {
	for _, step := range []struct {
		changes []*Change[T]
		write   func(context.Context, pgx.Tx, []*Change[T]) error
	}{{creates, b.collection.create}, {updates, b.collection.update}} {
		if changes := sound(step.changes); len(changes) > 0 {
			if err := step.write(ctx, tx, changes); err != nil {
				return err
			}
		}
	}
	return nil
}

// change patches or deletes the records that the rows name by id, external_id or natural key.
func (b *bulk[T]) change(ctx context.Context, tx pgx.Tx, status string) error {
	wanted := map[string][]string{}
	names := make([]string, len(b.bodies))
	for i, body := range b.bodies {
		if b.failures[i] == nil {
			if names[i], b.failures[i] = b.nameOf(i, body); b.failures[i] == nil {
				name, value, _ := strings.Cut(names[i], "\x00")
				wanted[name] = append(wanted[name], value)
			}
		}
	}
	if status == "updated" {
		if err := b.resolveReferences(ctx); err != nil {
			return err
		}
	}
	held := map[string]row{}
	if err := b.lockByKeys(ctx, tx, wanted, held); err != nil {
		return err
	}
	byID := map[string]*Change[T]{}
	var changes []*Change[T]
	for i, body := range b.bodies {
		before := held[names[i]]
		switch {
		case b.failures[i] != nil:
			continue
		case before == nil:
			name, value, _ := strings.Cut(names[i], "\x00")
			b.failures[i] = fault.New(fault.KindNotFound, "not_found", "There is no %s with %s %s in this organization.", b.singular, name, value)
			b.failures[i].Field, b.failures[i].Value = name, value
			continue
		}
		id := b.text(before, "id")
		if byID[id] == nil {
			change, err := b.existing(i, id, before)
			if err != nil {
				return err
			}
			byID[id], changes = change, append(changes, change)
		}
		b.changes[i], b.status[i] = byID[id], status
		if status == "updated" {
			b.patch(byID[id], body, prefix(i))
		}
	}
	if status == "updated" {
		return b.run(ctx, tx, nil, changes)
	}
	return b.remove(ctx, tx, sound(changes))
}

// nameOf says which record a row of PATCH or DELETE is about.
func (b *bulk[T]) nameOf(i int, body map[string]any) (string, *fault.Error) {
	if id, ok := body["id"].(string); ok {
		if !schema.IsUUID(id) {
			return "", fault.InvalidFields(fault.Field{Field: prefix(i) + "id", Message: "must be a UUID"})
		}
		return "id\x00" + strings.ToLower(id), nil
	}
	if key := b.keyOf(body); key != "" {
		return key, nil
	}
	return "", fault.InvalidFields(fault.Field{Field: prefix(i) + "id", Message: "is required; external_id names the record as well"})
}

func (b *bulk[T]) update(ctx context.Context, tx pgx.Tx) error { return b.change(ctx, tx, "updated") }

func (b *bulk[T]) delete(ctx context.Context, tx pgx.Tx) error { return b.change(ctx, tx, "deleted") }

// collectFailures takes what was said of the changes over to their rows.
func (b *bulk[T]) collectFailures() {
	for i, change := range b.changes {
		if change != nil && b.failures[i] == nil {
			b.failures[i] = change.err()
		}
	}
}

// results lists the rows: all of them, or the failed ones only.
func (b *bulk[T]) results(failedOnly bool) ([]Result, Summary) {
	results := make([]Result, 0, len(b.bodies))
	var summary Summary
	for i := range b.bodies {
		result := Result{Index: i, Status: b.status[i]}
		if b.changes[i] != nil {
			result.ID = b.changes[i].id
		}
		if failure := b.failures[i]; failure != nil {
			result = Result{Index: i, Status: "failed", Error: failure.Message, Code: failure.Code, Field: failure.Field, Value: failure.Value, Fields: failure.Fields}
			if result.Field == "" && len(failure.Fields) > 0 {
				result.Field = strings.TrimPrefix(failure.Fields[0].Field, prefix(i))
			}
			if result.ID = failure.ExistingID; result.ID == "" && b.changes[i] != nil && b.changes[i].Before != nil {
				result.ID = b.changes[i].id
			}
		}
		switch result.Status {
		case "created":
			summary.Created++
		case "updated":
			summary.Updated++
		case "skipped":
			summary.Skipped++
		case "deleted":
			summary.Deleted++
		default:
			summary.Failed++
		}
		if !failedOnly || result.Status == "failed" {
			results = append(results, result)
		}
	}
	return results, summary
}

// refusal is the answer to an atomic call with a bad row: nothing is written, and every bad row is named.
func (b *bulk[T]) refusal() error {
	var first *fault.Error
	for _, failure := range b.failures {
		if failure != nil && (first == nil || failure.Kind == fault.KindConflict && first.Kind != fault.KindConflict) {
			first = failure
		}
	}
	if first == nil {
		return nil
	}
	results, summary := b.results(true)
	summary.Created, summary.Updated, summary.Skipped, summary.Deleted = 0, 0, 0, 0
	refusal := *first
	refusal.Message = fmt.Sprintf("%d of %d rows cannot be written, so none was. The first: %s", summary.Failed, len(b.bodies), first.Message)
	if refusal.Kind == fault.KindNotFound { // of a row, not of the path
		refusal.Kind = fault.KindInvalid
	}
	refusal.Results, refusal.Summary = results, summary
	return &refusal
}

func (b *bulk[T]) answer() *transport.Response {
	results, summary := b.results(false)
	body := []byte(`{"data":[`)
	shown := map[*Change[T]]bool{}
	for i, change := range b.changes {
		if b.failures[i] != nil || change == nil || change.after == nil || shown[change] {
			continue
		}
		if len(shown) > 0 {
			body = append(body, ',')
		}
		shown[change] = true
		body = appendRecord(body, b.columns, change.after)
	}
	encoded, err := json.Marshal(struct {
		Results []Result `json:"results"`
		Summary Summary  `json:"summary"`
	}{results, summary})
	if err != nil {
		panic(err) // texts, numbers and parsed JSON only: cannot fail
	}
	body = append(append(body, "],"...), encoded[1:]...)
	return &transport.Response{Status: http.StatusOK, Body: body}
}
