package main

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/fault"
)

const (
	mostCalls       = 1000 // a second
	mostHeaders     = 10
	mostHeaderValue = 500
	usualOverlap    = 24 // hours
	mostOverlap     = 168
)

// unseen stands for a header's value, which is never shown again; left as it is, the value stays.
const unseen = "••••"

// origins are where a change may come from.
var origins = []string{"api", "import", "console"}

// payloads are how much a call says.
var payloads = []string{"full", "thin"}

type webhookFormPage struct {
	Form      *form
	Sent      string           // names this form: it is taken once
	Endpoint  *webhookEndpoint // that is edited; nil for a new one
	Groups    []eventGroup
	Others    []eventBox
	All       eventBox
	Presets   []eventPreset
	Payloads  []string
	Origins   []string
	Sites     []site
	MoreSites bool // than are offered
	NoSites   bool // they could not be asked for
	Open      bool // the part that is optional
	APIAccess bool
	Most      int
}

func newWebhook(v *visit) error {
	return v.askWebhook(http.StatusOK, &form{values: url.Values{"payload": {"full"}}}, nil)
}

func editWebhook(v *visit) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	f := &form{values: url.Values{
		"url": {found.URL}, "event_types": found.EventTypes, "payload": {found.Payload}, "site_ids": found.SiteIDs,
		"changed_any": {strings.Join(found.ChangedAny, "\n")}, "exclude_origins": found.ExcludeOrigins,
	}}
	if found.Description != nil {
		f.values.Set("description", *found.Description)
	}
	if found.RateLimit != nil {
		f.values.Set("rate_limit", strconv.Itoa(*found.RateLimit))
	}
	var lines []string
	for _, name := range found.HeaderNames() {
		lines = append(lines, name+": "+unseen)
	}
	f.values.Set("headers", strings.Join(lines, "\n"))
	return v.askWebhook(http.StatusOK, f, &found)
}

func (v *visit) askWebhook(status int, f *form, of *webhookEndpoint) error {
	plan, err := v.plan()
	if err != nil {
		return err
	}
	types, err := v.eventTypes()
	if err != nil {
		return err
	}
	if chosen := f.Value("preset"); chosen != "" { // one of the buttons that fill in the events of a purpose
		f.values["event_types"] = presetEvents(chosen, types, plan)
	}
	shown := webhookFormPage{
		Form: f, Sent: newFormID(), Endpoint: of, Groups: v.eventGroups(f, types, plan), Presets: eventPresets, Payloads: payloads, Origins: origins,
		All: newEventBox(f, allEvents, v.language.say("event.everything"), false), APIAccess: plan.has("api_access"), Most: mostCalls,
	}
	shown.Others = otherEvents(f, shown.Groups)
	v.offerSites(&shown)
	for _, name := range []string{"site_ids", "changed_any", "exclude_origins", "rate_limit", "headers"} {
		shown.Open = shown.Open || f.Value(name) != "" || f.Problem(name) != ""
	}
	title := v.language.say("webhook_new.title")
	if of != nil {
		title = v.language.say("webhook_edit.title")
	}
	return v.show(status, "webhook_form", title, shown)
}

// offerSites lists the sites that the endpoint may be limited to, the chosen ones among them. Everything else can be
// filled in while they cannot be had.
func (v *visit) offerSites(shown *webhookFormPage) {
	found, err := v.sites(url.Values{})
	if shown.NoSites = err != nil; shown.NoSites {
		v.log.WarnContext(v.ctx(), "the sites could not be listed", "error", err)
	}
	shown.Sites, shown.MoreSites = found, len(found) >= mostSites
	var missing []string
	for _, id := range shown.Form.values["site_ids"] {
		if id != "" && !slices.ContainsFunc(found, func(s site) bool { return s.ID == id }) {
			missing = append(missing, id)
		}
	}
	if missing != nil {
		shown.Sites = append(v.namedSites(missing), shown.Sites...)
	}
}

// createWebhook makes the endpoint and shows its secret, this once. The page is the answer to the form itself, and a form
// that is sent again makes no second endpoint.
func createWebhook(v *visit) error {
	f := v.typed()
	if f.Value("preset") != "" {
		return v.askWebhook(http.StatusOK, f, nil)
	}
	wanted := v.readWebhook(f, nil)
	if f.wrong() {
		return v.askWebhook(http.StatusBadRequest, f, nil)
	}
	first, err := v.takeForm(v.ctx(), v.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return v.leadWith("/settings/webhooks", "already_sent")
	}
	var made webhookEndpoint
	err = v.hooks(http.MethodPost, "/v1/webhook-endpoints", wanted, &made)
	if v.explainWebhook(f, err) {
		return v.askWebhook(http.StatusBadRequest, f, nil)
	}
	if err != nil {
		return err
	}
	return v.showSecret(secretPage{Endpoint: made, Secret: made.Secret})
}

func saveWebhook(v *visit) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	f := v.typed()
	if f.Value("preset") != "" {
		return v.askWebhook(http.StatusOK, f, &found)
	}
	wanted := v.readWebhook(f, &found)
	if f.wrong() {
		return v.askWebhook(http.StatusBadRequest, f, &found)
	}
	err = v.hooks(http.MethodPatch, "/v1/webhook-endpoints/"+found.ID, wanted, nil)
	if v.explainWebhook(f, err) {
		return v.askWebhook(http.StatusBadRequest, f, &found)
	}
	if err != nil {
		return err
	}
	return v.leadWith("/settings/webhooks/"+found.ID, "webhook_saved")
}

// readWebhook reads the form and words what is wrong with it, beside each field; of is the endpoint as it was. The webhooks
// service checks all of it again, and what only it can know: where an address leads.
func (v *visit) readWebhook(f *form, of *webhookEndpoint) map[string]any {
	say := v.language.say
	wanted := map[string]any{"description": nil, "rate_limit": nil, "site_ids": given(f.values["site_ids"]), "exclude_origins": given(f.values["exclude_origins"])}

	address := strings.TrimSpace(f.Value("url"))
	if address == "" {
		f.add("url", say("problem.webhook.url.missing"))
	}
	wanted["url"] = address
	if text := strings.TrimSpace(f.Value("description")); text != "" {
		wanted["description"] = text
	}
	types := fewest(f.values["event_types"])
	if len(types) == 0 {
		f.add("event_types", say("problem.webhook.event_types"))
	}
	wanted["event_types"] = types
	if !slices.Contains(payloads, f.Value("payload")) {
		f.add("payload", say("problem.webhook.rule.payload"))
	}
	wanted["payload"] = f.Value("payload")
	wanted["changed_any"] = words(f.Value("changed_any"))
	if text := strings.TrimSpace(f.Value("rate_limit")); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 || limit > mostCalls {
			f.add("rate_limit", say("problem.webhook.rate_limit", mostCalls))
		}
		wanted["rate_limit"] = limit
	}
	wanted["headers"] = v.readHeaders(f, of)
	return wanted
}

// given are the values of boxes that were ticked, without the empty one.
func given(values []string) []string {
	return slices.DeleteFunc(append([]string{}, values...), func(value string) bool { return value == "" })
}

// words takes names apart, one a line or with commas between them.
func words(text string) []string {
	return append([]string{}, strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", ;\r\n\t", r) })...)
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// readHeaders takes one header a line. It is a merge patch: those of the endpoint that are not there any more are null,
// those whose value was not touched are left out.
func (v *visit) readHeaders(f *form, of *webhookEndpoint) map[string]any {
	wanted, seen := map[string]any{}, []string{}
	var before []string
	if of != nil {
		before = of.HeaderNames()
	}
	for line := range strings.Lines(f.Value("headers")) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, found := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !found || !headerName.MatchString(name) || value == "":
			f.add("headers", v.language.say("problem.webhook.header", shortened(line)))
		case len([]rune(value)) > mostHeaderValue:
			f.add("headers", v.language.say("problem.webhook.header.long", name, mostHeaderValue))
		}
		if i := slices.IndexFunc(before, func(other string) bool { return strings.EqualFold(other, name) }); i >= 0 {
			name = before[i] // the same header, however it is spelled
		}
		seen = append(seen, name)
		if value != unseen || !slices.Contains(before, name) {
			wanted[name] = value
		}
	}
	if len(seen) > mostHeaders {
		f.add("headers", v.language.say("problem.webhook.headers.many", mostHeaders))
	}
	for _, name := range before {
		if !slices.Contains(seen, name) {
			wanted[name] = nil
		}
	}
	return wanted
}

// webhookFields are the fields of the form, in the order in which the eye meets them.
var webhookFields = []string{"url", "description", "event_types", "payload", "site_ids", "changed_any", "exclude_origins", "rate_limit", "headers"}

// explainWebhook puts what the webhooks service objects to beside the fields: the field's rule in the person's language,
// and what the service says of this very value. It gives false where err is no such objection.
func (v *visit) explainWebhook(f *form, err error) bool {
	e := faultOf(err)
	if e == nil || e.Kind != fault.KindInvalid && e.Kind != fault.KindConflict && e.Kind != fault.KindForbidden {
		return false
	}
	fields := e.Fields
	if len(fields) == 0 {
		fields = []fault.Field{{Field: e.Field, Message: e.Message}}
	}
	for _, each := range fields {
		name := each.Field[:len(each.Field)-len(strings.TrimLeft(each.Field, "abcdefghijklmnopqrstuvwxyz_"))]
		if !slices.Contains(webhookFields, name) {
			name = "url"
			if e.Kind == fault.KindForbidden {
				name = "event_types"
			}
		}
		key := "problem.webhook.rule." + name
		if e.Kind == fault.KindConflict {
			key = "problem.webhook.conflict"
		}
		f.addSaid(name, v.language.say(key), each.Message)
	}
	slices.SortStableFunc(f.problems, func(a, b problem) int {
		return slices.Index(webhookFields, a.Field) - slices.Index(webhookFields, b.Field)
	})
	return true
}
