package main

import (
	"net/http"
	"net/url"
	"strconv"

	"ams.internal/libs/fault"
)

func pauseWebhook(v *visit) error { return v.changeWebhook("pause", "webhook_paused") }

func resumeWebhook(v *visit) error { return v.changeWebhook("resume", "webhook_resumed") }

// changeWebhook does what needs no question: it can be undone.
func (v *visit) changeWebhook(what, done string) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	path := "/settings/webhooks/" + found.ID
	err = v.hooks(http.MethodPost, "/v1/webhook-endpoints/"+found.ID+"/"+what, struct{}{}, nil)
	if e := faultOf(err); e != nil && e.Kind == fault.KindConflict {
		return v.leadWith(path, "webhook_state_changed")
	}
	if err != nil {
		return err
	}
	return v.leadWith(path, done)
}

// testWebhook sends a test and shows at once what the receiver answered.
func testWebhook(v *visit) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	var sent delivery
	if err := v.hooksWithin(testPatience, http.MethodPost, "/v1/webhook-endpoints/"+found.ID+"/test", struct{}{}, &sent); err != nil {
		return err
	}
	return v.leadWith("/settings/webhooks/"+found.ID+"/deliveries/"+sent.ID, "webhook_tested")
}

// askDeleteWebhook says what will stop.
func askDeleteWebhook(v *visit) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	types, err := v.eventTypes()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "webhook_delete", v.language.say("webhook_delete.title"), webhookDeletePage{found, v.explained(found.EventTypes, types)})
}

type webhookDeletePage struct {
	Endpoint webhookEndpoint
	Stops    []eventBox
}

// explained puts a line beside each pattern of an endpoint.
func (v *visit) explained(patterns []string, types []eventType) []eventBox {
	var all []eventBox
	for _, pattern := range patterns {
		box := eventBox{Name: pattern}
		for _, t := range types {
			switch pattern {
			case allEvents:
				box.Line = v.language.say("event.everything")
			case t.singular() + ".*":
				box.Line = v.language.say("event.all_of", v.language.record(t.singular()))
			case t.Name:
				line, foreign := v.language.event(t)
				box.Line, box.Foreign = v.language.say("event.one_of", v.language.record(t.singular()), line), foreign
			}
		}
		all = append(all, box)
	}
	return all
}

func deleteWebhook(v *visit) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	if err := v.hooks(http.MethodDelete, "/v1/webhook-endpoints/"+found.ID, nil, nil); err != nil {
		return err
	}
	return v.leadWith("/settings/webhooks", "webhook_deleted")
}

type rotatePage struct {
	Form     *form
	Endpoint webhookEndpoint
	Sent     string
	Most     int
}

func askRotateSecret(v *visit) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	return v.askRotation(http.StatusOK, found, &form{values: url.Values{"overlap_hours": {strconv.Itoa(usualOverlap)}}})
}

func (v *visit) askRotation(status int, of webhookEndpoint, f *form) error {
	return v.show(status, "webhook_rotate", v.language.say("webhook_rotate.title"), rotatePage{f, of, newFormID(), mostOverlap})
}

// rotateSecret makes a new secret and shows it, this once. Until the old one ends, every call is signed with both.
func rotateSecret(v *visit) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	f := v.typed()
	hours, err := strconv.Atoi(f.Value("overlap_hours"))
	if err != nil || hours < 0 || hours > mostOverlap {
		f.add("overlap_hours", v.language.say("problem.webhook.overlap", mostOverlap))
		return v.askRotation(http.StatusBadRequest, found, f)
	}
	first, err := v.takeForm(v.ctx(), v.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return v.leadWith("/settings/webhooks/"+found.ID, "already_sent")
	}
	var made struct {
		Secret            string `json:"secret"`
		PreviousExpiresAt string `json:"previous_expires_at"`
	}
	err = v.hooks(http.MethodPost, "/v1/webhook-endpoints/"+found.ID+"/secret/rotate", map[string]any{"overlap_hours": hours}, &made)
	if e := faultOf(err); e != nil && e.Kind == fault.KindConflict {
		f.addSaid("overlap_hours", v.language.say("problem.webhook.secrets"), e.Message)
		return v.askRotation(http.StatusBadRequest, found, f)
	}
	if err != nil {
		return err
	}
	if hours == 0 {
		made.PreviousExpiresAt = ""
	}
	return v.showSecret(secretPage{Endpoint: found, Secret: made.Secret, Rotated: true, PreviousExpires: made.PreviousExpiresAt})
}

type secretPage struct {
	Endpoint        webhookEndpoint
	Secret          string
	Rotated         bool
	PreviousExpires string // empty: it is valid no more
	Verify          string
}

// showSecret is the one page with an endpoint's secret.
func (v *visit) showSecret(shown secretPage) error {
	shown.Verify = verifyLines
	return v.show(http.StatusOK, "webhook_secret", v.language.say("webhook_secret.title"), shown)
}

// verifyLines check a call where Node runs; the page says what they do for everybody else.
const verifyLines = `import { Webhook } from "standardwebhooks";

const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers);`
