package operations

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/resource/internal/write"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// buildTimeout is how long a declaration waits for its values. What takes longer goes on after the response.
const buildTimeout = 3 * time.Second

// filteredByCustomFields is what a list says of custom fields, whose names it cannot know.
const filteredByCustomFields = "A custom field whose type is declared is a filter and a sort as well: `custom_fields.<key>=a,b` (`null` " +
	"for none), of numbers also `custom_fields.<key>_min` and `_max`, of dates `_from` and `_to`, and `sort=custom_fields.<key>`."

// CustomField is a declared custom field as callers see it.
type CustomField struct {
	Key string `json:"key" doc:"The name in custom_fields." example:"floor"`
	custom.Declaration
	State      string `json:"state" enum:"pending,ready" doc:"ready: lists can be filtered and sorted by it. pending: the values of the records that were there before are being collected; lists that ask for it answer 409 until then."`
	Values     *int64 `json:"values" doc:"How many records have a value of the type; null while pending."`
	Unparsed   *int64 `json:"unparsed" doc:"How many records have a value that cannot be read as the type, and so count as having none in lists; null while pending."`
	Exceptions *int64 `json:"exceptions" doc:"How many records do not meet the declaration, because they were there before it; null while pending. GET …/custom-fields/exceptions lists them."`
	DeclaredAt string `json:"declared_at" format:"date-time" doc:"Since when it has this type."`
}

// CustomFieldException is a record that does not meet the declaration of a custom field.
type CustomFieldException struct {
	ID         string  `json:"id" format:"uuid" doc:"Of the record."`
	ExternalID *string `json:"external_id" doc:"The record's id in the system it came from." example:"SAP-10023"`
	Value      *string `json:"value" doc:"What it has in the custom field, as a text; null for nothing." example:"ground"`
	Reason     string  `json:"reason" doc:"Why that is refused when it is written."`
}

// exceptionColumns are as many as a record of them has.
const exceptionColumns = 4

// mountCustomFields serves what an organization declares of the custom fields of a collection. The key stands in the query: it is any text,
// and in the path it would be taken for an id with something below it.
func mountCustomFields(api *transport.API, c *write.Resource) {
	if !c.DeclaresCustomFields() {
		return
	}
	shown := schema.Shown(reflect.TypeFor[CustomField]()).JSON
	key := transport.Parameter{Name: "key", In: "query", Required: true, Example: "floor", Description: "The name in custom_fields.",
		Schema: map[string]any{"type": "string", "minLength": 1, "maxLength": custom.MaxKey}}
	op := func(method, path, scope, id, summary, description string) transport.Operation {
		return transport.Operation{
			Method: method, Path: c.Row.Path + "/custom-fields" + path, ID: id, Scope: c.Row.Scope + scope, Feature: c.Row.Feature,
			Summary: summary, Description: description, Parameters: []transport.Parameter{key},
			Response: shown, ResponseName: "CustomField", Status: http.StatusOK,
		}
	}
	list := op(http.MethodGet, "", ":read", "list_"+c.Row.Name+"_custom_fields", "List the declared custom fields of "+c.Many(),
		"Each with how many records have a value of its type, how many have one that cannot be read as it, and how many do not meet the "+
			"declaration.")
	list.Parameters, list.ResponseName = nil, "CustomFieldList"
	list.Response = object(map[string]any{"data": map[string]any{"type": "array", "items": transport.Reference("CustomField")}}, "data")
	api.Handle(list, about(c.Table, listCustomFields))
	holds := "It holds for all " + c.Many() + ": they have no `category`."
	if c.Category != "" {
		holds = "`category` is a value of the field `" + c.Category + "`: then it holds for " + c.Many() + " with that value alone."
	}
	put := op(http.MethodPut, "", ":write", "declare_"+c.Row.Name+"_custom_field", "Declare a custom field of "+c.Many(),
		"From then on a value that is none of the type, or not within what is declared besides, is a 400 that names `custom_fields.<key>`, "+
			"and lists can be filtered and sorted by it. What records had before is not changed, and does not stand in the way of other "+
			"changes: GET …/custom-fields/exceptions lists it. "+holds+" What is left out is not declared; the same again changes nothing; "+
			"another declaration takes the place of the former one. At most 20 of a collection.")
	put.BodyName, put.Body = "CustomFieldDeclaration", declarations.JSON
	api.Handle(put, about(c.Table, declareCustomField))
	remove := op(http.MethodDelete, "", ":write", "delete_"+c.Row.Name+"_custom_field", "Take the declaration of a custom field of "+c.Many()+
		" back", "The records keep their values; lists can be neither filtered nor sorted by it any more, and every value can be written.")
	remove.Response, remove.ResponseName, remove.Status = nil, "", http.StatusNoContent
	api.Handle(remove, about(c.Table, removeCustomField))
	exceptions := op(http.MethodGet, "/exceptions", ":read", "list_"+c.Row.Name+"_custom_field_exceptions",
		"List the "+c.Many()+" that do not meet a declaration",
		"Those that were there before a custom field was declared as it is, with what each has in it and why that would be refused: those "+
			"with a value of the type first, in its order, then those without a value, then the others. While its values are being "+
			"collected, 409.")
	exceptions.Parameters, exceptions.ResponseName = append(exceptions.Parameters, read.PageParameters...), "CustomFieldExceptionList"
	exception := schema.Shown(reflect.TypeFor[CustomFieldException]()).JSON
	exceptions.Response = object(map[string]any{
		"data":       map[string]any{"type": "array", "items": api.Component("CustomFieldException", exception)},
		"pagination": api.Component("PageNumbers", transport.PageNumbers),
	}, "data", "pagination")
	api.Handle(exceptions, about(c.Table, listExceptions))
}

// declarations reads the body of a declaration.
var declarations = schema.Of[custom.Declaration]()

func listCustomFields(ctx context.Context, t *table.Table, r *transport.Request) (*transport.Response, error) {
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	shown := []CustomField{}
	pending := false
	err := t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		fields, err := custom.Declared(ctx, tx, t)
		for _, f := range fields {
			one, err := showCustomField(ctx, tx, t, f)
			if err != nil {
				return err
			}
			pending = pending || f.State != custom.Ready
			shown = append(shown, one)
		}
		return err
	})
	if err != nil {
		return nil, t.Explain(err)
	}
	if pending {
		custom.Work(ctx, t)
	}
	return transport.JSON(http.StatusOK, map[string]any{"data": shown})
}

func showCustomField(ctx context.Context, tx pgx.Tx, t *table.Table, f custom.Field) (CustomField, error) {
	shown := CustomField{Key: f.Key, Declaration: f.Declaration, State: f.State, DeclaredAt: f.DeclaredAt.UTC().Format(time.RFC3339Nano)}
	if f.State != custom.Ready {
		return shown, nil
	}
	counts, err := f.Count(ctx, tx, t)
	shown.Values, shown.Unparsed, shown.Exceptions = &counts.Values, &counts.Unparsed, &counts.Exceptions
	return shown, err
}

// keyOf reads the parameter key, beside which there may be others.
func keyOf(r *transport.Request, problems *schema.Problems, others ...string) (string, error) {
	if err := r.CheckQuery(append(others, "key")...); err != nil {
		return "", err
	}
	key := r.Query.Get("key")
	if wrong := custom.CheckKey(key); wrong != "" {
		problems.Add("key", "%s", wrong)
	}
	return key, nil
}

func declareCustomField(ctx context.Context, t *table.Table, r *transport.Request) (*transport.Response, error) {
	var problems schema.Problems
	key, err := keyOf(r, &problems)
	if err != nil {
		return nil, err
	}
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	var declared custom.Declaration
	if wrong := declarations.Read(body, "", reflect.ValueOf(&declared).Elem(), nil); len(wrong) > 0 {
		problems = append(problems, wrong...)
	} else {
		declared.Check(t, &problems)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	err = t.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		former, err := custom.Declare(ctx, tx, t, key, declared)
		if err != nil || former != nil && reflect.DeepEqual(*former, declared) {
			return err
		}
		return auditCustomField(ctx, tx, t, key, "custom_field_declared", former, &declared)
	})
	if err != nil {
		return nil, t.Explain(err)
	}
	shown, err := whenBuilt(ctx, t, key)
	if err != nil {
		return nil, t.Explain(err)
	}
	return transport.JSON(http.StatusOK, shown)
}

// whenBuilt gives a declared field when its values are built, or as it is when that takes long.
func whenBuilt(ctx context.Context, t *table.Table, key string) (shown CustomField, err error) {
	enough := time.After(buildTimeout)
	for over := false; ; {
		err := t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			fields, err := custom.Declared(ctx, tx, t)
			i := slices.IndexFunc(fields, func(f custom.Field) bool { return f.Key == key })
			if err != nil || i < 0 { // somebody has taken it back meanwhile
				shown.State = custom.Ready
				return err
			}
			shown, err = showCustomField(ctx, tx, t, fields[i])
			return err
		})
		if err != nil || over || shown.State == custom.Ready {
			return shown, err
		}
		select {
		case <-custom.Work(ctx, t):
		case <-enough:
			over = true
		case <-ctx.Done():
			return shown, ctx.Err()
		}
	}
}

func removeCustomField(ctx context.Context, t *table.Table, r *transport.Request) (*transport.Response, error) {
	var problems schema.Problems
	key, err := keyOf(r, &problems)
	if err != nil {
		return nil, err
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	err = t.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		former, err := custom.Remove(ctx, tx, t, key)
		if err != nil {
			return err
		}
		return auditCustomField(ctx, tx, t, key, "custom_field_deleted", former, nil)
	})
	if err != nil {
		return nil, t.Explain(err)
	}
	custom.Work(ctx, t)
	return &transport.Response{Status: http.StatusNoContent}, nil
}

// auditCustomField keeps a declaration in the audit trail. Its subject is the field, which has the same id whenever it is declared.
func auditCustomField(ctx context.Context, tx pgx.Tx, t *table.Table, key, action string, former, now *custom.Declaration) error {
	id := uuid.NewSHA1(uuid.NameSpaceURL, []byte(t.Row.Path+"/custom-fields?key="+key)).String()
	logged := func(d *custom.Declaration) any {
		switch {
		case d == nil:
			return nil
		case reflect.DeepEqual(*d, custom.OfType(d.Type)):
			return d.Type
		}
		return d
	}
	return record.AddHistory(ctx, tx, t.Row.Name, id, 1, action, map[string]any{
		custom.Prefix + key: map[string]any{"old": logged(former), "new": logged(now)},
	})
}

// listExceptions responds with records that do not meet a declaration.
func listExceptions(ctx context.Context, t *table.Table, r *transport.Request) (*transport.Response, error) {
	var problems schema.Problems
	key, err := keyOf(r, &problems, "page", "per_page")
	if err != nil {
		return nil, err
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	page, perPage, err := read.PageOf(r.Query)
	if err != nil {
		return nil, err
	}
	var field *custom.Field
	var total int64
	body := read.NewBody(ctx, r, page, perPage, exceptionColumns)
	err = t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if field, err = custom.Find(ctx, tx, t, key); err != nil || field.State != custom.Ready {
			return err
		}
		var ids []string
		if ids, total, err = field.Exceptions(ctx, tx, t, int64(page-1)*int64(perPage), perPage); err != nil || len(ids) == 0 {
			return err
		}
		return addExceptions(ctx, tx, t, field, ids, body)
	})
	if err == nil && field.State != custom.Ready {
		custom.Work(ctx, t)
		err = field.PendingFault()
	}
	if err != nil {
		body.Drop()
		return nil, t.Explain(err)
	}
	return body.Response(total)
}

// addExceptions adds the records with these ids to the body, in their order.
func addExceptions(ctx context.Context, tx pgx.Tx, t *table.Table, field *custom.Field, ids []string, body *read.Body) error {
	rows, err := tx.Query(ctx, "SELECT t.id::text, t.external_id, t.custom_fields ->> $3, coalesce(t.custom_fields -> $3, 'null')::text FROM "+
		t.Name+" t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[]) ORDER BY array_position($2::uuid[], t.id)",
		principal.From(ctx).OrganizationID, ids, field.Key)
	if err != nil {
		return err
	}
	var one CustomFieldException
	var stored string
	_, err = pgx.ForEachRow(rows, []any{&one.ID, &one.ExternalID, &one.Value, &stored}, func() error {
		value, err := schema.Parse([]byte(stored))
		if err != nil {
			return err
		}
		one.Reason = field.Objection(t, value)
		encoded, err := json.Marshal(one)
		if err != nil {
			return err
		}
		return body.Add(append(body.Next(), encoded...))
	})
	return err
}
