package reference

import (
	"encoding/json"

	"ams.internal/libs/principal"
)

// Changes is a service's part of the audit trail. It is for administrators.
var Changes = Contract[ChangesQuery, ChangesPage]{Path: "/changes", Repeatable: true}

// ChangesQuery asks a service for the writes of one organization, newest first: this service's part of the audit trail.
type ChangesQuery struct {
	ActorID  *string `json:"actor_id" maxLength:"100" doc:"Only what this key or person did."`
	RecordID *string `json:"record_id" format:"uuid" doc:"Only what was done to this record."`
	From     *string `json:"from" format:"date-time" doc:"At this time or later."`
	To       *string `json:"to" format:"date-time" doc:"Before this time."`
	Before   *string `json:"before" maxLength:"100" doc:"Only what comes after this cursor, that is: what is older."`
	Limit    int     `json:"limit" default:"50" minimum:"1" maximum:"1001"`
}

// ChangesPage is a page of writes, newest first.
type ChangesPage struct {
	Data []RecordedWrite `json:"data"`
}

// RecordedWrite is one write of one record.
type RecordedWrite struct {
	ID        string           `json:"id"`
	At        string           `json:"at"`
	Actor     principal.Actor  `json:"actor"`
	Action    string           `json:"action"` // "asset.updated"
	Subject   RecordedSubject  `json:"subject"`
	Changes   *json.RawMessage `json:"changes"` // {"field": {"old": …, "new": …}}
	Address   string           `json:"address"`
	RequestID string           `json:"request_id"`
}

// RecordedSubject is the record that was written.
type RecordedSubject struct {
	Type string `json:"type"` // "asset"
	ID   string `json:"id"`
	Name string `json:"name"` // what the record is called now; of one that is gone, what it was called last
}
