package main

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/fault"
)

// replay is a job that sends again what happened since a time.
type replay struct {
	ID         string   `json:"id"`
	Since      string   `json:"since"`
	EventTypes []string `json:"event_types"`
	State      string   `json:"state"`
	Queued     int      `json:"queued"` // deliveries so far
	CreatedAt  string   `json:"created_at"`
	FinishedAt *string  `json:"finished_at"`
}

// Over says whether it goes on no more.
func (r replay) Over() bool { return r.State == "done" }

// replays are the last ones of an endpoint, the newest first.
func (v *visit) replays(endpoint string) ([]replay, error) {
	var list struct{ Data []replay }
	err := v.hooks(http.MethodGet, "/v1/webhook-endpoints/"+endpoint+"/replays?per_page=5", nil, &list)
	return list.Data, err
}

// keptDays is how long events can be sent again.
const keptDays = 30

// minute is how a browser writes a time of a day.
const minute = "2006-01-02T15:04"

type replayFormPage struct {
	Form        *form
	Endpoint    webhookEndpoint
	Sent        string
	First, Last string
	Zone        string
	Days        int
}

// askReplay proposes the time since when the endpoint fails, or the last hour.
func askReplay(v *visit) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	since := v.today().Add(-time.Hour)
	if found.FailingSince != nil {
		if at, err := time.Parse(time.RFC3339, *found.FailingSince); err == nil {
			since = at.In(v.zone)
		}
	}
	return v.askReplayOf(http.StatusOK, found, &form{values: url.Values{"since": {since.Format(minute)}}})
}

func (v *visit) askReplayOf(status int, of webhookEndpoint, f *form) error {
	return v.show(status, "webhook_replay", v.language.say("webhook_replay.title"), replayFormPage{
		f, of, newFormID(), v.today().AddDate(0, 0, -keptDays).Format(minute), v.today().Format(minute), v.zone.String(), keptDays,
	})
}

func startReplay(v *visit) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	f := v.typed()
	since, err := time.ParseInLocation(minute, f.Value("since"), v.zone)
	switch {
	case err != nil:
		f.add("since", v.language.say("problem.webhook.since.unreadable"))
	case since.After(time.Now()):
		f.add("since", v.language.say("problem.webhook.since.future"))
	case since.Before(v.today().AddDate(0, 0, -keptDays).Add(-time.Hour)):
		f.add("since", v.language.say("problem.webhook.since.far", keptDays))
	}
	chosen := given(f.values["event_types"])
	if slices.ContainsFunc(chosen, func(name string) bool { return !slices.Contains(found.EventTypes, name) }) {
		f.add("event_types", v.language.say("problem.webhook.rule.event_types"))
	}
	if f.wrong() {
		return v.askReplayOf(http.StatusBadRequest, found, f)
	}
	path := "/settings/webhooks/" + found.ID
	first, err := v.takeForm(v.ctx(), v.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return v.leadWith(path, "already_sent")
	}
	wanted := map[string]any{"since": since.UTC().Format(time.RFC3339)}
	if len(chosen) > 0 {
		wanted["event_types"] = chosen
	}
	var made replay
	err = v.hooks(http.MethodPost, "/v1/webhook-endpoints/"+found.ID+"/replay", wanted, &made)
	if e := faultOf(err); e != nil && (e.Kind == fault.KindInvalid || e.Kind == fault.KindConflict) {
		f.addSaid("since", v.language.say("problem.webhook.since.refused"), e.Message)
		return v.askReplayOf(http.StatusBadRequest, found, f)
	}
	if err != nil {
		return err
	}
	return v.leadWith(path+"/replays/"+made.ID, "replay_started")
}

type replayPage struct {
	Endpoint webhookEndpoint
	Replay   replay
}

func showReplay(v *visit) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	id := v.r.PathValue("replay")
	if uuid.Validate(id) != nil {
		return v.stranger("webhook_replay", id, notFound)
	}
	shown := replayPage{Endpoint: found}
	if err := v.hooks(http.MethodGet, "/v1/webhook-endpoints/"+found.ID+"/replays/"+id, nil, &shown.Replay); err != nil {
		return v.stranger("webhook_replay", id, err)
	}
	return v.show(http.StatusOK, "replay", v.language.say("replay.title"), shown)
}
