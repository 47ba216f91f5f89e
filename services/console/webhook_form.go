package console

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
	maxCalls       = 1000 // per second
	maxHeaders     = 10
	maxHeaderValue = 500
	defaultOverlap = 24 // hours
	maxOverlap     = 168
)

// hiddenValue replaces a header's value, which is never shown again. A header that is sent back with it keeps its value.
const hiddenValue = "••••"

// origins are the origins of a change.
var origins = []string{"api", "import", "console"}

// payloads are the sizes of a payload.
var payloads = []string{"full", "thin"}

// formats are the forms of a payload.
var formats = []string{"ams", "cloudevents"}

// destinations are what a URL is of.
var destinations = []string{"https", "sqs"}

type webhookFormPage struct {
	Form         *form
	Sent         string           // id of this form, which is accepted once
	Endpoint     *webhookEndpoint // the endpoint being edited; nil for a new one
	Groups       []eventGroup
	Others       []eventBox
	All          eventBox
	OfAny        []eventBox // what happens to every kind of record
	Presets      []eventPreset
	Payloads     []string
	Destinations []string
	Formats      []string
	Origins      []string
	Sites        []site
	MoreSites    bool // there are more than the form has
	NoSites      bool // they could not be read
	Open         bool // the optional part is unfolded
	APIAccess    bool
	MaxCalls     int
}

func newWebhook(req *pageRequest) error {
	return req.showWebhookForm(http.StatusOK, &form{values: url.Values{"payload": {"full"}, "format": {"ams"}, "destination": {"https"}}}, nil)
}

func editWebhook(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	f := &form{values: url.Values{
		"url": {found.URL}, "event_types": found.EventTypes, "payload": {found.Payload},
		"format": {found.Format}, "destination": {found.Destination}, "site_ids": found.SiteIDs,
		"changed_any": {strings.Join(found.ChangedAny, "\n")}, "exclude_origins": found.ExcludeOrigins,
	}}
	if found.Description != nil {
		f.values.Set("description", *found.Description)
	}
	if found.CACertificate != nil {
		f.values.Set("ca_certificate", *found.CACertificate)
	}
	if found.RateLimit != nil {
		f.values.Set("rate_limit", strconv.Itoa(*found.RateLimit))
	}
	f.values.Set("filters", strings.Join(found.FilterLines(), "\n"))
	var lines []string
	for _, name := range found.HeaderNames() {
		lines = append(lines, name+": "+hiddenValue)
	}
	f.values.Set("headers", strings.Join(lines, "\n"))
	return req.showWebhookForm(http.StatusOK, f, &found)
}

func (req *pageRequest) showWebhookForm(status int, f *form, of *webhookEndpoint) error {
	plan, err := req.plan()
	if err != nil {
		return err
	}
	types, err := req.eventTypes()
	if err != nil {
		return err
	}
	if chosen := f.Value("preset"); chosen != "" { // one of the buttons that select the events of a purpose
		f.values["event_types"] = presetEvents(chosen, types, plan)
	}
	shown := webhookFormPage{
		Form: f, Sent: newFormID(), Endpoint: of, Groups: req.eventGroups(f, types,
			plan), Presets: eventPresets, Payloads: payloads, Formats: formats, Destinations: destinations, Origins: origins,
		All: newEventBox(f, allEvents, req.language.translate("event.everything"), false), APIAccess: plan.has("api_access"), MaxCalls: maxCalls,
	}
	shown.OfAny, shown.Others = req.anyEvents(f), otherEvents(f, shown.Groups)
	req.addSites(&shown)
	for _, name := range []string{"site_ids", "changed_any", "filters", "exclude_origins", "rate_limit", "headers", "ca_certificate"} {
		shown.Open = shown.Open || f.Value(name) != "" || f.Problem(name) != ""
	}
	title := req.language.translate("webhook_new.title")
	if of != nil {
		title = req.language.translate("webhook_edit.title")
	}
	return req.show(status, "webhook_form", title, shown)
}

// addSites adds the sites that the endpoint may be limited to, including the chosen ones. The form works without them
// while they cannot be read.
func (req *pageRequest) addSites(shown *webhookFormPage) {
	found, err := req.sites(url.Values{})
	if shown.NoSites = err != nil; shown.NoSites {
		req.log.WarnContext(req.ctx(), "the sites could not be listed", "error", err)
	}
	shown.Sites, shown.MoreSites = found, len(found) >= maxSites
	var missing []string
	for _, id := range shown.Form.values["site_ids"] {
		if id != "" && !slices.ContainsFunc(found, func(s site) bool { return s.ID == id }) {
			missing = append(missing, id)
		}
	}
	if missing != nil {
		shown.Sites = append(req.namedSites(missing), shown.Sites...)
	}
}

// createWebhook creates the endpoint and shows its secret once. The page is the response to the form itself, and a form
// that is sent twice creates one endpoint.
func createWebhook(req *pageRequest) error {
	f := req.readForm()
	if f.Value("preset") != "" {
		return req.showWebhookForm(http.StatusOK, f, nil)
	}
	wanted := req.readWebhook(f, nil)
	if f.hasProblems() {
		return req.showWebhookForm(http.StatusBadRequest, f, nil)
	}
	first, err := req.claimForm(req.ctx(), req.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return req.redirectWithNotice("/settings/webhooks", "already_sent")
	}
	var made webhookEndpoint
	err = req.callWebhooks(http.MethodPost, "/v1/webhook-endpoints", wanted, &made)
	if req.explainWebhook(f, err) {
		return req.showWebhookForm(http.StatusBadRequest, f, nil)
	}
	if err != nil {
		return err
	}
	return req.showSecret(secretPage{Endpoint: made, Secret: made.Secret})
}

func saveWebhook(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	f := req.readForm()
	if f.Value("preset") != "" {
		return req.showWebhookForm(http.StatusOK, f, &found)
	}
	wanted := req.readWebhook(f, &found)
	if f.hasProblems() {
		return req.showWebhookForm(http.StatusBadRequest, f, &found)
	}
	err = req.callWebhooks(http.MethodPatch, "/v1/webhook-endpoints/"+found.ID, wanted, nil)
	if req.explainWebhook(f, err) {
		return req.showWebhookForm(http.StatusBadRequest, f, &found)
	}
	if err != nil {
		return err
	}
	return req.redirectWithNotice("/settings/webhooks/"+found.ID, "webhook_saved")
}

// readWebhook reads the form and adds the problems of each field; of is the endpoint before the change. The webhooks
// service checks all of it again, and also where an address leads.
func (req *pageRequest) readWebhook(f *form, of *webhookEndpoint) map[string]any {
	translate := req.language.translate
	wanted := map[string]any{"description": nil, "rate_limit": nil, "site_ids": nonEmpty(f.values["site_ids"]),
		"exclude_origins": nonEmpty(f.values["exclude_origins"])}

	address := strings.TrimSpace(f.Value("url"))
	if address == "" {
		f.add("url", translate("problem.webhook.url.missing"))
	}
	wanted["url"] = address
	if text := strings.TrimSpace(f.Value("description")); text != "" {
		wanted["description"] = text
	}
	types := withoutRedundant(f.values["event_types"])
	if len(types) == 0 {
		f.add("event_types", translate("problem.webhook.event_types"))
	}
	wanted["event_types"] = types
	if !slices.Contains(payloads, f.Value("payload")) {
		f.add("payload", translate("problem.webhook.rule.payload"))
	}
	wanted["payload"] = f.Value("payload")
	if !slices.Contains(destinations, f.Value("destination")) {
		f.add("destination", translate("problem.webhook.rule.destination"))
	}
	wanted["destination"] = f.Value("destination")
	if !slices.Contains(formats, f.Value("format")) {
		f.add("format", translate("problem.webhook.rule.format"))
	}
	wanted["format"] = f.Value("format")
	wanted["changed_any"] = splitNames(f.Value("changed_any"))
	wanted["filters"] = req.readFilters(f, of)
	if text := strings.TrimSpace(f.Value("rate_limit")); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 || limit > maxCalls {
			f.add("rate_limit", translate("problem.webhook.rate_limit", maxCalls))
		}
		wanted["rate_limit"] = limit
	}
	wanted["headers"] = req.readHeaders(f, of)
	wanted["ca_certificate"] = nil
	if text := strings.TrimSpace(f.Value("ca_certificate")); text != "" {
		wanted["ca_certificate"] = text
	}
	return wanted
}

// nonEmpty returns the values without empty ones.
func nonEmpty(values []string) []string {
	return slices.DeleteFunc(append([]string{}, values...), func(value string) bool { return value == "" })
}

// splitNames splits names that are separated by lines or commas.
func splitNames(text string) []string {
	return append([]string{}, strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", ;\r\n\t", r) })...)
}

// readFilters reads one field and value a line; a field on several lines may have any of their values. The result is a merge patch: removed
// fields are null.
func (req *pageRequest) readFilters(f *form, of *webhookEndpoint) map[string]any {
	wanted, values := map[string]any{}, map[string][]string{}
	for line := range strings.Lines(f.Value("filters")) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		if name, value = strings.TrimSpace(name), strings.TrimSpace(value); name == "" || value == "" {
			f.add("filters", req.language.translate("problem.webhook.filter", truncateID(line)))
			continue
		}
		values[name] = append(values[name], value)
		wanted[name] = values[name]
	}
	if of != nil {
		for name := range of.Filters {
			if values[name] == nil {
				wanted[name] = nil
			}
		}
	}
	return wanted
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// readHeaders reads one header a line. The result is a merge patch: removed headers are null, and headers with an
// unchanged value are left out.
func (req *pageRequest) readHeaders(f *form, of *webhookEndpoint) map[string]any {
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
			f.add("headers", req.language.translate("problem.webhook.header", truncateID(line)))
		case len([]rune(value)) > maxHeaderValue:
			f.add("headers", req.language.translate("problem.webhook.header.long", name, maxHeaderValue))
		}
		if i := slices.IndexFunc(before, func(other string) bool { return strings.EqualFold(other, name) }); i >= 0 {
			name = before[i] // the same header, however it is spelled
		}
		seen = append(seen, name)
		if value != hiddenValue || !slices.Contains(before, name) {
			wanted[name] = value
		}
	}
	if len(seen) > maxHeaders {
		f.add("headers", req.language.translate("problem.webhook.headers.many", maxHeaders))
	}
	for _, name := range before {
		if !slices.Contains(seen, name) {
			wanted[name] = nil
		}
	}
	return wanted
}

// webhookFields are the fields in the order of the form.
var webhookFields = []string{"url", "destination", "description", "event_types", "payload", "format", "site_ids", "changed_any", "filters",
	"exclude_origins", "rate_limit", "headers", "ca_certificate"}

// explainWebhook adds the problems that the webhooks service found: the rule of the field in the person's language, and
// the service's own message. It returns false where err is no such problem.
func (req *pageRequest) explainWebhook(f *form, err error) bool {
	e := faultOf(err)
	if e == nil || len(e.Fields) == 0 && e.Kind != fault.KindConflict && e.Kind != fault.KindForbidden && e.Kind != fault.KindInvalid {
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
		f.addDetail(name, req.language.translate(key), each.Message)
	}
	slices.SortStableFunc(f.problems, func(a, b problem) int {
		return slices.Index(webhookFields, a.Field) - slices.Index(webhookFields, b.Field)
	})
	return true
}
