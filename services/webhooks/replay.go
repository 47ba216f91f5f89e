package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// retention is how long events, deliveries and attempts are stored.
const retention = 30 * 24 * time.Hour

// Replay is a job that delivers past events once more.
type Replay struct {
	ID         string          `json:"id" format:"uuid" doc:"Of the replay."`
	EndpointID string          `json:"endpoint_id" format:"uuid"`
	Since      string          `json:"since" format:"date-time" doc:"Events of this time and later."`
	EventTypes []string        `json:"event_types" doc:"Only these; empty for all that the endpoint takes."`
	State      string          `json:"state" enum:"pending,running,done" doc:"done: every delivery was made, and is on its way or has been received."`
	Queued     int64           `json:"queued" doc:"Deliveries that it has made so far."`
	CreatedAt  string          `json:"created_at" format:"date-time"`
	CreatedBy  principal.Actor `json:"created_by"`
	FinishedAt *string         `json:"finished_at" format:"date-time"`
}

// Location implements transport.Located.
func (r Replay) Location() string {
	return "/v1/webhook-endpoints/" + r.EndpointID + "/replays/" + r.ID
}

// Replays is a page of them.
type Replays struct {
	Data       []Replay             `json:"data"`
	Pagination transport.Pagination `json:"pagination"`
}

// Pages implements transport.Paged.
func (l Replays) Pages() transport.Pages { return l.Pagination.Pages() }

// replayInput is the request of a replay.
type replayInput struct {
	ID         string   `path:"id" format:"uuid" doc:"Of the endpoint."`
	Since      string   `json:"since" required:"true" format:"date-time" doc:"Events of this time and later; at most 30 days ago." example:"2026-05-11T00:00:00Z"`
	EventTypes []string `json:"event_types" maxItems:"100" maxLength:"100" uniqueItems:"true" doc:"Only these types or patterns. Without it: all that the endpoint takes." example:"[\"asset.*\"]"`
}

// replaysRequest asks for the replays of an endpoint.
type replaysRequest struct {
	page
	ID string `path:"id" format:"uuid" doc:"Of the endpoint."`
}

// replayRequest names a replay.
type replayRequest struct {
	ID       string `path:"id" format:"uuid" doc:"Of the endpoint."`
	ReplayID string `path:"replay_id" format:"uuid" doc:"Of the replay."`
}

func (p public) mountReplays() {
	path := "/v1/webhook-endpoints/{id}/replay"
	transport.Post(p.registry.API, transport.Operation{
		Path: path, ID: "replay_webhook_endpoint", BodyName: "WebhookReplayRequest", ResponseName: "WebhookReplay", Scope: scope + ":write",
		Status: 201, Summary: "Deliver past events to a webhook endpoint once more",
		Description: "Everything that the endpoint takes and that is kept, from a time on: after an outage on your side, or to fill a new " +
			"copy. Each event comes with the webhook-id that it always had. The work goes on by itself, also over a restart; GET tells how far it " +
			"is. New events of the endpoint follow behind it, so that the last about a record stays the newest. 409 while another replay of the " +
			"endpoint runs.",
		Parameters: []transport.Parameter{{Name: "Idempotency-Key", In: "header",
			Description: "Up to 255 characters; the first answer is kept for 24 hours and given again.",
			Schema:      map[string]any{"type": "string", "maxLength": 255}}},
	}, p.replay)
	transport.Get(p.registry.API, transport.Operation{
		Path: path + "s", ID: "list_webhook_replays", ResponseName: "WebhookReplayList", RowName: "WebhookReplay", Scope: scope + ":read",
		Summary: "List the replays of a webhook endpoint", Description: "Newest first.",
	}, p.listReplays)
	transport.Get(p.registry.API, transport.Operation{
		Path: path + "s/{replay_id}", ID: "get_webhook_replay", ResponseName: "WebhookReplay", Scope: scope + ":read",
		Summary: "Get a replay of a webhook endpoint", Description: "How far it is.",
	}, p.getReplay)
}

// check checks what needs no query.
func (in replayInput) check(now time.Time) (since time.Time, problems schema.Problems) {
	since, err := time.Parse(time.RFC3339Nano, in.Since)
	switch {
	case err != nil:
		problems.Add("since", "must be a time as in 2026-01-31T14:00:00Z")
	case since.After(now):
		problems.Add("since", "is in the future; name a time from which on events are to be delivered once more")
	case since.Before(now.Add(-retention)):
		problems.Add("since", "is more than 30 days ago, and events "+
			"are not kept that long; the earliest is %s", now.Add(-retention).UTC().Truncate(time.Second).Add(time.Second).Format(time.RFC3339))
	}
	if len(in.EventTypes) > 0 {
		checkPatterns(in.EventTypes, "event_types", problems.Add)
	}
	return since, problems
}

func (p public) replay(ctx context.Context, in replayInput) (made Replay, err error) {
	since, problems := in.check(p.now())
	if err := problems.Err(); err != nil {
		return made, err
	}
	caller := principal.From(ctx)
	actor, err := json.Marshal(caller.Actor)
	if err != nil {
		return made, err
	}
	err = p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := p.checkReplay(ctx, tx, in); err != nil {
			return err
		}
		// The first sequence is read before the feed is locked: new events get later ones.
		var next *int64
		if err := tx.QueryRow(ctx, `SELECT min(sequence) FROM event WHERE organization_id = $1 AND at >= $2`, caller.OrganizationID,
			since).Scan(&next); err != nil {
			return err
		}
		var last int64
		err := tx.QueryRow(ctx, `INSERT INTO feed AS f (organization_id) VALUES ($1)
			ON CONFLICT (organization_id) DO UPDATE SET last_sequence = f.last_sequence RETURNING f.last_sequence`,
			caller.OrganizationID).Scan(&last)
		if err != nil {
			return err
		}
		if err := lockEndpoint(ctx, tx, in.ID); err != nil {
			return err
		}
		if err := refuseSecondReplay(ctx, tx, in.ID); err != nil {
			return err
		}
		if next == nil {
			next = new(last + 1)
		}
		id := newID()
		if _, err := tx.Exec(ctx, `INSERT INTO replay
				(organization_id, id, endpoint_id, since, event_types, next_sequence, until_sequence, created_at, created_by)
			VALUES ($1, $2, $3, $4, $5::text[], $6, $7, clock_timestamp(), $8::jsonb)`,
			caller.OrganizationID, id, in.ID, since, patternsOrNull(in.EventTypes), *next, last, string(actor)); err != nil {
			return err
		}
		if made, err = findReplay(ctx, tx, in.ID, id); err != nil {
			return err
		}
		return p.registry.Audit(ctx, tx, "webhook_endpoints", in.ID, "replayed",
			map[string]any{"replay_id": id, "since": made.Since, "event_types": made.EventTypes})
	})
	return made, postgres.Fault(err, nil)
}

func patternsOrNull(patterns []string) any {
	if len(patterns) == 0 {
		return nil
	}
	return patterns
}

// checkReplay rejects types that the endpoint does not subscribe to: a replay repeats deliveries and adds none.
func (p public) checkReplay(ctx context.Context, tx pgx.Tx, in replayInput) error {
	var subscribed []string
	err := tx.QueryRow(ctx, `SELECT event_types FROM webhook_endpoint WHERE organization_id = $1 AND id = $2`,
		principal.From(ctx).OrganizationID, in.ID).Scan(&subscribed)
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.NotFound("webhook endpoint", in.ID)
	}
	if err != nil {
		return err
	}
	var problems schema.Problems
	for i, pattern := range in.EventTypes {
		fits := false
		for _, t := range typesOf([]string{pattern}) {
			for _, other := range subscribed {
				fits = fits || patternMatches(other, t.Name)
			}
		}
		if !fits {
			problems.Add(fmt.Sprintf("event_types[%d]", i), "%s is nothing that this endpoint takes; its event_types say what it does", pattern)
		}
	}
	return problems.Err()
}

// refuseSecondReplay is a 409 while another replay of the endpoint is open.
func refuseSecondReplay(ctx context.Context, tx pgx.Tx, endpointID string) error {
	var running string
	err := tx.QueryRow(ctx, `SELECT id::text FROM replay WHERE organization_id = $1 AND endpoint_id = $2 AND state <> 'done'`,
		principal.From(ctx).OrganizationID, endpointID).Scan(&running)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	refusal := fault.Conflict("replay_running", "id", endpointID, "A replay of this endpoint is running already: %s. Wait until it is done, "+
		"then ask again.", running)
	refusal.ExistingID = running
	return refusal
}

const replayColumns = "r.id::text, r.endpoint_id::text, r.since, r.event_types, r.state, r.queued, r.created_at, r.created_by, " +
	"r.finished_at"

func scanReplay(row pgx.CollectableRow) (Replay, error) {
	var r Replay
	var since, created time.Time
	var finished *time.Time
	var actor []byte
	if err := row.Scan(&r.ID, &r.EndpointID, &since, &r.EventTypes, &r.State, &r.Queued, &created, &actor, &finished); err != nil {
		return r, err
	}
	if r.EventTypes == nil {
		r.EventTypes = []string{}
	}
	r.Since, r.CreatedAt, r.FinishedAt = *formatTime(&since), *formatTime(&created), formatTime(finished)
	return r, json.Unmarshal(actor, &r.CreatedBy)
}

func (p public) listReplays(ctx context.Context, in replaysRequest) (Replays, error) {
	list := Replays{Data: []Replay{}}
	err := p.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := requireEndpoint(ctx, tx, in.ID); err != nil {
			return err
		}
		organization := principal.From(ctx).OrganizationID
		var total int64
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM replay WHERE organization_id = $1 AND endpoint_id = $2`, organization,
			in.ID).Scan(&total); err != nil {
			return err
		}
		list.Pagination = in.of(total)
		rows, err := tx.Query(ctx, "SELECT "+replayColumns+` FROM replay r WHERE r.organization_id = $1 AND r.endpoint_id = $2
			ORDER BY r.created_at DESC, r.id DESC LIMIT $3 OFFSET $4`, organization, in.ID, in.PerPage, in.offset())
		if err != nil {
			return err
		}
		list.Data, err = pgx.CollectRows(rows, scanReplay)
		return err
	})
	return list, postgres.Fault(err, nil)
}

func (p public) getReplay(ctx context.Context, in replayRequest) (found Replay, err error) {
	err = p.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := requireEndpoint(ctx, tx, in.ID); err != nil {
			return err
		}
		found, err = findReplay(ctx, tx, in.ID, in.ReplayID)
		return err
	})
	return found, postgres.Fault(err, nil)
}

func findReplay(ctx context.Context, tx pgx.Tx, endpointID, id string) (Replay, error) {
	rows, err := tx.Query(ctx, "SELECT "+replayColumns+" FROM replay r WHERE r.organization_id = $1 AND r.endpoint_id = $2 AND r.id = $3",
		principal.From(ctx).OrganizationID, endpointID, id)
	if err != nil {
		return Replay{}, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, scanReplay)
	if errors.Is(err, pgx.ErrNoRows) {
		err = fault.NotFound("replay", id)
	}
	return found, err
}
