package transport

import (
	"context"
	"net/http"
	"reflect"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/schema"
)

// Get mounts a plain operation that reads. In's fields are path:"…" and query:"…" parameters.
func Get[In, Out any](api *API, op Operation, do endpoint.Operation[In, Out]) {
	op.Method = http.MethodGet
	mount(api, op, do)
}

// Post mounts a plain operation that writes. In's json fields are the body; path and query as in Get.
func Post[In, Out any](api *API, op Operation, do endpoint.Operation[In, Out]) {
	op.Method = http.MethodPost
	mount(api, op, do)
}

// Internal mounts an operation that only our own services may call: POST, JSON in and out.
func Internal[In, Out any](api *API, path string, do endpoint.Operation[In, Out]) {
	Post(api, Operation{Path: "/internal" + path, ID: path}, do)
}

// Located is an output that has just been created. Its path is sent as the Location header.
type Located interface{ Location() string }

// binding has the schemas of the parts of a request that the fields of an In are read from.
type binding struct{ path, query, body *schema.Schema }

func mount[In, Out any](api *API, op Operation, do endpoint.Operation[In, Out]) {
	in := reflect.TypeFor[In]()
	from := binding{schema.Parameters(in, "path"), schema.Parameters(in, "query"), schema.OfType(in)}
	for _, f := range from.path.Fields {
		op.Parameters = append(op.Parameters, Parameter{Name: f.Name, In: "path", Required: true, Schema: f.JSON,
			Description: f.JSON.Description})
	}
	for _, f := range from.query.Fields {
		op.Parameters = append(op.Parameters, Parameter{Name: f.Name, In: "query", Required: f.Required, Schema: f.JSON,
			Description: f.JSON.Description})
	}
	if len(from.body.Fields) > 0 {
		op.Body = from.body.JSON
	}
	if out := reflect.TypeFor[Out](); op.Response == nil && out.Kind() == reflect.Struct {
		op.Response = schema.Shown(out).JSON
	}
	if op.Status == 0 {
		op.Status = http.StatusOK
	}
	api.Handle(op, func(ctx context.Context, r *Request) (*Response, error) {
		var input In
		if err := from.bind(r, reflect.ValueOf(&input).Elem()); err != nil {
			return nil, err
		}
		output, err := do(ctx, input)
		if err != nil {
			return nil, err
		}
		response, err := JSON(op.Status, output)
		if made, ok := any(output).(Located); ok && err == nil {
			response.SetHeader("Location", made.Location())
		}
		return response, err
	})
}

func (b *binding) bind(r *Request, input reflect.Value) error {
	if err := r.CheckQuery(func(name string) bool { return b.query.Field(name) != nil }); err != nil {
		return err
	}
	var problems schema.Problems
	for _, f := range b.path.Fields {
		bindText(f, r.Path(f.Name), input, &problems)
	}
	for _, f := range b.query.Fields {
		if r.Query.Has(f.Name) {
			bindText(f, r.Query.Get(f.Name), input, &problems)
		} else if f.Required {
			problems.Add(f.Name, "must be given")
		} else {
			f.Set(input, nil)
		}
	}
	if len(b.body.Fields) > 0 {
		body, err := r.Object()
		if err != nil {
			return err
		}
		problems = append(problems, b.body.Read(body, "", input, nil)...)
	}
	return problems.Err()
}

func bindText(f *schema.Field, text string, input reflect.Value, problems *schema.Problems) {
	value, err := f.Parse(text)
	if err != nil {
		problems.Add(f.Name, "%s", err)
		return
	}
	found := len(*problems)
	if value = f.Check(f.Name, value, problems); len(*problems) == found {
		f.Set(input, value)
	}
}
