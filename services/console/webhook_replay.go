package console

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/fault"
)

// replay is a job that sends the events since a time again.
type replay struct {
	ID         string   `json:"id"`
	Since      string   `json:"since"`
	EventTypes []string `json:"event_types"`
	State      string   `json:"state"`
	Queued     int      `json:"queued"` // deliveries so far
	CreatedAt  string   `json:"created_at"`
	FinishedAt *string  `json:"finished_at"`
}

// Over reports whether the replay has finished.
func (r replay) Over() bool { return r.State == "done" }

// replays returns the last replays of an endpoint, the newest first.
func (req *pageRequest) replays(endpoint string) ([]replay, error) {
	var list struct{ Data []replay }
	err := req.callWebhooks(http.MethodGet, "/v1/webhook-endpoints/"+endpoint+"/replays?per_page=5", nil, &list)
	return list.Data, err
}

// retentionDays is how long events can be sent again.
const retentionDays = 30

// minute is the format of a time in a browser's field.
const minute = "2006-01-02T15:04"

type replayFormPage struct {
	Form        *form
	Endpoint    webhookEndpoint
	Sent        string
	First, Last string
	Zone        string
	Days        int
}

// newReplay shows the form with the time since which the endpoint fails, or with the last hour.
func newReplay(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	since := req.today().Add(-time.Hour)
	if found.FailingSince != nil {
		if at, err := time.Parse(time.RFC3339, *found.FailingSince); err == nil {
			since = at.In(req.zone)
		}
	}
	return req.showReplayForm(http.StatusOK, found, &form{values: url.Values{"since": {since.Format(minute)}}})
}

func (req *pageRequest) showReplayForm(status int, of webhookEndpoint, f *form) error {
	return req.show(status, "webhook_replay", req.language.translate("webhook_replay.title"), replayFormPage{
		f, of, newFormID(), req.today().AddDate(0, 0,
			-retentionDays).Format(minute), req.today().Format(minute), req.zone.String(), retentionDays,
	})
}

func startReplay(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	f := req.readForm()
	since, err := time.ParseInLocation(minute, f.Value("since"), req.zone)
	switch {
	case err != nil:
		f.add("since", req.language.translate("problem.webhook.since.unreadable"))
	case since.After(time.Now()):
		f.add("since", req.language.translate("problem.webhook.since.future"))
	case since.Before(req.today().AddDate(0, 0, -retentionDays).Add(-time.Hour)):
		f.add("since", req.language.translate("problem.webhook.since.far", retentionDays))
	}
	chosen := nonEmpty(f.values["event_types"])
	if slices.ContainsFunc(chosen, func(name string) bool { return !slices.Contains(found.EventTypes, name) }) {
		f.add("event_types", req.language.translate("problem.webhook.rule.event_types"))
	}
	if f.hasProblems() {
		return req.showReplayForm(http.StatusBadRequest, found, f)
	}
	path := "/settings/webhooks/" + found.ID
	first, err := req.claimForm(req.ctx(), req.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return req.redirectWithNotice(path, "already_sent")
	}
	wanted := map[string]any{"since": since.UTC().Format(time.RFC3339)}
	if len(chosen) > 0 {
		wanted["event_types"] = chosen
	}
	var made replay
	err = req.callWebhooks(http.MethodPost, "/v1/webhook-endpoints/"+found.ID+"/replay", wanted, &made)
	if e := faultOf(err); e != nil && (e.Kind == fault.KindInvalid || e.Kind == fault.KindConflict) {
		f.addDetail("since", req.language.translate("problem.webhook.since.refused"), e.Message)
		return req.showReplayForm(http.StatusBadRequest, found, f)
	}
	if err != nil {
		return err
	}
	return req.redirectWithNotice(path+"/replays/"+made.ID, "replay_started")
}

type replayPage struct {
	Endpoint webhookEndpoint
	Replay   replay
}

func showReplay(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	id := req.r.PathValue("replay")
	if uuid.Validate(id) != nil {
		return req.refuseUnknown("webhook_replay", id, notFound)
	}
	shown := replayPage{Endpoint: found}
	if err := req.callWebhooks(http.MethodGet, "/v1/webhook-endpoints/"+found.ID+"/replays/"+id, nil, &shown.Replay); err != nil {
		return req.refuseUnknown("webhook_replay", id, err)
	}
	return req.show(http.StatusOK, "replay", req.language.translate("replay.title"), shown)
}
