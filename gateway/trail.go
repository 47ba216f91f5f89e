package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
)

// recorders are the services that keep a history of what is written through them.
var recorders = []string{"assets", "infrastructure", "los", "mcp", "projects", "users", "webhooks", "workorders"}

// recorderPatience is how long a trail waits for a service before it says that its entries are missing.
const recorderPatience = 4 * time.Second

// auditEntry is one line of the trail.
type auditEntry struct {
	ID        string          `json:"id"`
	At        string          `json:"at"`
	Actor     principal.Actor `json:"actor"`
	Action    string          `json:"action"`
	Subject   subject         `json:"subject"`
	Changes   json.RawMessage `json:"changes"`
	Address   string          `json:"address"`
	RequestID string          `json:"request_id"`
	Origin    string          `json:"origin"` // the service that keeps the entry
}

func (e auditEntry) cursor() string { return e.At + "_" + e.ID }

type trailQuery struct {
	byOrganization
	Key    *string `query:"key" format:"uuid"`
	Person *string `query:"person" format:"uuid"`
	Record *string `query:"record" format:"uuid"`
	From   *string `query:"from" maxLength:"40"`
	To     *string `query:"to" maxLength:"40"`
	After  *string `query:"after" maxLength:"100"`
	Limit  int     `query:"limit" default:"50" minimum:"1" maximum:"1000"`
}

// span is the part of a trail that is asked for: from ≤ at < to, and before the cursor (at, id). What is nil bounds nothing.
type span struct{ from, to, at, id *string }

// trailPage is a part of the trail, newest first. Next, for after, is null on the last page. Missing names services that are
// away: what was written through them is not on this page, though it is not lost.
type trailPage struct {
	Data    json.RawMessage `json:"data"`
	Next    *string         `json:"next"`
	Missing json.RawMessage `json:"missing"`
}

// trail gives one trail of everything: the gateway's own entries about keys, sign-ins and plans, and every write, which the
// services keep as history, in the transaction of the write itself.
func (o *operator) trail(ctx context.Context, in trailQuery) (trailPage, error) {
	ctx, err := enter(ctx, in.ID, roleOperator, roleService, roleAdministrator)
	if err != nil {
		return trailPage{}, err
	}
	wanted, err := in.span()
	if err != nil {
		return trailPage{}, err
	}
	entries, err := o.ownEntries(ctx, in, wanted)
	if err != nil {
		return trailPage{}, err
	}
	written, missing := o.writtenEntries(ctx, in, wanted)
	entries = append(entries, written...)
	slices.SortFunc(entries, func(a, b auditEntry) int { return strings.Compare(b.cursor(), a.cursor()) })
	page := trailPage{}
	if len(entries) > in.Limit {
		entries = entries[:in.Limit]
		next := entries[in.Limit-1].cursor()
		page.Next = &next
	}
	if page.Missing, err = json.Marshal(missing); err != nil {
		return trailPage{}, err
	}
	page.Data, err = json.Marshal(entries)
	return page, err
}

// writtenEntries asks every service for its part.
func (o *operator) writtenEntries(ctx context.Context, in trailQuery, wanted span) (entries []auditEntry, missing []string) {
	missing = []string{}
	actor := in.Person
	if in.Key != nil {
		if actor != nil && *actor != *in.Key {
			return nil, missing // nothing is written by two
		}
		actor = in.Key
	}
	question := map[string]any{"actor_id": actor, "record_id": in.Record, "from": wanted.from, "to": wanted.to, "before": in.After, "limit": in.Limit + 1}
	p := principal.From(ctx)
	p.Actor = principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	ctx, cancel := context.WithTimeout(principal.Into(ctx, p), recorderPatience)
	defer cancel()
	var asking sync.WaitGroup
	var mu sync.Mutex
	for _, service := range recorders {
		asking.Go(func() {
			var answer struct {
				Data []auditEntry `json:"data"`
			}
			err := o.users.Post(ctx, service, "/internal/changes", question, &answer)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				o.gateway.log.WarnContext(ctx, "a service did not tell what was written through it", "service", service, "error", err)
				missing = append(missing, service)
				return
			}
			for _, e := range answer.Data {
				e.Origin = service
				entries = append(entries, e)
			}
		})
	}
	asking.Wait()
	slices.Sort(missing)
	return entries, missing
}

// span reads the bounds. A date stands for its whole day, UTC.
func (in trailQuery) span() (wanted span, err error) {
	var problems schema.Problems
	bound := func(name string, given *string, days int) *string {
		if given == nil {
			return nil
		}
		at, err := time.Parse(time.DateOnly, *given)
		if err == nil {
			at = at.AddDate(0, 0, days)
		} else if at, err = time.Parse(time.RFC3339Nano, *given); err != nil {
			problems.Add(name, "must be a date such as 2026-05-31 or a time such as 2026-05-31T08:00:00Z")
			return nil
		}
		text := timestamp(at)
		return &text
	}
	wanted.from, wanted.to = bound("from", in.From, 0), bound("to", in.To, 1)
	if in.After != nil {
		at, id, found := strings.Cut(*in.After, "_")
		if _, err := time.Parse(time.RFC3339Nano, at); err != nil || !found || !schema.IsUUID(id) || len(at) != len(timestamp(time.Time{})) {
			problems.Add("after", "must be the next of the page before")
		}
		wanted.at, wanted.id = &at, &id
	}
	return wanted, problems.Err()
}
