package console

import (
	"net/http"
	"net/url"
	"strconv"

	"ams.internal/libs/fault"
)

func pauseWebhook(req *pageRequest) error { return req.changeWebhook("pause", "webhook_paused") }

func resumeWebhook(req *pageRequest) error { return req.changeWebhook("resume", "webhook_resumed") }

// changeWebhook pauses or resumes an endpoint. It needs no confirmation, because it can be undone.
func (req *pageRequest) changeWebhook(what, done string) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	path := "/settings/webhooks/" + found.ID
	err = req.callWebhooks(http.MethodPost, "/v1/webhook-endpoints/"+found.ID+"/"+what, struct{}{}, nil)
	if e := faultOf(err); e != nil && e.Kind == fault.KindConflict {
		return req.redirectWithNotice(path, "webhook_state_changed")
	}
	if err != nil {
		return err
	}
	return req.redirectWithNotice(path, done)
}

// testWebhook sends a test and shows the receiver's response.
func testWebhook(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	var sent delivery
	if err := req.callWebhooksWithin(testTimeout, http.MethodPost, "/v1/webhook-endpoints/"+found.ID+"/test", struct{}{}, &sent); err != nil {
		return err
	}
	return req.redirectWithNotice("/settings/webhooks/"+found.ID+"/deliveries/"+sent.ID, "webhook_tested")
}

// confirmDeleteWebhook shows which events will stop.
func confirmDeleteWebhook(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	types, err := req.eventTypes()
	if err != nil {
		return err
	}
	return req.show(http.StatusOK, "webhook_delete", req.language.translate("webhook_delete.title"),
		webhookDeletePage{found, req.explainedPatterns(found.EventTypes, types)})
}

type webhookDeletePage struct {
	Endpoint webhookEndpoint
	Stops    []eventBox
}

// explainedPatterns returns the patterns of an endpoint, each with its description.
func (req *pageRequest) explainedPatterns(patterns []string, types []eventType) []eventBox {
	var all []eventBox
	for _, pattern := range patterns {
		box := eventBox{Name: pattern}
		for _, t := range types {
			switch pattern {
			case allEvents:
				box.Line = req.language.translate("event.everything")
			case t.singular() + ".*":
				box.Line = req.language.translate("event.all_of", req.language.recordName(t.singular()))
			case t.Name:
				line, foreign := req.language.event(t)
				box.Line, box.Foreign = req.language.translate("event.one_of", req.language.recordName(t.singular()), line), foreign
			}
		}
		all = append(all, box)
	}
	return all
}

func deleteWebhook(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	if err := req.callWebhooks(http.MethodDelete, "/v1/webhook-endpoints/"+found.ID, nil, nil); err != nil {
		return err
	}
	return req.redirectWithNotice("/settings/webhooks", "webhook_deleted")
}

type rotatePage struct {
	Form       *form
	Endpoint   webhookEndpoint
	Sent       string
	MaxOverlap int
}

func confirmRotateSecret(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	return req.showRotateForm(http.StatusOK, found, &form{values: url.Values{"overlap_hours": {strconv.Itoa(defaultOverlap)}}})
}

func (req *pageRequest) showRotateForm(status int, of webhookEndpoint, f *form) error {
	return req.show(status, "webhook_rotate", req.language.translate("webhook_rotate.title"), rotatePage{f, of, newFormID(), maxOverlap})
}

// rotateSecret creates a new secret and shows it once. Until the old secret expires, every call is signed with both.
func rotateSecret(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	f := req.readForm()
	hours, err := strconv.Atoi(f.Value("overlap_hours"))
	if err != nil || hours < 0 || hours > maxOverlap {
		f.add("overlap_hours", req.language.translate("problem.webhook.overlap", maxOverlap))
		return req.showRotateForm(http.StatusBadRequest, found, f)
	}
	first, err := req.claimForm(req.ctx(), req.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return req.redirectWithNotice("/settings/webhooks/"+found.ID, "already_sent")
	}
	var made struct {
		Secret            string `json:"secret"`
		PreviousExpiresAt string `json:"previous_expires_at"`
	}
	err = req.callWebhooks(http.MethodPost, "/v1/webhook-endpoints/"+found.ID+"/secret/rotate", map[string]any{"overlap_hours": hours}, &made)
	if e := faultOf(err); e != nil && e.Kind == fault.KindConflict {
		f.addDetail("overlap_hours", req.language.translate("problem.webhook.secrets"), e.Message)
		return req.showRotateForm(http.StatusBadRequest, found, f)
	}
	if err != nil {
		return err
	}
	if hours == 0 {
		made.PreviousExpiresAt = ""
	}
	return req.showSecret(secretPage{Endpoint: found, Secret: made.Secret, Rotated: true, PreviousExpires: made.PreviousExpiresAt})
}

type secretPage struct {
	Endpoint        webhookEndpoint
	Secret          string
	Rotated         bool
	PreviousExpires string // empty: it has expired
	Verify          string
}

// showSecret is the only page with an endpoint's secret.
func (req *pageRequest) showSecret(shown secretPage) error {
	shown.Verify = verifyLines
	return req.show(http.StatusOK, "webhook_secret", req.language.translate("webhook_secret.title"), shown)
}

// verifyLines verify a call in Node. The page explains the same for other languages.
const verifyLines = `import { Webhook } from "standardwebhooks";

const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers);`
