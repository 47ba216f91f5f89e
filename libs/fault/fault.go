// Package fault defines the errors that callers may see.
//
// An operation returns a *fault.Error when the caller can act on it. Every other error is internal: it is logged whole at the
// edge, and the caller sees a 500 without details.
package fault

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"time"
)

// Kind is the kind of a failure; statuses maps each kind to its HTTP status.
type Kind string

// The kinds. There are no others: clients are written against this list of statuses.
const (
	KindInvalid         Kind = "invalid"         // 400: the request is invalid, whoever sends it
	KindUnauthenticated Kind = "unauthenticated" // 401: no key, or none that is known
	KindForbidden       Kind = "forbidden"       // 403: the key, its scopes or the plan do not allow it
	KindNotFound        Kind = "not_found"       // 404: no such path, or no such record in the organization
	KindConflict        Kind = "conflict"        // 409: the record's present state does not allow it
	KindRateLimited     Kind = "too_many"        // 429: over a limit
	KindInternal        Kind = "internal"        // 500: our mistake
	KindUnavailable     Kind = "unavailable"     // 503: a dependency is down; safe to retry
)

var statuses = map[Kind]int{
	KindInvalid:         http.StatusBadRequest,
	KindUnauthenticated: http.StatusUnauthorized,
	KindForbidden:       http.StatusForbidden,
	KindNotFound:        http.StatusNotFound,
	KindConflict:        http.StatusConflict,
	KindRateLimited:     http.StatusTooManyRequests,
	KindInternal:        http.StatusInternalServerError,
	KindUnavailable:     http.StatusServiceUnavailable,
}

// Field is one problem of one field. Field is the path in the body or the query: "replacement_cost", "data[3].name".
type Field struct {
	Field   string `json:"field"`
	Message string `json:"message"`
	Missing bool   `json:"-"` // it names a record that the organization does not have, and is right otherwise
}

// Error is an error that a caller sees. Its JSON form is the body of every error response.
type Error struct {
	Kind    Kind   `json:"-"`
	Message string `json:"error"`                // one sentence a person can act on
	Code    string `json:"code"`                 // stable machine word
	Request string `json:"request_id,omitempty"` // set at the edge

	Fields     []Field        `json:"fields,omitempty"`      // every problem found, not the first
	Field      string         `json:"field,omitempty"`       // on 409: the field that conflicts
	Value      any            `json:"value,omitempty"`       // on 409: the value that conflicts
	ExistingID string         `json:"existing_id,omitempty"` // on 409: the record that holds the value
	Dependents map[string]int `json:"dependents,omitempty"`  // on 409: what still refers to the record, by collection
	Allowed    []string       `json:"allowed,omitzero"`      // on 409: the transitions that are allowed; none of a final state
	Required   string         `json:"required_scope,omitempty"`
	Scopes     []string       `json:"scopes,omitempty"`
	Feature    string         `json:"feature,omitempty"`
	Results    any            `json:"results,omitempty"` // of a bulk call that wrote nothing
	Summary    any            `json:"summary,omitempty"`

	Header     http.Header   `json:"-"` // headers of the response besides the common ones (Allow, WWW-Authenticate)
	RetryAfter time.Duration `json:"-"` // becomes Retry-After, in whole seconds, rounded up, at least 1
	cause      error
}

func (e *Error) Error() string {
	if e.cause != nil {
		return e.Message + ": " + e.cause.Error()
	}
	return e.Message
}

// Unwrap gives the cause, which the caller never sees.
func (e *Error) Unwrap() error { return e.cause }

// Status is the HTTP status of the error's kind.
func (e *Error) Status() int { return statuses[e.Kind] }

// WithCause gives a copy of the error with a cause for the log; the caller never sees the cause. The error itself may be a
// package variable that many requests return, so it does not change.
func (e *Error) WithCause(err error) *Error {
	copied := *e
	copied.cause = err
	return &copied
}

// WithHeader gives a copy of the error whose response has one more header.
func (e *Error) WithHeader(name, value string) *Error {
	copied := *e
	copied.Header = e.Header.Clone()
	if copied.Header == nil {
		copied.Header = http.Header{}
	}
	copied.Header.Set(name, value)
	return &copied
}

// New makes an error of a kind. code is the stable machine word, format the sentence.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid is a 400.
func Invalid(code, format string, args ...any) *Error {
	return New(KindInvalid, code, format, args...)
}

// InvalidFields is the 400 for a body or query with problems; it names the first and lists all. Where nothing is wrong but that fields name
// records that the organization does not have, it is 404 "reference_not_found".
func InvalidFields(fields ...Field) *Error {
	e := New(KindInvalid, "invalid_request", "The request has a problem.")
	if len(fields) > 0 && !slices.ContainsFunc(fields, func(f Field) bool { return !f.Missing }) {
		e.Kind, e.Code = KindNotFound, "reference_not_found"
	}
	e.Fields = fields
	if len(fields) > 0 {
		e.Message = fmt.Sprintf("%s: %s", fields[0].Field, fields[0].Message)
		if more := len(fields) - 1; more > 0 {
			e.Message += fmt.Sprintf(" (and %d more, see fields)", more)
		}
	}
	return e
}

// Forbidden is a 403.
func Forbidden(code, format string, args ...any) *Error {
	return New(KindForbidden, code, format, args...)
}

// NotFound is the 404 for a record. what is its singular name.
func NotFound(what, id string) *Error {
	return New(KindNotFound, "not_found", "There is no %s %s in this organization.", what, id)
}

// Conflict is a 409 about a field and the value that conflicts.
func Conflict(code, field string, value any, format string, args ...any) *Error {
	e := New(KindConflict, code, format, args...)
	e.Field, e.Value = field, value
	return e
}

// StillInUse is the 409 of what other records depend on. dependents counts them by collection; it may be nil.
func StillInUse(field string, value any, dependents map[string]int, format string, args ...any) *Error {
	e := Conflict("still_in_use", field, value, format, args...)
	e.Dependents = dependents
	return e
}

// Unavailable is a 503. The sentence names the dependency that is down, in the caller's terms.
func Unavailable(code, format string, args ...any) *Error {
	e := New(KindUnavailable, code, format, args...)
	e.RetryAfter = time.Second
	return e
}

// From gives the *Error in err's chain. Any other error becomes a 500 without details.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New(KindInternal, "internal", "Something went wrong on our side; it is safe to try again with a pause.").WithCause(err)
}

// Worst is the failure that the response to a call of many rows is about, the first of several alike: what the state forbids, then what is
// wrong with the body, then what is not there or not allowed. nil stands for a row that did not fail, and for none that failed.
func Worst(failures iter.Seq[*Error]) (worst *Error) {
	rank := func(e *Error) int { return slices.Index([]Kind{KindInvalid, KindConflict}, e.Kind) }
	for e := range failures {
		if e != nil && (worst == nil || rank(e) > rank(worst)) {
			worst = e
		}
	}
	return worst
}

// KindOf gives the kind whose status is status, or "".
func KindOf(status int) Kind {
	for kind, s := range statuses {
		if s == status {
			return kind
		}
	}
	return ""
}
