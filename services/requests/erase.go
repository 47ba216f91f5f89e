package requests

import (
	"context"

	"ams.internal/libs/contacts"
)

// eraseContacts erases the contact data of requests that have ended, when its time is over.
func (d desk) eraseContacts(ctx context.Context) error {
	return d.contacts().Erase(ctx)
}

func (d desk) contacts() contacts.Data {
	return contacts.Data{Registry: d.registry, Service: "requests", Actor: serviceName, Collection: "requests", Table: "request",
		Fields: []string{"requester_name", "requester_email", "requester_phone"}, EndedAt: "r.ended_at", Now: d.now}
}
