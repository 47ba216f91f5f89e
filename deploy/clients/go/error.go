package ams

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Error is a response that is not a success. Get at it with errors.As:
//
//	var refused *ams.Error
//	if errors.As(err, &refused) && refused.Code == "already_exists" { … refused.ExistingID … }
type Error struct {
	Status    int    `json:"-"`
	Code      string `json:"code"`  // a stable word for programs
	Message   string `json:"error"` // one sentence for people
	RequestID string `json:"request_id"`

	// Field and Value are what clashed, on a 409; Fields are all problems of the request, on a 400.
	Field  string       `json:"field"`
	Value  any          `json:"value"`
	Fields []FieldError `json:"fields"`

	ExistingID string         `json:"existing_id"` // 409: the record that has the value
	Dependents map[string]int `json:"dependents"`  // 409: what still refers to the record, counted by collection
	Allowed    []string       `json:"allowed"`     // 409: the transitions that there are; 400 cursor_expired: a cursor to go on from

	RequiredScope string   `json:"required_scope"` // 403
	Scopes        []string `json:"scopes"`         // 403: those of the key
	Feature       string   `json:"feature"`        // 403: what the plan does not include

	Results    []BulkRow     `json:"results"` // of an atomic bulk call that wrote nothing: each bad row
	RetryAfter time.Duration `json:"-"`       // 0 where the response has no Retry-After
	Body       []byte        `json:"-"`
}

// FieldError is one problem of a request. Of a bulk call, Field begins with the row: data[3].name.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

func (e *Error) Error() string {
	text := e.Message
	for _, field := range e.Fields {
		if !strings.Contains(text, field.Message) {
			text += fmt.Sprintf("\n  %s: %s", field.Field, field.Message)
		}
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

func newError(response *http.Response) (*Error, error) {
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil {
		return nil, err
	}
	failure := &Error{}
	// What can be read of a body that is not as it should be, is used.
	if _ = json.Unmarshal(body, failure); failure.Message == "" {
		failure.Message = "the service answered " + response.Status + " without saying why"
	}
	failure.Status, failure.Body, failure.RetryAfter = response.StatusCode, body, retryAfter(response.Header)
	if failure.RequestID == "" {
		failure.RequestID = response.Header.Get("X-Request-Id")
	}
	return failure, nil
}

func reason(failure *Error, err error) string {
	if failure != nil {
		return failure.Message
	}
	return err.Error()
}
