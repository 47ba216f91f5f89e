package reference

import (
	"context"
	"encoding/json"
	"time"
)

const (
	// PersonDeadline is how long a service may take for one call about a person.
	PersonDeadline = 25 * time.Second
	// personTimeout is how long a caller waits for it: long enough to learn that it took too long.
	personTimeout = 30 * time.Second
)

// PersonQuery names a person of the caller's organization, by the id of the user.
type PersonQuery struct {
	ID    string `json:"id" required:"true" format:"uuid"`
	After string `json:"after,omitempty" maxLength:"1000" doc:"The next of the call before; empty at first."`
}

// ContactQuery names a person who is no user, by the e-mail address that is stored with what they requested.
type ContactQuery struct {
	Email string `json:"email" required:"true" maxLength:"254"`
	After string `json:"after,omitempty" maxLength:"1000" doc:"The next of the call before; empty at first."`
}

// PersonPart is what one call did, or found, in the tables of one service. The caller goes on with Next until that is empty.
type PersonPart struct {
	Rows    map[string]int64             `json:"rows"` // by table
	Records map[string][]json.RawMessage `json:"records,omitempty"`
	Next    string                       `json:"next"`
}

// ErasePerson has a service erase the names of a person: as many as it can in a few seconds. It may be repeated.
func (c *Client) ErasePerson(ctx context.Context, service string, query PersonQuery) (part PersonPart, err error) {
	err = c.Patient(personTimeout).Post(ctx, service, "/internal/persons/erase", query, &part)
	return part, err
}

// ExportPerson gives what a service has about a person.
func (c *Client) ExportPerson(ctx context.Context, service string, query PersonQuery) (part PersonPart, err error) {
	err = c.Patient(personTimeout).Ask(ctx, service, "/internal/persons/export", query, &part)
	return part, err
}

// EraseContact has a service erase the contact data that has an e-mail address.
func (c *Client) EraseContact(ctx context.Context, service string, query ContactQuery) (part PersonPart, err error) {
	err = c.Patient(personTimeout).Post(ctx, service, "/internal/contacts/erase", query, &part)
	return part, err
}

// ExportContact gives the records whose contact data has an e-mail address.
func (c *Client) ExportContact(ctx context.Context, service string, query ContactQuery) (part PersonPart, err error) {
	err = c.Patient(personTimeout).Ask(ctx, service, "/internal/contacts/export", query, &part)
	return part, err
}
