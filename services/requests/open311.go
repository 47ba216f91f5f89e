package requests

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
)

// Open311 GeoReport v2, as http://wiki.open311.org/GeoReport_v2 has it. Requests get their number at once (type realtime), so there are no
// tokens. Each response is XML or JSON, by the ending of the path.

const (
	specification = "http://wiki.open311.org/GeoReport_v2"
	changeset     = "2026-11-23T00:00:00Z" // when these paths last changed
)

func (p *publicDoor) mountOpen311(mux *http.ServeMux) {
	read := func(serve func(r *http.Request, name string) (any, error)) methods {
		return methods{http.MethodGet: p.geo(true, serve)}
	}
	const base = "/open311/v2/"
	mux.Handle(base+"{file}", methods{
		http.MethodGet: p.geo(true, func(r *http.Request, name string) (any, error) {
			switch name {
			case "discovery":
				return p.discover(), nil
			case "services":
				return p.listServices(r)
			case "requests":
				return p.listRequests(r)
			}
			return nil, errNothingHere
		}),
		http.MethodPost: p.geo(false, func(r *http.Request, name string) (any, error) {
			if name != "requests" {
				return nil, errNothingHere
			}
			return p.postRequest(r)
		}),
	})
	mux.Handle(base+"services/{file}", read(p.defineService))
	mux.Handle(base+"requests/{file}", read(p.showRequest))
	mux.Handle(base+"tokens/{file}", read(func(*http.Request, string) (any, error) {
		return nil, fault.New(fault.KindNotFound, "not_found", "token was not found: every request gets its service_request_id at once.")
	}))
}

// geo serves a path of Open311. What reads is counted for the stranger's address; what writes is counted where it is known who writes.
func (p *publicDoor) geo(reads bool, serve func(r *http.Request, name string) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		file := cleanText(r.PathValue("file"))
		name, format := file, ""
		if dot := strings.LastIndexByte(file, '.'); dot > 0 {
			name, format = file[:dot], file[dot+1:]
		}
		if format != "xml" && format != "json" {
			refuse(w, r,
				fault.New(fault.KindNotFound, "not_found", "Add .xml or .json to the path: GET /open311/v2/discovery.xml says what there is."))
			return
		}
		var found any
		var err error
		if reads {
			err = p.counter.take(r.Context(), p.limits.reads, source(r))
		}
		if err == nil {
			found, err = serve(r, name)
		}
		status := http.StatusOK
		if err != nil {
			p.logFailure(r, err)
			e := fault.From(err)
			if status = e.Status(); e.RetryAfter > 0 {
				w.Header().Set("Retry-After", retryAfter(e))
			}
			found = geoErrors{{Code: status, Description: describe(e)}}
		} else if !reads {
			status = http.StatusCreated
		}
		writeGeo(w, status, format, found)
	}
}

// describe is what is wrong with a request, in the words of the specification: the names of its parameters.
func describe(e *fault.Error) string {
	if len(e.Fields) == 0 {
		return e.Message
	}
	var all []string
	for _, f := range e.Fields {
		all = append(all, f.Field+" "+f.Message)
	}
	return strings.Join(all, "; ")
}

func (p *publicDoor) discover() discovery {
	return discovery{
		Changeset: changeset, Contact: "The municipality whose jurisdiction_id you use: " + p.baseURL + "/docs",
		KeyService: "The api_key is the token of a request link, or an API key with the scope requests:write: " + p.baseURL + "/docs",
		Endpoints: geoEndpoints{{Specification: specification, URL: p.baseURL + "/open311/v2", Changeset: changeset, Type: "production",
			Formats: geoFormats{"text/xml", "application/json"}}},
	}
}

// inJurisdiction does something in a context on behalf of the organization that a jurisdiction_id names: perhaps twice,
// as organizations.open says.
func (p *publicDoor) inJurisdiction(ctx context.Context, jurisdiction string, do func(ctx context.Context) error) error {
	id, err := p.organizationOf(ctx, jurisdiction)
	if err != nil {
		return err
	}
	if err = p.organizations.open(ctx, id, do); errors.Is(err, errNothingHere) {
		return errNoJurisdiction
	}
	return err
}

// names are what the operator gives out as jurisdiction_id.
var names = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,99}$`)

// organizationOf gives the id of the organization that a jurisdiction_id names: the name that the operator gave it, or its id.
func (p *publicDoor) organizationOf(ctx context.Context, jurisdiction string) (id string, err error) {
	jurisdiction = strings.ToLower(strings.TrimSpace(jurisdiction))
	switch {
	case jurisdiction == "":
		return "", fault.Invalid("jurisdiction_missing", "jurisdiction_id was not provided.")
	case schema.IsUUID(jurisdiction):
		return jurisdiction, nil
	case names.MatchString(jurisdiction):
		id, err = p.organizations.named(ctx, jurisdiction)
	}
	if err == nil && id == "" {
		err = errNoJurisdiction
	}
	return id, err
}

var errNoJurisdiction = fault.New(fault.KindNotFound, "not_found", "jurisdiction_id provided was not found.")

func (p *publicDoor) listServices(r *http.Request) (any, error) {
	lang := p.languages.of(r, r.URL.Query().Get("locale"))
	var services []*RequestService
	err := p.inJurisdiction(r.Context(), r.URL.Query().Get("jurisdiction_id"), func(ctx context.Context) error {
		return p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			rows, err := tx.Query(ctx, serviceColumns+` AND s.public
				ORDER BY s.service_group COLLATE "natural" NULLS LAST, s.name COLLATE "natural", s.id LIMIT 1000`)
			if err != nil {
				return err
			}
			services, err = collectServices(rows)
			return err
		})
	})
	shown := geoServices{}
	for _, s := range services {
		shown = append(shown, geoService{ServiceCode: s.ServiceCode, Name: text(lang.name(s.Name, s.NameFR)), Description: text(lang.describe(s)),
			Metadata: len(s.Attributes) > 0, Type: "realtime", Keywords: text(strings.Join(s.Keywords, ", ")), Group: text(either(s.Group, ""))})
	}
	return shown, postgres.Fault(err, nil)
}

func (p *publicDoor) defineService(r *http.Request, code string) (any, error) {
	lang := p.languages.of(r, r.URL.Query().Get("locale"))
	var s *RequestService
	err := p.inJurisdiction(r.Context(), r.URL.Query().Get("jurisdiction_id"), func(ctx context.Context) error {
		return p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			found, err := readServices(ctx, tx, []string{code})
			s = found[code]
			return err
		})
	})
	if err != nil {
		return nil, postgres.Fault(err, nil)
	}
	if s == nil || !s.Public {
		return nil, errNoService
	}
	shown := geoDefinition{ServiceCode: s.ServiceCode, Attributes: geoAttributes{}}
	for i, a := range s.Attributes {
		one := geoAttribute{Variable: a.isQuestion(), Code: a.Code, Datatype: a.Datatype, Required: a.Required, Hint: text(either(a.Hint, "")),
			Order: i + 1, Description: lang.name(a.Question, a.QuestionFR), Values: geoValues{}}
		for _, v := range a.Values {
			one.Values = append(one.Values, geoValue{v.Key, lang.name(v.Name, v.NameFR)})
		}
		shown.Attributes = append(shown.Attributes, one)
	}
	return shown, nil
}

var errNoService = fault.New(fault.KindNotFound, "not_found", "service_code was not found.")
