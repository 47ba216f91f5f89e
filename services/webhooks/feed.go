package webhooks

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

const (
	// scanWindow is how many events one query of the feed scans at most, also when the caller may read few of them.
	scanWindow = 10_000
	// maxFeedBytes limits a response, which then ends early and says has_more.
	maxFeedBytes = 8 << 20
	// recheckInterval is how often a long poll queries again: it is not notified of events that another instance has received.
	recheckInterval = time.Second
	// responseReserve is the part of an operation's time that a long poll leaves for the response.
	responseReserve = 2 * time.Second
)

// feedRequest asks for events.
type feedRequest struct {
	After *string  `query:"after" maxLength:"100" doc:"The next of the answer before. To begin: now for what happens from now on, or a time such as 2026-05-11T00:00:00Z for what happened then and later. Without it: from the oldest that is kept."`
	Limit int      `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"Events at most."`
	Types []string `query:"types" doc:"Types or patterns such as work_order.* or *.deleted; comma between several. Without it: all."`
	Wait  int      `query:"wait" default:"0" minimum:"0" maximum:"30" doc:"Seconds to wait for an event where there is none yet."`
}

// Feed is a part of the feed.
type Feed struct {
	Data    []json.RawMessage `json:"data"`
	Next    string            `json:"next" doc:"Where to go on: after= of the next call."`
	HasMore bool              `json:"has_more" doc:"There is more already: call again at once."`
}

// Pages implements transport.Paged: while there is more, the feed leads on.
func (f Feed) Pages() transport.Pages {
	if !f.HasMore {
		return transport.Pages{}
	}
	return transport.Pages{Cursor: f.Next, By: "after"}
}

func (p public) mountFeed() {
	list := map[string]any{"type": "object", "required": []string{"data", "next", "has_more"}, "properties": map[string]any{
		"data": map[string]any{"type": "array", "items": transport.Reference("FeedEvent")},
		"next": map[string]any{"type": "string", "description": "Where to go on: after= of the next call. Keep it, whether or not there " +
			"were events."},
		"has_more": map[string]any{"type": "boolean", "description": "There is more already: call again at once. An answer may be empty and " +
			"have more."},
	}}
	transport.Get(p.registry.API, transport.Operation{
		Path: "/v1/events", ID: "list_events", ResponseName: "EventList", Scope: scope + ":read", Summary: "Read the feed of events",
		Description: "Every event of the organization, in the order in which they were committed, without a gap: for those who cannot receive " +
			"calls. Events about records that the key may not read are left out. With wait, an answer comes as soon as there is an event, and " +
			"after that many seconds in any case. after=now begins with what happens from now on, after= and a time with what happened then. " +
			"Events are kept for 30 days; an older cursor or time is a 400 with the code cursor_expired and, in allowed, the cursor to start " +
			"again from.",
		Response: list,
	}, p.readFeed)
}

func (p public) readFeed(ctx context.Context, in feedRequest) (Feed, error) {
	var problems schema.Problems
	checkFilter(in.Types, "types", problems.Add)
	caller := principal.From(ctx)
	r := feedReader{public: p, types: readableBy(caller, in.Types), limit: in.Limit, from: -1}
	if in.After != nil {
		if err := r.startAfter(caller.OrganizationID, *in.After); err != nil {
			return Feed{}, err
		}
	}
	if err := problems.Err(); err != nil {
		return Feed{}, err
	}
	wait := time.Duration(in.Wait) * time.Second
	if deadline, has := ctx.Deadline(); has {
		wait = min(wait, time.Until(deadline)-responseReserve)
	}
	timeout := time.NewTimer(max(wait, 0))
	defer timeout.Stop()
	for {
		newEvents := p.feedWaiters.nextEvents(caller.OrganizationID) // before the query, so that no event comes in between
		feed, err := r.read(ctx)
		if err != nil || len(feed.Data) > 0 || feed.HasMore || wait <= 0 {
			return feed, err
		}
		select {
		case <-newEvents:
		case <-time.After(recheckInterval):
		case <-timeout.C:
			return feed, nil
		case <-p.feedWaiters.ended: // this process ends; another serves the next call
			return feed, nil
		case <-ctx.Done():
			return feed, ctx.Err()
		}
	}
}

// feedReader reads the feed from a sequence on.
type feedReader struct {
	public
	types readableTypes
	limit int
	from  int64     // -1: the first read finds it by start
	start feedStart // the oldest event that is kept, where it says nothing else
}

// feedStart is where a reader starts that has no cursor.
type feedStart struct {
	now bool // behind the newest event
	at  *time.Time
}

// afterNow is after for what happens from now on.
const afterNow = "now"

// startAfter has the reader start where after says: behind a cursor, now, or at a time.
func (r *feedReader) startAfter(organizationID, after string) error {
	if sequence, known := readCursor(organizationID, after); known {
		r.from = sequence
		return nil
	}
	if r.start.now = after == afterNow; r.start.now {
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, after)
	switch {
	case err != nil:
		return unknownCursor()
	case at.After(r.now()):
		return fault.InvalidFields(fault.Field{Field: "after", Message: "is in the future; give now for what happens from now on"})
	}
	r.start.at = &at
	return nil
}

// findStart gives the sequence to start behind. Behind that of a time is everything that happened then or later, and maybe something that
// happened before and was committed later.
func (r *feedReader) findStart(ctx context.Context, tx pgx.Tx, organization string, last, purged int64) (from int64, err error) {
	switch {
	case r.start.now:
		return last, nil
	case r.start.at == nil:
		return purged, nil
	case r.start.at.Before(r.now().Add(-retention)):
		return 0, expiredCursor(cursor(organization, purged))
	}
	err = tx.QueryRow(ctx, `SELECT coalesce(min(sequence) - 1, $3) FROM event WHERE organization_id = $1 AND at >= $2`, organization,
		*r.start.at, last).Scan(&from)
	return from, err
}

// readableTypes are the types that a caller has asked for and may read. Types in names are about records of one collection. Types
// in anyCollection are about records of any; of those the caller may read the ones about collections.
// Events about records on others are of those that are on records of seenWith.
type readableTypes struct{ names, anyCollection, collections, seenWith []string }

func readableBy(p principal.Principal, patterns []string) readableTypes {
	readable := readableTypes{[]string{}, []string{}, []string{}, []string{}}
	for row := range catalogue.Product().Collections() {
		if mayReadRecords(p, row) {
			readable.seenWith = append(readable.seenWith, row.Name)
		}
	}
	for t := range catalogue.Product().EventTypes() {
		if len(patterns) > 0 && !slices.ContainsFunc(patterns, func(pattern string) bool { return patternMatches(pattern, t.Name) }) {
			continue
		}
		if t.Scope == "" {
			readable.anyCollection = append(readable.anyCollection, t.Name)
		} else if mayRead(p, t.Name, t.Collection) {
			readable.names = append(readable.names, t.Name)
		}
	}
	if len(readable.anyCollection) == 0 {
		return readable
	}
	for t := range catalogue.Product().EventTypes() {
		if t.Collection != "" && !slices.Contains(readable.collections, t.Collection) && mayRead(p, readable.anyCollection[0], t.Collection) {
			readable.collections = append(readable.collections, t.Collection)
		}
	}
	return readable
}

// read reads what there is now, and moves the reader on.
func (r *feedReader) read(ctx context.Context) (Feed, error) {
	feed := Feed{Data: []json.RawMessage{}}
	organization := principal.From(ctx).OrganizationID
	err := r.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var last, purged int64
		err := tx.QueryRow(ctx, `SELECT coalesce(max(last_sequence), 0), coalesce(max(purged_sequence), 0) FROM feed WHERE organization_id = $1`,
			organization).Scan(&last, &purged)
		if err != nil {
			return err
		}
		if r.from < 0 {
			if r.from, err = r.findStart(ctx, tx, organization, last, purged); err != nil {
				return err
			}
		}
		switch {
		case r.from > last:
			return unknownCursor()
		case r.from < purged:
			return expiredCursor(cursor(organization, purged))
		}
		until := min(r.from+scanWindow, last)
		if until == r.from {
			return nil
		}
		rows, err := tx.Query(ctx, "SELECT "+messageColumns+` FROM event e WHERE e.organization_id = $1 AND e.sequence > $2 AND e.sequence <= $3
			AND (e.type = ANY($4::text[]) OR e.type = ANY($5::text[]) AND e.collection = ANY($6::text[])) AND e.seen_with <@ $7::text[]
			ORDER BY e.sequence LIMIT $8`,
			organization, r.from, until, r.types.names, r.types.anyCollection, r.types.collections, r.types.seenWith, r.limit)
		if err != nil {
			return err
		}
		defer rows.Close()
		size := 0
		for rows.Next() {
			var m message
			if err := rows.Scan(m.targets()...); err != nil {
				return err
			}
			body := m.body(false)
			feed.Data, size, r.from = append(feed.Data, body), size+len(body), *m.sequence
			if len(feed.Data) == r.limit || size >= maxFeedBytes {
				feed.HasMore = r.from < last
				return nil
			}
		}
		r.from, feed.HasMore = until, until < last
		return rows.Err()
	})
	feed.Next = cursor(organization, r.from)
	return feed, postgres.Fault(err, nil)
}

// cursor gives a sequence in an organization's feed as an opaque text.
func cursor(organizationID string, sequence int64) string {
	place := binary.BigEndian.AppendUint64(nil, uint64(sequence)) // #nosec G115 -- counts from 0
	return base64.RawURLEncoding.EncodeToString(append(place, cursorCheck(organizationID, place)...))
}

// cursorCheck gives a checksum by which a cursor is known to be this organization's, and complete.
func cursorCheck(organizationID string, place []byte) []byte {
	sum := sha256.Sum256(append([]byte("feed of "+organizationID+" "), place...))
	return sum[:4]
}

func readCursor(organizationID, text string) (sequence int64, known bool) {
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(decoded) != 12 || !slices.Equal(decoded[8:], cursorCheck(organizationID, decoded[:8])) {
		return 0, false
	}
	sequence = int64(binary.BigEndian.Uint64(decoded[:8])) // #nosec G115 -- checked to be ours, which count from 0
	return sequence, sequence >= 0
}

func unknownCursor() error {
	refusal := fault.InvalidFields(fault.Field{Field: "after", Message: "is not a cursor of this organization's feed; give the next of an " +
		"answer, now, a time such as 2026-05-11T00:00:00Z, or leave it out to start with the oldest event that is kept"})
	refusal.Code = "unknown_cursor"
	return refusal
}

func expiredCursor(start string) error {
	refusal := fault.InvalidFields(fault.Field{Field: "after", Message: fmt.Sprintf("is older than the events that are kept (30 days), so "+
		"some are missed; start again from after=%s and read the records that you keep anew", start)})
	refusal.Code, refusal.Allowed = "cursor_expired", []string{start}
	return refusal
}
