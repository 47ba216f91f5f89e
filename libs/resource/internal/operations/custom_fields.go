package operations

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/resource/internal/write"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
	"ams.internal/libs/transport"
)

// buildPatience is how long a declaration waits for its values. What takes longer goes on behind the answer.
const buildPatience = 3 * time.Second

// filteredByCustomFields is what a list says of custom fields, whose names it cannot know.
const filteredByCustomFields = "A custom field whose type is declared is a filter and a sort as well: `custom_fields.<key>=a,b` (`null` for none), " +
	"of numbers also `custom_fields.<key>_min` and `_max`, of dates `_from` and `_to`, and `sort=custom_fields.<key>`."

// CustomField is a declared custom field as callers see it.
type CustomField struct {
	Key        string `json:"key" doc:"The name in custom_fields." example:"floor"`
	Type       string `json:"type" enum:"text,number,date,boolean" doc:"What its values are read as."`
	State      string `json:"state" enum:"pending,ready" doc:"ready: lists can be filtered and sorted by it. pending: the values of the records that were there before are being collected; lists that ask for it answer 409 until then."`
	Values     *int64 `json:"values" doc:"How many records have a value of the type; null while pending."`
	Unparsed   *int64 `json:"unparsed" doc:"How many records have a value that cannot be read as the type, and so count as having none; null while pending."`
	DeclaredAt string `json:"declared_at" format:"date-time" doc:"Since when it has this type."`
}

// mountCustomFields serves what an organization declares of the custom fields of a collection. The key stands in the query: it is any text,
// and in the path it would be taken for an id with something below it.
func mountCustomFields(api *transport.API, c *write.Resource) {
	if !c.DeclaresCustomFields() {
		return
	}
	shown := schema.Shown(reflect.TypeFor[CustomField]()).JSON
	key := transport.Parameter{Name: "key", In: "query", Required: true, Example: "floor", Description: "The name in custom_fields.",
		Schema: map[string]any{"type": "string", "minLength": 1, "maxLength": custom.MaxKey}}
	op := func(method, scope, id, summary, description string) transport.Operation {
		return transport.Operation{
			Method: method, Path: c.Row.Path + "/custom-fields", ID: id, Scope: c.Row.Scope + scope, Feature: c.Row.Feature,
			Summary: summary, Description: description, Parameters: []transport.Parameter{key}, Response: shown, ResponseName: "CustomField", Status: http.StatusOK,
		}
	}
	list := op(http.MethodGet, ":read", "list_"+c.Row.Name+"_custom_fields", "List the declared custom fields of "+c.Many(),
		"Each with how many records have a value of its type, and how many have one that cannot be read as it.")
	list.Parameters, list.ResponseName = nil, "CustomFieldList"
	list.Response = object(map[string]any{"data": map[string]any{"type": "array", "items": transport.Reference("CustomField")}}, "data")
	api.Handle(list, about(c.Table, listCustomFields))
	put := op(http.MethodPut, ":write", "declare_"+c.Row.Name+"_custom_field", "Declare the type of a custom field of "+c.Many(),
		"From then on lists can be filtered and sorted by it. The same again changes nothing; another type takes the place of the former one. "+
			"No write is refused for it: a value that cannot be read as the type counts as none. At most 20 of a collection.")
	put.BodyName = "CustomFieldDeclaration"
	put.Body = object(map[string]any{"type": map[string]any{"type": "string", "enum": custom.Types}}, "type")
	api.Handle(put, about(c.Table, declareCustomField))
	remove := op(http.MethodDelete, ":write", "delete_"+c.Row.Name+"_custom_field", "Take the declaration of a custom field of "+c.Many()+" back",
		"The records keep their values; lists can be neither filtered nor sorted by it any more.")
	remove.Response, remove.ResponseName, remove.Status = nil, "", http.StatusNoContent
	api.Handle(remove, about(c.Table, removeCustomField))
}

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
	shown := CustomField{Key: f.Key, Type: string(f.Type), State: f.State, DeclaredAt: f.DeclaredAt.UTC().Format(time.RFC3339Nano)}
	if f.State != custom.Ready {
		return shown, nil
	}
	counts, err := f.Count(ctx, tx, t)
	shown.Values, shown.Unparsed = &counts.Values, &counts.Unparsed
	return shown, err
}

// keyOf reads the parameter key.
func keyOf(r *transport.Request, problems *schema.Problems) (string, error) {
	if err := r.CheckQuery("key"); err != nil {
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
	kind, _ := body["type"].(string)
	if !slices.Contains(custom.Types, kind) {
		problems.Add("type", "must be one of %s%s", strings.Join(custom.Types, ", "), suggest.DidYouMean(kind, custom.Types))
	}
	for name := range body {
		if name != "type" && !schema.Tenant(name) {
			problems.Add(name, "is not a field of a declaration; it has type alone")
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	err = t.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		former, err := custom.Declare(ctx, tx, t, key, schema.Kind(kind))
		if err != nil || string(former) == kind {
			return err
		}
		return auditCustomField(ctx, tx, t, key, "custom_field_declared", former, schema.Kind(kind))
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
	enough := time.After(buildPatience)
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
		return auditCustomField(ctx, tx, t, key, "custom_field_deleted", former, "")
	})
	if err != nil {
		return nil, t.Explain(err)
	}
	custom.Work(ctx, t)
	return &transport.Response{Status: http.StatusNoContent}, nil
}

// auditCustomField keeps a declaration in the audit trail. Its subject is the field, which has the same id whenever it is declared.
func auditCustomField(ctx context.Context, tx pgx.Tx, t *table.Table, key, action string, former, now schema.Kind) error {
	id := uuid.NewSHA1(uuid.NameSpaceURL, []byte(t.Row.Path+"/custom-fields?key="+key)).String()
	orNull := func(kind schema.Kind) any {
		if kind == "" {
			return nil
		}
		return kind
	}
	return record.AddHistory(ctx, tx, t.Row.Name, id, 1, action, map[string]any{
		custom.Prefix + key: map[string]any{"old": orNull(former), "new": orNull(now)},
	})
}
