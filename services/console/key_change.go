package console

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"ams.internal/libs/fault"
)

func suspendKey(req *pageRequest) error { return req.changeKey("suspend", "key_suspended") }

func resumeKey(req *pageRequest) error { return req.changeKey("resume", "key_resumed") }

// changeKey suspends or resumes a key. It needs no confirmation, because it can be undone.
func (req *pageRequest) changeKey(what, done string) error {
	found, err := req.key()
	if err != nil {
		return err
	}
	path := req.base() + "/keys/" + found.ID
	err = req.callGateway(http.MethodPost, "/keys/"+found.ID+"/"+what, struct{}{}, nil)
	switch e := faultOf(err); {
	case err == nil:
		return req.redirectWithNotice(path, done)
	case e != nil && (e.Code == "creator_not_active" || e.Code == "too_many_keys"):
		return req.redirectWithNotice(path, e.Code)
	case e != nil && e.Kind == fault.KindConflict:
		return req.redirectWithNotice(path, "key_state_changed")
	}
	return err
}

// overlapChoices are how long a replaced key may stay valid, in seconds. Their words are messages.
var overlapChoices = []int{0, 3600, 86400, 604800, 2592000}

type replacePage struct {
	Form     *form
	Key      key
	Sent     string
	Overlaps []int
	Expires  time.Time
}

func confirmReplaceKey(req *pageRequest) error {
	found, err := req.key()
	if err != nil {
		return err
	}
	return req.showReplaceForm(http.StatusOK, found, &form{values: map[string][]string{"overlap": {"86400"}}})
}

func (req *pageRequest) showReplaceForm(status int, of key, f *form) error {
	return req.show(status, "key_replace", req.language.translate("key_replace.title", of.Name),
		replacePage{f, of, newFormID(), overlapChoices, time.Now().AddDate(0, 0, defaultDays)})
}

func replaceKey(req *pageRequest) error {
	old, err := req.key()
	if err != nil {
		return err
	}
	f := req.readForm()
	overlap, err := strconv.Atoi(f.Value("overlap"))
	if err != nil || !slices.Contains(overlapChoices, overlap) {
		f.add("overlap", req.language.translate("problem.overlap"))
		return req.showReplaceForm(http.StatusBadRequest, old, f)
	}
	first, err := req.claimForm(req.ctx(), req.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return req.redirectWithNotice(req.base()+"/keys", "already_sent")
	}
	var made key
	if err := req.callGateway(http.MethodPost, "/keys/"+old.ID+"/replace", map[string]any{"overlap_seconds": overlap}, &made); err != nil {
		if refusedWith(err, "too_many_keys") {
			f.add("overlap", req.language.translate("problem.too_many_keys"))
			return req.showReplaceForm(http.StatusConflict, old, f)
		}
		return err
	}
	var after key
	if err := req.callGateway(http.MethodGet, "/keys/"+old.ID, nil, &after); err != nil {
		after = old
	}
	return req.showValue(made, &after)
}

type revokePage struct {
	Key        key
	Requests   int         // in the last 7 days
	Assistants []assistant // connected with the key
}

// confirmRevokeKey shows what revoking the key will stop.
func confirmRevokeKey(req *pageRequest) error {
	found, err := req.key()
	if err != nil {
		return err
	}
	uses, err := req.keyUsage(7)
	if err != nil {
		return err
	}
	shown := revokePage{Key: found}
	for _, use := range uses {
		if use.KeyID == found.ID {
			shown.Requests += use.Requests
		}
	}
	connected, err := req.assistants()
	if err != nil { // the key must be revocable without the list
		req.log.WarnContext(req.ctx(), "assistants that stop with a key could not be listed", "error", err)
	}
	for _, each := range connected {
		if each.KeyID == found.ID {
			shown.Assistants = append(shown.Assistants, each)
		}
	}
	return req.show(http.StatusOK, "key_revoke", req.language.translate("key_revoke.title", found.Name), shown)
}

func revokeKey(req *pageRequest) error {
	found, err := req.key()
	if err != nil {
		return err
	}
	if err := req.callGateway(http.MethodPost, "/keys/"+found.ID+"/revoke", struct{}{}, nil); err != nil {
		return err
	}
	return req.redirectWithNotice(req.base()+"/keys", "key_revoked")
}
