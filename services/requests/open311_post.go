package requests

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/apikey"
	"ams.internal/libs/domain/contracts/gateway"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// postRequest takes a request of an Open311 app. The api_key is the token of a link, whose limits hold, or an API key with the scope
// requests:write, whose own limits hold; both are good for one organization, which must be that of the jurisdiction.
func (p *publicDoor) postRequest(r *http.Request) (any, error) {
	if err := r.ParseForm(); err != nil {
		return nil, unreadable(err)
	}
	form := r.Form // jurisdiction_id may stand in the query
	clean(form)
	for _, needed := range []string{"jurisdiction_id", "service_code"} {
		if strings.TrimSpace(form.Get(needed)) == "" {
			return nil, fault.Invalid("invalid_request", "%s was not provided.", needed)
		}
	}
	key := strings.TrimSpace(r.PostForm.Get("api_key"))
	if isToken(key) {
		return p.postByLink(r, form, key)
	}
	return p.postByKey(r, form, key)
}

func errKey() *fault.Error {
	return fault.Forbidden("api_key_invalid", "api_key is missing or not valid here: it is the token of a request link of this "+
		"jurisdiction, or an API key of it with the scope requests:write.")
}

func (p *publicDoor) postByLink(r *http.Request, form url.Values, token string) (posted any, err error) {
	if err = p.admit(r.Context(), source(r), token); err == nil {
		err = p.openByToken(r.Context(), token, func(ctx context.Context, l *openLink) (err error) {
			posted, err = p.postTo(ctx, form, l)
			return err
		})
	}
	if errors.Is(err, errNothingHere) {
		err = errKey()
	}
	return posted, err
}

// postTo takes a request by a link that is open.
func (p *publicDoor) postTo(ctx context.Context, form url.Values, l *openLink) (any, error) {
	owner, err := p.organizationOf(ctx, form.Get("jurisdiction_id"))
	if err != nil && !errors.Is(err, errNoJurisdiction) {
		return nil, err
	}
	if principal.From(ctx).OrganizationID != owner {
		return nil, errKey()
	}
	if len(l.services) == 0 { // any that the public may ask for
		found, err := p.findService(ctx, form.Get("service_code"))
		if err != nil {
			return nil, err
		}
		if found == nil || !found.Public {
			return nil, errNoService
		}
		l.services = []*RequestService{found}
	} else if l.service(form.Get("service_code")) == nil {
		return nil, errNoService
	}
	if l.contact == noContact {
		for _, name := range []string{"email", "phone", "first_name", "last_name"} {
			form.Del(name)
		}
	}
	return p.keepPosted(ctx, form, l, mark{fromOpen311, &l.id})
}

// postByKey takes a request with an API key. Whoever tries keys that are none is counted as a stranger.
func (p *publicDoor) postByKey(r *http.Request, form url.Values, key string) (posted any, err error) {
	if !apikey.Is(key) {
		if err := p.counter.take(r.Context(), p.limits.address, source(r)); err != nil {
			return nil, err
		}
		return nil, errKey()
	}
	organization, err := p.checkKey(r, key)
	if err != nil {
		return nil, err
	}
	jurisdiction := form.Get("jurisdiction_id")
	owner, err := p.organizationOf(r.Context(), jurisdiction)
	if err != nil {
		return nil, err
	}
	known, err := p.organizations.find(r.Context(), owner)
	switch {
	case errors.Is(err, errNothingHere):
		return nil, errNoJurisdiction
	case err != nil:
		return nil, err
	case owner != organization:
		return nil, errKey()
	}
	if err := p.counter.take(r.Context(), organizationLimit(known.PublicSettings), organization); err != nil {
		return nil, err
	}
	err = p.inJurisdiction(r.Context(), jurisdiction, func(ctx context.Context) (err error) {
		posted, err = p.postAs(ctx, form)
		return err
	})
	return posted, err
}

// postAs takes a request for the organization of the context.
func (p *publicDoor) postAs(ctx context.Context, form url.Values) (any, error) {
	found, err := p.findService(ctx, form.Get("service_code"))
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, errNoService
	}
	l := &openLink{contact: optionalContact, services: []*RequestService{found}}
	if form.Get("lat") == "" && form.Get("long") == "" && form.Get("address_string") == "" && form.Get("address_id") == "" {
		return nil, fault.Invalid("invalid_request", "lat and long, address_string or address_id must be provided.")
	}
	if code := schema.Line(form.Get("address_id")); code != "" {
		found, err := p.findPlace(ctx, code, l)
		switch text := form.Get("address_string"); {
		case err != nil:
			return nil, err
		case !found && form.Get("lat") == "" && form.Get("long") == "" && text == "":
			return nil, fault.Invalid("invalid_request", "address_id is no code of an asset, a building or a site; send lat and long, or "+
				"address_string.")
		case !found && text == "":
			form.Set("address_string", code) // another city's register of addresses: whoever goes there may know it
		case !found:
			form.Set("address_string", text+" ("+code+")")
		}
	}
	return p.keepPosted(ctx, form, l, mark{fromOpen311, nil})
}

// checkKey asks the gateway about a key, which counts the request for it, and gives the organization of one that may write requests.
func (p *publicDoor) checkKey(r *http.Request, key string) (organization string, err error) {
	if err := p.counter.peek(p.limits.address, "keys "+source(r)); err != nil { // wrong keys before
		return "", err
	}
	service := principal.Principal{OrganizationID: noOrganization,
		Actor: principal.Actor{Type: "service", ID: "requests", Name: "Public door"}, RequestID: principal.From(r.Context()).RequestID}
	ctx, cancel := context.WithTimeout(principal.Into(r.Context(), service), 3*time.Second)
	defer cancel()
	found, err := gateway.CheckKey.Call(ctx, p.registry.References,
		gateway.KeyCheck{Key: key, Address: transport.ClientAddress(r), Requests: 1})
	var refusal *fault.Error
	switch {
	case err == nil && (principal.Principal{Scopes: found.Key.Scopes}).Allows("requests:write"):
		return found.Organization.ID, nil
	case err == nil, errors.As(err, &refusal) && (refusal.Kind == fault.KindUnauthenticated || refusal.Kind == fault.KindForbidden):
		if limited := p.counter.take(r.Context(), p.limits.address, "keys "+source(r)); limited != nil {
			return "", limited
		}
		return "", errKey()
	}
	return "", err
}

// noOrganization is the organization of a call without one.
const noOrganization = "00000000-0000-0000-0000-000000000000"

func (p *publicDoor) findService(ctx context.Context, code string) (s *RequestService, err error) {
	code = schema.Line(code)
	err = p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		found, err := readServices(ctx, tx, []string{code})
		s = found[code]
		return err
	})
	return s, postgres.Fault(err, nil)
}

// findPlace finds the place that a code of ours names: of an asset, a building or a site.
func (p *publicDoor) findPlace(ctx context.Context, code string, l *openLink) (is bool, err error) {
	as := principal.From(ctx)
	as.Scopes = []string{"assets:read", "buildings:read", "sites:read"}
	ctx = principal.Into(ctx, as)
	for _, at := range []struct {
		path, field string
		id          **string
	}{{"/v1/assets", "asset_tag", &l.assetID}, {"/v1/buildings", "code", &l.buildingID}, {"/v1/sites", "code", &l.siteID}} {
		var found struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
		}
		query := url.Values{at.field: {schema.ListOf(code)}, "per_page": {"1"}}
		if len(code) > 50 {
			break
		}
		if err := p.registry.References.Call(ctx, "assets", http.MethodGet, at.path+"?"+query.Encode(), nil, &found); err != nil {
			return false, err
		}
		if len(found.Data) == 1 {
			*at.id = &found.Data[0].ID
			return true, nil
		}
	}
	return false, nil
}

// keepPosted writes a request of an Open311 app.
func (p *publicDoor) keepPosted(ctx context.Context, form url.Values, l *openLink, from mark) (any, error) {
	body, problems := openBody(form)
	in, wrong := readSubmission(body)
	if problems = append(append(problems, wrong...), in.check(l)...); len(problems) > 0 {
		for i := range problems {
			problems[i].Field = openName(problems[i].Field)
		}
		return nil, fault.InvalidFields(problems...)
	}
	given, err := p.create(ctx, from, in.body(l))
	if err != nil {
		return nil, err
	}
	return geoReceipts{{ID: given.Number}}, nil
}

// openNames are the names that Open311 has for our fields.
var openNames = map[string]string{
	"lat": "latitude", "long": "longitude", "address_string": "address_text", "email": "requester_email", "phone": "requester_phone",
	"description": "description", "media_url": "media_url", "service_code": "service_code",
}

func openName(field string) string {
	for open, ours := range openNames {
		if field == ours {
			return open
		}
	}
	if code, is := strings.CutPrefix(field, "attributes."); is {
		return "attribute[" + code + "]"
	}
	return field
}

// openBody makes a body of the parameters of Open311. device_id and account_id are not kept: they are of no use here, and say who somebody
// is.
func openBody(form url.Values) (body map[string]any, problems schema.Problems) {
	body = map[string]any{"stamp": "-"} // an app is no form
	for open, ours := range openNames {
		value := strings.TrimSpace(typedText(ours, form.Get(open)))
		if value == "" {
			continue
		}
		body[ours] = value
		if open == "lat" || open == "long" {
			number, err := strconv.ParseFloat(value, 64)
			if err != nil {
				problems.Add(ours, "must be a number")
				delete(body, ours)
				continue
			}
			body[ours] = number
		}
	}
	if name := strings.TrimSpace(form.Get("first_name") + " " + form.Get("last_name")); name != "" {
		body["requester_name"] = name
	}
	if body["description"] == nil {
		body["description"] = form.Get("service_code") // the specification does not require one
	}
	attributes := map[string]any{}
	for name, values := range form {
		code, is := strings.CutPrefix(name, "attribute[")
		if !is {
			continue
		}
		code = strings.TrimSuffix(strings.TrimSuffix(code, "[]"), "]")
		list, _ := attributes[code].([]any)
		for _, value := range values {
			list = append(list, value)
		}
		attributes[code] = list
	}
	if len(attributes) > 0 {
		body["attributes"] = attributes
	}
	return body, problems
}
