package main

import (
	"net/http"
	"strconv"
	"time"

	"ams.internal/libs/fault"
)

func suspendKey(v *visit) error { return v.changeKey("suspend", "key_suspended") }

func resumeKey(v *visit) error { return v.changeKey("resume", "key_resumed") }

// changeKey does what needs no question: it can be undone.
func (v *visit) changeKey(what, done string) error {
	found, err := v.key()
	if err != nil {
		return err
	}
	path := "/settings/keys/" + found.ID
	err = v.gateway(http.MethodPost, "/keys/"+found.ID+"/"+what, struct{}{}, nil)
	switch e := faultOf(err); {
	case err == nil:
		return v.leadWith(path, done)
	case e != nil && e.Code == "creator_not_active":
		return v.leadWith(path, "creator_not_active")
	case e != nil && e.Kind == fault.KindConflict:
		return v.leadWith(path, "key_state_changed")
	}
	return err
}

// overlaps are how long a replaced key may go on, in seconds; the words are in the catalogue.
var overlaps = []int{0, 3600, 86400, 604800, 2592000}

type replacePage struct {
	Form     *form
	Key      key
	Sent     string
	Overlaps []int
	Expires  time.Time
}

func askReplaceKey(v *visit) error {
	found, err := v.key()
	if err != nil {
		return err
	}
	return v.askReplacement(http.StatusOK, found, &form{values: map[string][]string{"overlap": {"86400"}}})
}

func (v *visit) askReplacement(status int, of key, f *form) error {
	return v.show(status, "key_replace", v.language.say("key_replace.title", of.Name),
		replacePage{f, of, newFormID(), overlaps, time.Now().AddDate(0, 0, usualDays)})
}

func replaceKey(v *visit) error {
	old, err := v.key()
	if err != nil {
		return err
	}
	f := v.typed()
	overlap, err := strconv.Atoi(f.Value("overlap"))
	if err != nil || !chosenFrom(overlaps, overlap) {
		f.add("overlap", v.language.say("problem.overlap"))
		return v.askReplacement(http.StatusBadRequest, old, f)
	}
	first, err := v.takeForm(v.ctx(), v.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return v.leadWith("/settings/keys", "already_sent")
	}
	var made key
	if err := v.gateway(http.MethodPost, "/keys/"+old.ID+"/replace", map[string]any{"overlap_seconds": overlap}, &made); err != nil {
		return err
	}
	var after key
	if err := v.gateway(http.MethodGet, "/keys/"+old.ID, nil, &after); err != nil {
		after = old
	}
	return v.showValue(made, &after)
}

type revokePage struct {
	Key        key
	Requests   int         // of the last 7 days
	Assistants []assistant // that are connected with the key
}

// askRevokeKey says what will stop.
func askRevokeKey(v *visit) error {
	found, err := v.key()
	if err != nil {
		return err
	}
	uses, err := v.uses(7)
	if err != nil {
		return err
	}
	shown := revokePage{Key: found}
	for _, use := range uses {
		if use.KeyID == found.ID {
			shown.Requests += use.Requests
		}
	}
	connected, err := v.assistants()
	if err != nil { // the key must be revocable all the same
		v.log.WarnContext(v.ctx(), "assistants that stop with a key could not be listed", "error", err)
	}
	for _, each := range connected {
		if each.KeyID == found.ID {
			shown.Assistants = append(shown.Assistants, each)
		}
	}
	return v.show(http.StatusOK, "key_revoke", v.language.say("key_revoke.title", found.Name), shown)
}

func revokeKey(v *visit) error {
	found, err := v.key()
	if err != nil {
		return err
	}
	if err := v.gateway(http.MethodPost, "/keys/"+found.ID+"/revoke", struct{}{}, nil); err != nil {
		return err
	}
	return v.leadWith("/settings/keys", "key_revoked")
}
