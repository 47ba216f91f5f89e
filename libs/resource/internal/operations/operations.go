// Package operations mounts the operations of a resource, with their OpenAPI descriptions.
package operations

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/resource/internal/write"
	"ams.internal/libs/transport"
)

type operation = endpoint.Operation[*transport.Request, *transport.Response]

// Mount serves the eleven operations of a resource, of one that is only appended to those that append and read, and what
// other services ask of it.
func Mount(api *transport.API, c *write.Resource) {
	schemas := describe(api, c)
	var ofAll []transport.Parameter // of the operations on the collection
	if c.Parent != "" {
		ofAll = append(ofAll, transport.Parameter{Name: c.Parent, In: "path", Required: true, Schema: aUUID})
	}
	ofOne := with(ofAll,
		transport.Parameter{Name: "id", In: "path", Required: true, Schema: aUUID, Description: "Of the " + c.One() + ", as the list gives it."})
	if c.PathKey != "" {
		field := c.Schema.Field(c.PathKey)
		ofOne = with(ofAll, transport.Parameter{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string"},
			Description: "Of the " + c.One() + ", as the list gives it; or its " + field.Name + "."})
	}
	mountOne(api, c, ofAll, ofOne, schemas)
	mountBulk(api, c, ofAll, schemas)
	mountImports(api, c)
	mountCustomFields(api, c)
	mountTransition(api, c, with(ofOne, ifMatch, idempotencyKey), schemas.record)
	transport.Internal(api, reference.EntriesOf(c.Row.Name), func(ctx context.Context, wanted reference.Query) (reference.Response, error) {
		entries, err := links.FindAny(ctx, c.Table, wanted)
		if entries == nil {
			entries = []reference.Entry{}
		}
		return reference.Response{Data: entries}, err
	})
	type records = map[string]json.RawMessage // by id
	transport.Internal(api, reference.RecordsOf(c.Row.Name), func(ctx context.Context, wanted reference.RecordsQuery) (records, error) {
		return read.Records(ctx, c.Table, wanted)
	})
}

// with adds parameters to those that operations share.
func with(shared []transport.Parameter, more ...transport.Parameter) []transport.Parameter {
	return slices.Concat(shared, more)
}

// handle mounts one operation at a path below the collection's.
func handle(api *transport.API, c *write.Resource, method, path string, op transport.Operation, do operation) {
	op.Method, op.Path, op.Scope, op.Feature = method, c.Row.Path+path, c.Row.Scope+":write", c.Row.Feature
	if method == http.MethodGet {
		op.Scope = c.Row.Scope + ":read"
	}
	if op.Status == 0 {
		op.Status = http.StatusOK
	}
	if c.RevealOnce != nil && method == http.MethodPost {
		op.Complete = c.CompleteOne
		if path != "" {
			op.Complete = c.CompleteBulk
		}
	}
	if c.RevealOnce != nil && method == http.MethodPut {
		op.Complete = c.CompleteUpsert
	}
	if c.BeforeTransaction != nil && op.Body != nil && method != http.MethodDelete {
		op.Before = c.BeforeOne
		if path == "/bulk" {
			op.Before = c.BeforeBulk
		}
	}
	if c.PathKey != "" && strings.HasPrefix(path, "/{id}") {
		do = byPathKey(c, do)
	}
	api.Handle(op, do)
}

// byPathKey does an operation for the record whose id or number is in the path.
func byPathKey(c *write.Resource, do operation) operation {
	return func(ctx context.Context, r *transport.Request) (*transport.Response, error) {
		number := r.Path("id")
		if _, err := strconv.ParseUint(number, 10, 31); err != nil {
			return do(ctx, r)
		}
		var id string
		err := c.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT t.id::text FROM "+c.Name+" t WHERE t.organization_id = current_organization() AND t."+
				c.PathKey+"_key = unique_key($1)", number).Scan(&id)
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, fault.NotFound(c.One(), number)
		}
		if err != nil {
			return nil, err
		}
		return do(ctx, r.WithPath("id", id))
	}
}

// about makes an operation of a function about a table.
func about(t *table.Table, do func(context.Context, *table.Table, *transport.Request) (*transport.Response, error)) operation {
	return func(ctx context.Context, r *transport.Request) (*transport.Response, error) { return do(ctx, t, r) }
}

// mountOne serves the list and the operations on one record.
func mountOne(api *transport.API, c *write.Resource, ofAll, ofOne []transport.Parameter, schemas described) {
	one, singular := catalogue.A(c.One()), c.Row.Singular
	ofList := ofAll
	if c.Parent != "" {
		ofList = []transport.Parameter{{Name: c.Parent, In: "path", Required: true, Schema: map[string]any{"type": "string"},
			Description: "Whose " + c.Many() + ", or `" + transport.AnyParent + "` for those of all."}}
	}
	list := transport.Operation{
		ID: "list_" + c.Row.Name, Summary: "List " + c.Many(),
		Parameters: with(with(ofList, ifNoneMatch), read.ListParameters(api, c.Table)...), Response: schemas.list, Versioned: true,
		Description: "Oldest first, in pages; `total` is exact. If-None-Match with a page's ETag answers 304 while it shows the same. " +
			"Send `Accept: text/csv`, `application/x-ndjson` or " +
			"`" + transport.Parquet + "` for the whole filtered collection as one stream. The CSV is exact (RFC 4180, lines end in LF): " +
			"a spreadsheet program may run texts in it as formulas, so ask for `csv=excel` when you open it in one.",
		Streams: read.StreamTypes(c.Table),
	}
	if c.Geometry != "" {
		list.Description += " `Accept: " + transport.GeoJSON + "` gives it as one FeatureCollection (RFC 7946): " +
			"the other fields are the `properties` of each feature."
	}
	if c.DeclaresCustomFields() {
		list.Description += " " + filteredByCustomFields
	}
	handle(api, c, http.MethodGet, "", list, about(c.Table, read.List))
	handle(api, c, http.MethodPost, "", transport.Operation{
		ID: "create_" + singular, Summary: "Create " + one,
		Description: "Answers the whole record. Codes that are left out are numbered. References must be records of the organization.",
		Parameters:  with(ofAll, idempotencyKey, importID), Body: schemas.created, Response: schemas.record,
		Status: http.StatusCreated, Versioned: true,
	}, c.CreateOne)
	handle(api, c, http.MethodGet, "/{id}", transport.Operation{
		ID: "get_" + singular, Summary: "Get " + one,
		Description: "The ETag begins with the version; If-None-Match with it answers 304. With expand there is none.",
		Parameters:  with(with(ofOne, ifNoneMatch), read.ShowParameters(api, c.Table)...), Response: schemas.record, Versioned: true,
	}, about(c.Table, read.Get))
	ofKey := with(ofAll, transport.Parameter{
		Name: "external_id", In: "path", Required: true, Description: "Your own id of the " + c.One() + ", percent-encoded: a slash is %2F.",
		Schema: map[string]any{"type": "string", "minLength": 1, "maxLength": c.Schema.Field("external_id").JSON.MaxLength},
	})
	handle(api, c, http.MethodGet, transport.ByExternalID+"{external_id}", transport.Operation{
		ID: "get_" + singular + "_by_external_id", Summary: "Get " + one + " by its external id",
		Description: "The same as by id.",
		Parameters:  with(with(ofKey, ifNoneMatch), read.ShowParameters(api, c.Table)...), Response: schemas.record, Versioned: true,
	}, about(c.Table, read.GetByExternalID))
	if !c.Row.AppendOnly {
		mountChanges(api, c, ofOne, ofKey, schemas)
	}
	handle(api, c, http.MethodGet, "/{id}/history", transport.Operation{
		ID: "list_" + singular + "_history", Summary: "List the changes of " + one,
		Description: "Every change with old and new values and who made it, oldest first. Stays readable after a delete.",
		Parameters:  with(ofOne, record.HistoryParameters...), Response: schemas.history,
	}, about(c.Table, record.History))
}

// mountChanges serves the operations that change or delete one record.
func mountChanges(api *transport.API, c *write.Resource, ofOne, ofKey []transport.Parameter, schemas described) {
	one, singular := catalogue.A(c.One()), c.Row.Singular
	handle(api, c, http.MethodPatch, "/{id}", transport.Operation{
		ID: "update_" + singular, Summary: "Update " + one + " (JSON merge patch)",
		Description: "What is left out stays, null clears. Read-only fields are ignored, so what was read can be sent back. " +
			"Answers the whole record.",
		Parameters: with(ofOne, ifMatch), Body: schemas.patched, Response: schemas.record, Versioned: true,
	}, c.PatchOne)
	handle(api, c, http.MethodDelete, "/{id}", transport.Operation{
		ID: "delete_" + singular, Summary: "Delete " + one,
		Description: "409 with dependents while something still refers to it.",
		Parameters:  with(ofOne, ifMatch), Status: http.StatusNoContent,
	}, c.DeleteOne)
	handle(api, c, http.MethodPut, transport.ByExternalID+"{external_id}", transport.Operation{
		ID: "upsert_" + singular, Summary: "Create or update " + one + " by its external id",
		Description: "201 when it was created, " +
			"200 when it was there: then what is left out stays and null clears, and without a change no version " +
			"is made. The same as a bulk create of one row with on_conflict=update, so it can be repeated safely, and references may be given by " +
			"external id. `If-None-Match: *` creates only.",
		Parameters: with(ofKey, ifMatch, onlyCreate, importID), Body: schemas.upserted, Response: schemas.record, OrCreated: true,
		Versioned: true,
	}, c.UpsertOne)
}

func mountBulk(api *transport.API, c *write.Resource, ofAll []transport.Parameter, schemas described) {
	many := c.Many()
	handle(api, c, http.MethodPost, "/bulk", transport.Operation{
		ID: "create_" + c.Row.Name + "_bulk", Summary: "Create up to 1000 " + many, MaxBody: transport.MaxBulkBody,
		Description: "One call against the rate limit. References may be given by external id (`site_external_id` for `site_id`), " +
			"also of earlier rows of the call. An atomic call that is refused names every bad row and writes nothing.",
		Parameters: with(ofAll, atomic, onConflictOf(c), idempotencyKey, importID), Body: schemas.bulkCreate,
		Response: schemas.bulkResult,
	}, c.CreateBulk)
	if c.Row.AppendOnly {
		return
	}
	handle(api, c, http.MethodPatch, "/bulk", transport.Operation{
		ID: "update_" + c.Row.Name + "_bulk", Summary: "Update up to 1000 " + many, MaxBody: transport.MaxBulkBody,
		Description: "Each row names its record by `id`, `external_id` or natural key, and is a JSON merge patch.",
		Parameters:  with(ofAll, atomic, idempotencyKey, importID), Body: schemas.bulkPatch, Response: schemas.bulkResult,
	}, c.UpdateBulk)
	handle(api, c, http.MethodDelete, "/bulk", transport.Operation{
		ID: "delete_" + c.Row.Name + "_bulk", Summary: "Delete up to 1000 " + many, MaxBody: transport.MaxBulkBody,
		Description: "Each row names its record by `id`, `external_id` or natural key.",
		Parameters:  with(ofAll, atomic, idempotencyKey), Body: schemas.bulkDelete, Response: schemas.bulkResult,
	}, c.DeleteBulk)
}

// mountImports serves what an importer calls when it is done. The calls that wrote the records had their own events; this
// one is for who waits for all of them.
func mountImports(api *transport.API, c *write.Resource) {
	if c.Parent != "" {
		return
	}
	transport.Post(api, transport.Operation{
		Path: c.Row.Path + "/imports", ID: "complete_" + c.Row.Name + "_import", BodyName: "ImportCompletion", ResponseName: "CompletedImport",
		Scope: c.Row.Scope + ":write", Feature: c.Row.Feature, Summary: "Say that an import of " + c.Many() + " is complete",
		Description: "Writes the event import.completed and nothing else. amsctl import sends it when it is done; " +
			"who imports by other means may, too.",
	}, c.CompleteImport)
}

// mountTransition serves POST …/{id}/transition, where the definition names what goes with it: a patch in which the
// status is called "to", and in which staying is no transition.
func mountTransition(api *transport.API, c *write.Resource, ofOne []transport.Parameter, shownRecord any) {
	if c.Transitions.With == nil {
		return
	}
	status := c.Schema.Field(c.Transitions.Field)
	to := *status.JSON
	to.Default, to.Description = nil, "The state to move to."
	body := &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{"to": &to}, Required: []string{"to"}, AdditionalProperties: false,
	}
	patch := patchable(c.Schema)
	for _, name := range c.Transitions.With {
		body.Properties[name] = patch.Properties[name]
	}
	var before func(ctx context.Context, r *transport.Request) (context.Context, error)
	if c.BeforeTransaction != nil {
		before = c.BeforeOne
	}
	api.Handle(transport.Operation{
		Before: before, Method: http.MethodPost, Path: c.Row.Path + "/{id}/transition", ID: "transition_" + c.Row.Singular,
		Scope: c.Row.Scope + ":write", Feature: c.Row.Feature,
		Summary: "Move " + catalogue.A(c.One()) + " to another state",
		Description: "The same as PATCH with " + c.Transitions.Field + ", except that staying where it is is refused. " +
			"409 names the states that are allowed. Answers the whole record.",
		Parameters: ofOne, Body: body, BodyName: c.Schema.Name + "Transition", Response: shownRecord, Status: http.StatusOK, Versioned: true,
	}, c.Transition)
}
