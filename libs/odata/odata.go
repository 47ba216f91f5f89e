// Package odata parses read requests of OData 4.0 and writes responses in its format. It has what lists, which the database answers,
// and reports, whose rows are filtered and sorted here (rows.go), have in common.
//
// The gateway knows the sets of the service and what they are made of. It sends a request for a set to the path of the list or report,
// with the URL that was asked for in Header; who serves that path answers in the form of OData.
package odata

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/fault"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// Header has the URL of what a request asks for, as callers see it, on its way from the gateway to a service. The gateway takes it from
// nobody else.
const Header = "X-Ams-Odata"

// Every response, also an error, has the version of OData as a header.
const (
	VersionHeader = "OData-Version"
	Version       = "4.0"
)

// MaxPageSize is how many records a page has at most, and has where the caller does not say.
const MaxPageSize = 1000

// Request is what a request in OData addresses. A nil *Request is any other request.
type Request struct {
	url   *url.URL // with what of the query each link repeats
	Set   string   // its name
	Count bool     // of the path …/$count: the number of records, as text
	one   bool     // of the path set(id): one record
	// Navigation is the navigation property of the path set(id)/name: the record that one record refers to.
	Navigation string
	call       bool // of the path report(id=…): a function, whose rows are of no set
}

// From gives what a request in OData addresses, nil for any other request. The gateway names the arguments of functions, but never the key
// of a record.
func From(header http.Header) *Request {
	text := header.Get(Header)
	if text == "" {
		return nil
	}
	address, err := url.Parse(text)
	if err != nil {
		return nil
	}
	r := &Request{url: address}
	last := path.Base(address.Path)
	if r.Count = last == "$count"; r.Count {
		address.Path = path.Dir(address.Path)
		last = path.Base(address.Path)
	}
	if of := path.Base(path.Dir(address.Path)); strings.HasSuffix(of, ")") {
		r.Navigation, address.Path, last = last, path.Dir(address.Path), of
	}
	r.Set, last, r.one = strings.Cut(last, "(")
	r.call = strings.Contains(last, "=")
	return r
}

// RowNumber is the key of the rows of a report: their number in it, from 1.
const RowNumber = "row"

// Namespace is that of all types.
const Namespace = "AMS"

// TypeName is what the records of a set are called: those of state_of_assets are StateOfAssets.
func TypeName(set string) string {
	var words []string
	for word := range strings.SplitSeq(set, "_") {
		if word != "" {
			words = append(words, strings.ToUpper(word[:1])+word[1:])
		}
	}
	return strings.Join(words, "")
}

// root is the URL of the service, with a slash at the end.
func (r *Request) root() string {
	root := *r.url
	root.Path, root.RawPath, root.RawQuery = strings.TrimSuffix(root.Path, path.Base(root.Path)), "", ""
	return root.String()
}

// Context is the context URL of a response: of a whole set, or of what a selection shows of it.
func (r *Request) Context(shown []string) string {
	context := r.root() + "$metadata#" + r.Set
	if r.call {
		context = r.root() + "$metadata#Collection(" + Namespace + "." + TypeName(r.Set) + ")"
	}
	if len(shown) > 0 {
		context += "(" + strings.Join(shown, ",") + ")"
	}
	if r.one && !r.call {
		context += "/$entity"
	}
	return context
}

// To is the request for a record of another set, which the record that was asked for refers to.
func (r *Request) To(set string) *Request {
	to := *r
	to.Set, to.Navigation = set, ""
	return &to
}

// Next is the URL of the page behind this one. count is how many records it had.
func (r *Request) Next(query url.Values, o *Options, token string, count int) string {
	next, parameters := *r.url, url.Values{}
	for name, values := range query {
		parameters[name] = values
	}
	for name, values := range r.url.Query() {
		parameters[name] = values
	}
	parameters.Del("$skip")
	parameters.Set("$skiptoken", token)
	if o.Top >= 0 {
		parameters.Set("$top", strconv.FormatInt(o.Top-int64(count), 10))
	}
	next.RawQuery = parameters.Encode()
	return next.String()
}

// Options are the system query options of a request.
type Options struct {
	Form
	Select   []string // nil: everything
	Expand   []Expand
	Filter   Expression
	OrderBy  []Order
	Top      int64 // -1: all
	Skip     int64
	Count    bool   // the number of all records is asked for
	Token    string // $skiptoken
	Apply    *Apply
	PageSize int // of this page: what is left of Top, and not more than the caller prefers
}

// Order is one key of $orderby.
type Order struct {
	Name       string
	Descending bool
}

// Condition is what all records that are asked for meet: the filter, or that of $apply. It is nil where there is none.
func (o *Options) Condition() Expression {
	if o.Apply != nil {
		return o.Apply.Filter
	}
	return o.Filter
}

// known are the system query options that there are; others are refused by name.
var known = []string{"$apply", "$count", "$expand", "$filter", "$format", "$orderby", "$select", "$skip", "$skiptoken", "$top"}

// besideApply says what to do about options that cannot stand beside $apply.
var besideApply = map[string]string{
	"$expand":    "whose groups refer to nothing; leave it out",
	"$filter":    "which has a filter of its own: $apply=filter(…)/groupby(…)",
	"$select":    "which names the members of its groups itself; leave it out",
	"$skiptoken": "whose groups come in one response; leave it out",
}

// IsOption says whether there is a system query option of a name.
func IsOption(name string) bool { return slices.Contains(known, name) }

// Parse reads the system query options, and gives the other parameters: those that the list or report has itself. Of the header it reads
// Accept and Prefer. Every problem is named by its option.
func Parse(query url.Values, header http.Header) (*Options, url.Values, error) {
	o, rest := &Options{Top: -1}, url.Values{}
	var err error
	if o.Form, err = FormOf(query, header); err != nil {
		return nil, nil, err
	}
	var problems schema.Problems
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		if !strings.HasPrefix(name, "$") {
			rest[name] = values
			continue
		}
		if len(values) > 1 {
			problems.Add(name, "must be given once")
			continue
		}
		o.parse(name, values[0], &problems)
	}
	if o.Apply != nil {
		for _, name := range slices.Sorted(maps.Keys(besideApply)) {
			if query.Has(name) {
				problems.Add(name, "cannot stand beside $apply, %s", besideApply[name])
			}
		}
	}
	if o.Skip > 0 && o.Token != "" {
		problems.Add("$skip", "cannot stand beside $skiptoken, which says where to go on")
	}
	o.PageSize = pageSize(header["Prefer"])
	if o.Top >= 0 {
		o.PageSize = int(min(int64(o.PageSize), o.Top))
	}
	return o, rest, problems.Err()
}

func (o *Options) parse(name, text string, problems *schema.Problems) {
	var err error
	switch name {
	case "$select":
		o.Select, err = parseSelect(text)
	case "$expand":
		o.Expand, err = parseExpand(text)
	case "$filter":
		o.Filter, err = parseFilter(text)
	case "$orderby":
		o.OrderBy, err = parseOrderBy(text)
	case "$apply":
		o.Apply, err = parseApply(text)
	case "$top":
		o.Top = number(name, text, problems)
	case "$skip":
		o.Skip = number(name, text, problems)
	case "$skiptoken":
		o.Token = text
	case "$count":
		if o.Count = text == "true"; !o.Count && text != "false" {
			problems.Add(name, "must be true or false")
		}
	case "$format": // is read already
	case "$search":
		problems.Add(name, "is not supported; words are looked for with q, a parameter of most lists: q=pump")
	default:
		problems.Add(name, "is not supported; these are: %s%s", strings.Join(known, ", "), suggest.DidYouMean(name, known))
	}
	if err != nil {
		problems.Add(name, "%s", err)
	}
}

// maxSkip is how many records may be skipped; beyond any list.
const maxSkip = 1 << 40

func number(name, text string, problems *schema.Problems) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > maxSkip {
		problems.Add(name, "must be a whole number, 0 or more")
		return 0
	}
	return n
}

// pageSize is how many records a page has: fewer than MaxPageSize where the caller prefers that (odata.maxpagesize, or maxpagesize of
// 4.01).
func pageSize(prefer []string) int {
	for _, line := range prefer {
		for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ',' || r == ';' }) {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			if name = strings.TrimPrefix(strings.ToLower(name), "odata."); name != "maxpagesize" {
				continue
			}
			if n, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil && n > 0 {
				return min(n, MaxPageSize)
			}
		}
	}
	return MaxPageSize
}

// Fault is the body of an error in the form of OData.
func Fault(e *fault.Error) any {
	type detail struct {
		Code    string `json:"code"`
		Target  string `json:"target,omitempty"`
		Message string `json:"message"`
	}
	type failure struct {
		Code       string            `json:"code"`
		Message    string            `json:"message"`
		Target     string            `json:"target,omitempty"`
		Details    []detail          `json:"details,omitempty"`
		InnerError map[string]string `json:"innererror,omitempty"`
	}
	shown := failure{Code: e.Code, Message: e.Message}
	if e.Request != "" {
		shown.InnerError = map[string]string{"request_id": e.Request}
	}
	for _, field := range e.Fields {
		shown.Details = append(shown.Details, detail{Code: e.Code, Target: field.Field, Message: field.Message})
	}
	if len(e.Fields) == 1 {
		shown.Target = e.Fields[0].Field
	}
	return map[string]failure{"error": shown}
}

// Begin appends the beginning of a response that has records: the next is the first of them.
func (r *Request) Begin(dst []byte, o *Options) []byte {
	if o.NoMetadata {
		return append(dst, `{"value":[`...)
	}
	dst = append(dst, `{"@odata.context":`...)
	dst = appendText(dst, r.Context(o.shown()))
	return append(dst, `,"value":[`...)
}

// End appends the end of a response that has records. total is shown where the options ask for it, next where there is a page behind.
func (r *Request) End(dst []byte, o *Options, total int64, next string) []byte {
	dst = append(dst, ']')
	if o.Count {
		number := strconv.FormatInt(total, 10)
		if o.TextNumbers {
			number = `"` + number + `"`
		}
		dst = append(append(dst, `,"@odata.count":`...), number...)
	}
	if next != "" {
		dst = appendText(append(dst, `,"@odata.nextLink":`...), next)
	}
	return append(dst, '}')
}

// Entity puts the context URL into the object of one record.
func (r *Request) Entity(object []byte, o *Options) []byte {
	if o.NoMetadata {
		return object
	}
	whole := appendText([]byte(`{"@odata.context":`), r.Context(o.shown()))
	if len(object) > 2 {
		whole = append(whole, ',')
	}
	return append(whole, object[1:]...)
}

func appendText(dst []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil { // of a text: no error
		return dst
	}
	return append(dst, quoted...)
}
