package edge

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"ams.internal/gateway/edm"
	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
	"ams.internal/libs/odata"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
	"ams.internal/libs/transport"
)

// odataRoot is where the service in OData is. It has no routes of its own: a request for a set takes the route of the list or report that
// the set is of, with its scope, feature and service, and says in a header what was asked for.
const odataRoot = "/odata/v4"

// pbidsPath is a file that Power BI Desktop opens with the service.
const pbidsPath = odataRoot + "/ams.pbids"

// Routes of what the gateway itself answers in OData.
var (
	odataOwn   = &route{prefix: odataRoot, own: ownOData}
	odataPBIDS = &route{prefix: pbidsPath, own: ownOData, open: true}
)

// openOData reads what a request below odataRoot asks for. What is wrong with it is refused once the key was looked at.
func (e *entry) openOData(c *call) {
	c.Header().Set(odata.VersionHeader, odata.Version)
	c.odata = &inOData{root: e.baseURL + odataRoot + "/"}
	c.query = strings.ReplaceAll(c.query, ";", "%3B") // as media types have it; where queries are read it is no part of them
	c.route = odataOwn
	resourcePath := strings.TrimPrefix(strings.TrimPrefix(c.r.URL.Path, odataRoot), "/")
	if c.r.URL.Path == pbidsPath {
		c.route = odataPBIDS
	}
	if resourcePath == "" || resourcePath == "$metadata" || c.route == odataPBIDS || !readsOnly(c.r.Method) {
		return
	}
	model, err := e.sets.Model()
	if err == nil {
		err = c.toSet(model, resourcePath)
	}
	c.odata.refusal = err
}

// inOData is what a call in OData has besides.
type inOData struct {
	root    string // URL of the service, with a slash at the end
	setURL  string // URL of the set that is asked for, with what of the query each link repeats; "" of what the gateway answers
	stream  bool   // of a report whose rows all come in one response
	refusal error  // of a path that is no set's
}

// toSet makes the call one to the path of the API that has the records.
func (c *call) toSet(model *edm.Model, resourcePath string) error {
	segment, rest, _ := strings.Cut(resourcePath, "/")
	name, inside, called := strings.Cut(segment, "(")
	inside = strings.TrimSuffix(inside, ")")
	set := model.Set(name)
	switch {
	case set == nil:
		return fault.New(fault.KindNotFound, "unknown_set", "There is no set %s%s. GET %s/ names them all.", keys.Quote(name),
			suggest.DidYouMean(name, model.Names()), odataRoot)
	case rest != "" && called && inside != "" && !set.Function() && !set.Report:
		if names := navigationOf(set); !slices.Contains(names, rest) {
			return fault.New(fault.KindNotFound, "unknown_path", "Behind a record of %s there is only what it refers to: %s.", name,
				strings.Join(names, ", "))
		}
	case rest != "" && (rest != "$count" || called && !set.Function()):
		return fault.New(fault.KindNotFound, "unknown_path",
			"Behind a set there is only /$count, or the id of a record in parentheses: %s(id).", name)
	case called && inside != "" && set.Report && !set.Function():
		return fault.New(fault.KindNotFound, "unknown_path", "The rows of %s are had together, not one by one.", name)
	}
	arguments, path, query, err := target(set, inside, c.query)
	if err != nil {
		return err
	}
	c.odata.setURL, c.odata.stream = c.odata.root+name+arguments, set.Stream
	if rest != "" {
		c.odata.setURL += "/" + rest
	}
	if c.forced != "" {
		c.odata.setURL += "?" + regionParameter + "=" + url.QueryEscape(c.forced)
	}
	c.route, c.query = findRoute(path), query
	request, address := *c.r, *c.r.URL
	address.Path, address.RawPath = path, ""
	request.URL = &address
	c.r = &request
	return nil
}

// navigationOf gives the names of what a record of a set refers to.
func navigationOf(set *edm.Set) (names []string) {
	for _, n := range set.Navigation() {
		names = append(names, n.Name)
	}
	return names
}

// target is the path and query of the API behind a set, or behind what stands in parentheses: the id of a record, or the arguments of a
// function. arguments is that in its one form, by which a service tells a record from a function: (<id>), (name=value).
func target(set *edm.Set, inside, query string) (arguments, path, rest string, err error) {
	wanted, path := set.Needs, set.Path
	if inside == "" && !set.Function() {
		return "", path, query, nil
	}
	if !set.Function() {
		wanted, path = []edm.Parameter{{Name: "id", InPath: true, Kind: "Edm.Guid"}}, path+"/{id}"
	}
	given := map[string]string{}
	for argument := range strings.SplitSeq(inside, ",") {
		name, value, named := strings.Cut(argument, "=")
		if !named {
			name, value = wanted[0].Name, argument
		}
		given[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), "'")
	}
	var names []string
	for _, p := range wanted {
		names = append(names, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			return "", "", "", fault.InvalidFields(fault.Field{Field: name,
				Message: "is not a parameter of " + set.Name + "; these are: " + strings.Join(names, ", ")})
		}
	}
	shown := make([]string, len(wanted))
	for i, p := range wanted {
		value := strings.ToLower(given[p.Name])
		if as, ok := accepts(p.Kind, value); !ok {
			return "", "", "", fault.InvalidFields(fault.Field{Field: p.Name,
				Message: "must be given in parentheses, as " + as + ": " + set.Name + "(" + strings.Join(names, "=…,") + "=…)"})
		}
		if shown[i] = value; set.Function() {
			shown[i] = p.Name + "=" + value
		}
		if p.InPath {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", value)
			continue
		}
		query = with(query, p.Name+"="+value)
	}
	return "(" + strings.Join(shown, ",") + ")", path, query, nil
}

// with adds a parameter to a query, once: the link to the next page has the one that the page before was asked with.
func with(query, parameter string) string {
	pairs := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool { return pair == "" || pair == parameter })
	return strings.Join(append(pairs, parameter), "&")
}

// accepts says what a value of a type is, and whether a text is one. Such texts stand in a URL as they are.
func accepts(kind, text string) (what string, ok bool) {
	switch kind {
	case "Edm.Guid":
		return "an id", schema.IsUUID(text)
	case "Edm.Int32", "Edm.Int64":
		_, err := strconv.ParseUint(text, 10, 63)
		return "a whole number", err == nil
	case "Edm.Date":
		_, err := time.Parse(time.DateOnly, text)
		return "a day such as 2026-01-31", err == nil
	}
	return "a value of " + kind + ", which cannot be given", false
}

// respondOData serves what of OData is the gateway's own.
func (l *local) respondOData(c *call) (*http.Response, error) {
	if c.odata.refusal != nil {
		return nil, c.odata.refusal
	}
	if c.route == odataPBIDS {
		if err := transport.Acceptable(c.r.Header["Accept"], transport.ApplicationJSON); err != nil {
			return nil, err
		}
		return asFile(transport.ApplicationJSON, pbids(c.odata.root))
	}
	query, err := transport.ParseQuery(c.query)
	if err != nil {
		return nil, err
	}
	respond := l.serviceDocument
	if strings.HasSuffix(c.r.URL.Path, "/$metadata") {
		respond = l.metadata
	}
	return respond(c, query)
}

func (l *local) serviceDocument(c *call, query url.Values) (*http.Response, error) {
	form, err := odata.FormOf(query, c.r.Header)
	if err != nil {
		return nil, err
	}
	model, err := l.sets.Model()
	if err != nil {
		return nil, err
	}
	document := model.ServiceDocument(c.odata.root, c.mayRead)
	if form.NoMetadata {
		delete(document, "@odata.context")
	}
	return asFile(form.ContentType(), document)
}

func (l *local) metadata(c *call, query url.Values) (*http.Response, error) {
	const inXML = "application/xml"
	format, _, _ := strings.Cut(query.Get("$format"), ";")
	if format == "" { // $format is in the place of the header
		if err := transport.Acceptable(c.r.Header["Accept"], inXML); err != nil {
			return nil, err
		}
	} else if format != "xml" && format != inXML {
		return nil, fault.InvalidFields(fault.Field{Field: "$format", Message: "must be xml, which is what $metadata is written in"})
	}
	model, err := l.sets.Model()
	if err != nil {
		return nil, err
	}
	body, err := model.Metadata(c.mayRead)
	if err != nil {
		return nil, err
	}
	return file(inXML, body), nil
}

// mayRead says whether the key may read a set: those that it may not are not shown.
func (c *call) mayRead(set *edm.Set) bool {
	route := findRoute(set.Path)
	scoped := route.scope == "" || slices.Contains(c.key.Scopes, route.scope+":read") || slices.Contains(c.key.Scopes, keys.Everything)
	return scoped && (route.feature == "" || slices.Contains(c.key.Features, route.feature))
}

// pbids is a file that Power BI Desktop opens: it asks for the key and shows the sets.
func pbids(root string) any {
	type connection struct {
		Details map[string]any `json:"details"`
		Options struct{}       `json:"options"`
		Mode    string         `json:"mode"`
	}
	return map[string]any{"version": "0.1", "connections": []connection{{Mode: "Import",
		Details: map[string]any{"protocol": "odata", "address": map[string]string{"url": root}}}}}
}

func asFile(contentType string, value any) (*http.Response, error) {
	body, err := json.Marshal(value)
	return file(contentType, body), err
}

func file(contentType string, body []byte) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{"Content-Type": {contentType}, "Cache-Control": {"private, no-cache"}, "X-Content-Type-Options": {"nosniff"}}}
}

// basic gives the key of an Authorization header of the scheme Basic, in which BI programs send it as the password; "" for any other.
func basic(header string) string {
	scheme, value, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return ""
	}
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(value))
	if err != nil {
		return ""
	}
	_, password, _ := strings.Cut(string(decoded), ":")
	return password
}
