package transport

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/odata"
	"ams.internal/libs/reference"
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

// Internal mounts an operation that only our own services may call, as its contract has it.
func Internal[In, Out any](api *API, of reference.Contract[In, Out], do endpoint.Operation[In, Out]) {
	Post(api, Operation{Path: of.URLPath(), ID: of.Path, Deadline: of.Deadline, FromReplica: of.FromReplica}, do)
}

// Located is an output that has just been created. Its path is sent as the Location header.
type Located interface{ Location() string }

// binding has the schemas of the parts of a request that the fields of an In are read from.
type binding struct{ path, query, body *schema.Schema }

func bindingOf(in reflect.Type) *binding {
	return &binding{schema.Parameters(in, "path"), schema.Parameters(in, "query"), schema.OfType(in)}
}

// GetStream mounts an operation that reads, and makes its response itself: a stream of rows (StreamRecords, SpoolRecords), as what
// the Accept header asks for.
func GetStream[Row, In any](api *API, op Operation, do func(ctx context.Context, in In, accept []string) (*Response, error)) {
	from := bindingOf(reflect.TypeFor[In]())
	row := schema.Shown(reflect.TypeFor[Row]()).JSON
	op.Method, op.Parameters, op.Streams, op.row = http.MethodGet, append(from.parameters(), CSVParameter), RecordTypes, row
	api.Handle(op, func(ctx context.Context, r *Request) (*Response, error) {
		respond := func(ctx context.Context, accept []string) (*Response, error) {
			var input In
			if err := from.bind(r, reflect.ValueOf(&input).Elem()); err != nil {
				return nil, err
			}
			return do(ctx, input, accept)
		}
		if request := odata.From(r.Header); request != nil {
			return streamedRows(ctx, request, r, row, respond)
		}
		ctx, err := chooseCSV(ctx, r, Negotiate(r.Header["Accept"], RecordTypes...))
		if err != nil {
			return nil, err
		}
		return respond(ctx, r.Header["Accept"])
	})
}

// parameters are those of the path and the query.
func (b *binding) parameters() (all []Parameter) {
	for _, f := range b.path.Fields {
		all = append(all, Parameter{Name: f.Name, In: "path", Required: true, Schema: f.JSON, Description: f.JSON.Description})
	}
	for _, f := range b.query.Fields {
		all = append(all, queryParameter(f))
	}
	return all
}

func mount[In, Out any](api *API, op Operation, do endpoint.Operation[In, Out]) {
	from := bindingOf(reflect.TypeFor[In]())
	op.Parameters = append(op.Parameters, from.parameters()...)
	if len(from.body.Fields) > 0 {
		op.Body = from.body.JSON
	}
	if out := reflect.TypeFor[Out](); op.Response == nil && out.Kind() == reflect.Struct {
		op.Response = schema.Shown(out).JSON
		if op.ResponseName == "" {
			op.ResponseName = out.Name()
		}
	}
	isTable := reflect.TypeFor[Out]().Implements(reflect.TypeFor[Tabular]())
	if isTable {
		from.checkPages(&op, reflect.TypeFor[Out]())
		op.Streams = slices.Clone(tableTypes)
		op.Parameters = append(op.Parameters, CSVParameter)
	}
	if reflect.TypeFor[Out]().Implements(reflect.TypeFor[Drawn]()) {
		op.Streams = append(op.Streams, SVG)
	}
	if op.Status == 0 {
		op.Status = http.StatusOK
	}
	api.Handle(op, func(ctx context.Context, r *Request) (*Response, error) {
		if isTable {
			report := func() (any, error) { return carriedOut(ctx, from, r, do) }
			if request := odata.From(r.Header); request != nil {
				return reportRows(ctx, request, r, rowIn(op.Response), from.largestPage(), report)
			}
			mediaType := Negotiate(r.Header["Accept"], tableTypes...)
			var err error
			if ctx, err = chooseCSV(ctx, r, mediaType); err != nil {
				return nil, err
			}
			if mediaType != ApplicationJSON {
				return from.table(ctx, &op, r, mediaType, report)
			}
		}
		output, err := carriedOut(ctx, from, r, do)
		if err != nil {
			return nil, err
		}
		if drawn, ok := any(output).(Drawn); ok && Negotiate(r.Header["Accept"], SVG) == SVG {
			return &Response{Status: op.Status, Body: drawn.SVG(), ContentType: SVG}, nil
		}
		response, err := JSON(op.Status, output)
		if page, ok := any(output).(Paged); ok && err == nil {
			response.SetHeader("Link", page.Pages().Links(r))
		}
		if made, ok := any(output).(Located); ok && err == nil {
			response.SetHeader("Location", made.Location())
		}
		return response, err
	})
}

// carriedOut reads the parameters of an operation and carries it out.
func carriedOut[In, Out any](ctx context.Context, from *binding, r *Request, do endpoint.Operation[In, Out]) (output Out, err error) {
	var input In
	if err := from.bind(r, reflect.ValueOf(&input).Elem()); err != nil {
		return output, err
	}
	return do(ctx, input)
}

// queryParameter describes a field that is read from the query. Its description stands beside the schema, and a parameter is never null.
func queryParameter(f *schema.Field) Parameter {
	shown := *f.JSON
	p := Parameter{Name: f.Name, In: "query", Required: f.Required, Description: shown.Description, List: f.Kind == schema.List}
	if p.List {
		shown = *f.JSON.Items
	}
	shown.Description, shown.Nullable = "", false
	if f.Nullable {
		shown.Enum = slices.DeleteFunc(slices.Clone(shown.Enum), func(value any) bool { return value == nil })
	}
	p.Schema = &shown
	return p
}

func (b *binding) bind(r *Request, input reflect.Value) error {
	if err := r.CheckQuery(b.query.Names(func(*schema.Field) bool { return true })...); err != nil {
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
	if !wellFormed(text) {
		problems.Add(f.Name, malformedText)
		return
	}
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
