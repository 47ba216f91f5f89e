package persons

import (
	"encoding/json"
	"time"

	"ams.internal/libs/reference"
)

const (
	// Deadline is how long a service may take for one call about a person.
	Deadline = 25 * time.Second
	// timeout is how long a caller waits for it: long enough to learn that it took too long.
	timeout = 30 * time.Second
)

var (
	// ErasePerson has a service erase the names of a person: as many as it can in a few seconds.
	ErasePerson = reference.Contract[Query, Part]{Path: "/persons/erase", Deadline: Deadline, Timeout: timeout}

	// ExportPerson gives what a service has about a person.
	ExportPerson = reference.Contract[Query, Part]{Path: "/persons/export", Deadline: Deadline, Timeout: timeout, Repeatable: true}

	// EraseContact has a service erase the contact data that has an e-mail address.
	EraseContact = reference.Contract[ContactQuery, Part]{Path: "/contacts/erase", Deadline: Deadline, Timeout: timeout}

	// ExportContact gives the records whose contact data has an e-mail address.
	ExportContact = reference.Contract[ContactQuery, Part]{Path: "/contacts/export", Deadline: Deadline, Timeout: timeout, Repeatable: true}
)

// Query names a person of the caller's organization, by the id of the user.
type Query struct {
	ID    string `json:"id" required:"true" format:"uuid"`
	After string `json:"after,omitempty" maxLength:"1000" doc:"The next of the call before; empty at first."`
}

// ContactQuery names a person who is no user, by the e-mail address that is stored with what they requested.
type ContactQuery struct {
	Email string `json:"email" required:"true" maxLength:"254"`
	After string `json:"after,omitempty" maxLength:"1000" doc:"The next of the call before; empty at first."`
}

// Part is what one call did, or found, in the tables of one service. The caller goes on with Next until that is empty.
type Part struct {
	Rows    map[string]int64             `json:"rows"` // by table
	Records map[string][]json.RawMessage `json:"records,omitempty"`
	Next    string                       `json:"next"`
}
