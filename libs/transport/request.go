package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ams.internal/libs/fault"
	"ams.internal/libs/odata"
	"ams.internal/libs/schema"
	"ams.internal/libs/spool"
	"ams.internal/libs/suggest"
)

// bodyDeadline is the time for a caller to send a body.
const bodyDeadline = 30 * time.Second

// Request is the part of an HTTP request that an operation gets.
type Request struct {
	Method string
	URL    *url.URL
	Query  url.Values
	Header http.Header
	Body   []byte
	// Content is the body of an operation of content: it must be read in the operation, and its errors are what the caller is told.
	Content io.Reader
	// ContentLength is how many bytes Content has; -1 where the sender does not say.
	ContentLength int64

	head  bool         // a HEAD, which has the Method of what it asks about
	lists []string     // parameters that take several values
	large *spool.Spool // a large body, until it is its turn to be Body
	path  func(name string) string
}

// Path gives a path parameter.
func (r *Request) Path(name string) string { return r.path(name) }

// WithPath gives the request with another value of a path parameter.
func (r *Request) WithPath(name, value string) *Request {
	other, before := *r, r.path
	other.path = func(parameter string) string {
		if parameter == name {
			return value
		}
		return before(parameter)
	}
	return &other
}

// ID gives the path parameter that must be a UUID; a malformed one is a 400.
func (r *Request) ID(name string) (string, error) {
	id := strings.ToLower(r.path(name))
	if !schema.IsUUID(id) {
		return "", fault.InvalidFields(fault.Field{Field: name, Message: "must be a UUID, as the list endpoints give them"})
	}
	return id, nil
}

// Object parses the body, which must be a JSON object.
func (r *Request) Object() (map[string]any, error) { return schema.ParseObject(r.Body) }

// CheckQuery rejects parameters that are not among those known, are not text, or are given twice though they take one value; those that
// take several are joined: types=a&types=b is types=a,b. It drops parameters that name an organization.
func (r *Request) CheckQuery(known ...string) error {
	return r.checkQuery(func(name string) string {
		if slices.Contains(known, name) {
			return ""
		}
		return "is not a parameter of this path" + suggest.DidYouMeanParameter(name, known)
	})
}

// CheckQueryText is CheckQuery for an operation that itself rejects the parameters it does not know.
func (r *Request) CheckQueryText() error { return r.checkQuery(func(string) string { return "" }) }

func (r *Request) checkQuery(wrong func(name string) string) error {
	var problems schema.Problems
	for name, values := range r.Query {
		if len(values) > 1 && r.isList(name) {
			values = []string{strings.Join(values, ",")}
			r.Query[name] = values
		}
		switch {
		case schema.Tenant(name) || name == "forceFunctionRegion":
			delete(r.Query, name)
		case wrong(name) != "":
			problems.Add(name, "%s", wrong(name))
		case len(values) > 1:
			problems.Add(name, "must be given once")
		case !wellFormed(values[0]):
			problems.Add(name, malformedText)
		}
	}
	slices.SortFunc(problems, func(a, b fault.Field) int { return strings.Compare(a.Field, b.Field) })
	return problems.Err()
}

// isList says whether a parameter takes several values: those that the operation declares so, and custom fields by value.
func (r *Request) isList(name string) bool {
	if strings.HasPrefix(name, "custom_fields.") {
		return !slices.ContainsFunc([]string{"_min", "_max", "_from", "_to"}, func(bound string) bool { return strings.HasSuffix(name, bound) })
	}
	return slices.Contains(r.lists, name)
}

// malformedText is the problem of a text that is not wellFormed.
const malformedText = "must be well-formed UTF-8 without NUL characters"

// wellFormed says whether a text of the path or the query can be stored and compared.
func wellFormed(text string) bool { return !strings.ContainsRune(text, 0) && utf8.ValidString(text) }

// ParseQuery reads the query of a URL.
func ParseQuery(text string) (url.Values, error) {
	query, err := url.ParseQuery(text)
	if err != nil {
		return nil, fault.Invalid("invalid_query", "The query string is not well formed; encode special characters with %%.")
	}
	return query, nil
}

func readRequest(r *http.Request, op *Operation) (*Request, error) {
	query, err := ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	request := &Request{Method: op.Method, URL: r.URL, Query: query, Header: r.Header, head: r.Method == http.MethodHead, lists: op.lists,
		path: r.PathValue}
	if op.Method == http.MethodGet {
		if op.Returns == "" && odata.From(r.Header) == nil {
			err = Acceptable(r.Header["Accept"], append([]string{ApplicationJSON}, op.Streams...)...)
		}
		return request, err
	}
	if op.Content != "" {
		if request.Content, request.ContentLength = r.Body, r.ContentLength; r.ContentLength > op.MaxBody {
			return nil, tooLarge(op)
		}
		return request, nil
	}
	if request.Body, request.large, err = readBody(r, op); err != nil {
		return nil, err
	}
	if op.Body == nil {
		return request, nil
	}
	mediaType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(parameters["charset"])
	if err == nil && (mediaType == ApplicationJSON || mediaType == MergePatch) && (charset == "" || charset == "utf-8") {
		return request, nil
	}
	if op.Method == http.MethodPatch {
		return nil, fault.Invalid("content_type", "A PATCH needs the header Content-Type: %s or %s, in UTF-8.", MergePatch, ApplicationJSON).
			WithHeader("Accept-Patch", AcceptPatch)
	}
	return nil, fault.Invalid("content_type", "A request with a body needs the header Content-Type: %s, in UTF-8.", ApplicationJSON)
}

// maxDrained is how much of a body that is refused is read, in bytes.
const maxDrained = 32 << 20

// AcceptPatch is what bodies of PATCH may be (RFC 5789, section 3.1).
const AcceptPatch = MergePatch + ", " + ApplicationJSON

// readBody reads a body at the pace of its sender: a large one into a spool, so that senders that are slow, or many, hold no memory.
func readBody(r *http.Request, op *Operation) (body []byte, large *spool.Spool, err error) {
	if r.ContentLength > op.MaxBody {
		drain(r.Body)
		return nil, nil, tooLarge(op)
	}
	limited := io.LimitReader(r.Body, op.MaxBody+1)
	body, err = io.ReadAll(io.LimitReader(limited, largeBody))
	size := int64(len(body))
	if err == nil && size == largeBody {
		large = spool.New(r.Context())
		context.AfterFunc(r.Context(), large.Close)
		size, err = io.Copy(large, io.MultiReader(bytes.NewReader(body), limited))
		large.End(nil)
		body = nil
	}
	if errors.Is(err, spool.ErrFull) {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, fault.Invalid("body_incomplete", "The body did not arrive whole.").WithCause(err)
	}
	if size > op.MaxBody {
		drain(r.Body)
		return nil, nil, tooLarge(op)
	}
	return body, large, nil
}

// drain reads what a sender still sends of a body that is refused: the connection would be closed at once else, and the response lost
// (RFC 9112, section 9.6).
func drain(body io.Reader) { _, _ = io.CopyN(io.Discard, body, maxDrained) }

func tooLarge(op *Operation) error {
	return fault.Invalid("body_too_large", "The body is larger than %d bytes, which is the most that %s takes; send it in parts.",
		op.MaxBody, op)
}
