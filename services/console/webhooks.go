package main

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// webhookEndpoint is an address that is called when something changes, as the webhooks service shows it. Secret is there
// in the one answer to its creation only.
type webhookEndpoint struct {
	ID                  string            `json:"id"`
	URL                 string            `json:"url"`
	Description         *string           `json:"description"`
	EventTypes          []string          `json:"event_types"`
	Status              string            `json:"status"`
	SiteIDs             []string          `json:"site_ids"`
	ChangedAny          []string          `json:"changed_any"`
	ExcludeOrigins      []string          `json:"exclude_origins"`
	Payload             string            `json:"payload"`
	Headers             map[string]string `json:"headers"` // their values are never shown
	RateLimit           *int              `json:"rate_limit"`
	FailingSince        *string           `json:"failing_since"`
	ConsecutiveFailures int               `json:"consecutive_failures"`
	LastSuccessAt       *string           `json:"last_success_at"`
	LastAttemptAt       *string           `json:"last_attempt_at"`
	DisabledAt          *string           `json:"disabled_at"`
	DisabledReason      *string           `json:"disabled_reason"`
	CreatedAt           string            `json:"created_at"`
	CreatedBy           actor             `json:"created_by"`
	Secret              string            `json:"secret"`

	Suspended bool `json:"-"` // the plan does not include API access
}

// State is what becomes of the endpoint's deliveries, in one word.
func (e webhookEndpoint) State() string {
	switch {
	case e.Status != "active":
		return e.Status
	case e.Suspended:
		return "suspended"
	case e.FailingSince != nil:
		return "failing"
	}
	return e.Status
}

// HeaderNames are the names of the headers that every call has besides ours.
func (e webhookEndpoint) HeaderNames() []string {
	var names []string
	for name := range e.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Filtered says whether the endpoint is called for some of the events of its types only.
func (e webhookEndpoint) Filtered() bool {
	return len(e.SiteIDs)+len(e.ChangedAny)+len(e.ExcludeOrigins) > 0
}

// hooks calls the webhooks service on the person's behalf: an Administrator manages endpoints and may read everything,
// so that an endpoint of theirs may be told of everything that the plan includes.
func (v *visit) hooks(method, path string, in, out any) error {
	return v.hooksWithin(usualPatience, method, path, in, out)
}

func (v *visit) hooksWithin(patience time.Duration, method, path string, in, out any) error {
	plan, err := v.plan()
	if err != nil {
		return err
	}
	p := v.principal()
	p.Features = plan.Features
	p.Scopes = append(p.Scopes, "webhooks:write")
	for _, group := range scopeGroups {
		for _, resource := range group.Resources {
			p.Scopes = append(p.Scopes, resource+":read")
		}
	}
	return v.services.callWithin(v.ctx(), patience, p, "webhooks", method, path, in, out)
}

// WhyDisabled is the key of the catalogue that says why the endpoint was disabled; empty where only the service's own
// sentence says it.
func (e webhookEndpoint) WhyDisabled() string {
	switch {
	case e.DisabledReason == nil:
		return "webhook.state.disabled"
	case strings.Contains(*e.DisabledReason, "410"):
		return "webhook.disabled.gone"
	case strings.Contains(*e.DisabledReason, "five days"):
		return "webhook.disabled.failing"
	}
	return ""
}

type webhooksPage struct {
	Endpoints []webhookEndpoint
	APIAccess bool
}

func listWebhooks(v *visit) error {
	plan, err := v.plan()
	if err != nil {
		return err
	}
	var list struct{ Data []webhookEndpoint }
	if err := v.hooks(http.MethodGet, "/v1/webhook-endpoints?per_page=100", nil, &list); err != nil {
		return err
	}
	for i := range list.Data {
		list.Data[i].Suspended = !plan.has("api_access")
	}
	slices.Reverse(list.Data) // the newest first
	return v.show(http.StatusOK, "webhooks", v.language.say("webhooks.title"), webhooksPage{list.Data, plan.has("api_access")})
}

// webhook is the endpoint that the path names. One of another organization is refused like one that does not exist.
func (v *visit) webhook() (found webhookEndpoint, err error) {
	id := v.r.PathValue("endpoint")
	if uuid.Validate(id) != nil {
		return found, v.stranger("webhook_endpoint", id, notFound)
	}
	plan, err := v.plan()
	if err != nil {
		return found, err
	}
	if err := v.hooks(http.MethodGet, "/v1/webhook-endpoints/"+id, nil, &found); err != nil {
		return found, v.stranger("webhook_endpoint", id, err)
	}
	found.Suspended = !plan.has("api_access")
	return found, nil
}

type webhookPage struct {
	Endpoint   webhookEndpoint
	Sites      []site // that it is limited to
	Deliveries []delivery
	Replays    []replay
}

// showWebhook shows one endpoint with what was sent last.
func showWebhook(v *visit) error {
	found, err := v.webhook()
	if err != nil {
		return err
	}
	shown := webhookPage{Endpoint: found}
	if len(found.SiteIDs) > 0 {
		shown.Sites = v.namedSites(found.SiteIDs)
	}
	last, err := v.deliveries(found.ID, deliveryFilter{}, 1, 5)
	if err != nil {
		return err
	}
	shown.Deliveries = last.Data
	if shown.Replays, err = v.replays(found.ID); err != nil {
		return err
	}
	return v.show(http.StatusOK, "webhook", v.language.say("webhook.title", found.URL), shown)
}

// site is one that an endpoint may be limited to.
type site struct {
	ID   string  `json:"id"`
	Name string  `json:"name"`
	Code *string `json:"code"`
}

// mostSites are offered in a form; an organization with more names the others through the API.
const mostSites = 1000

// sites gives the organization's sites by name. The form does without them while the assets service is away.
func (v *visit) sites(query url.Values) (found []site, err error) {
	query.Set("fields", "id,name,code")
	query.Set("sort", "name")
	query.Set("per_page", "1000")
	var list struct{ Data []site }
	p := v.principal()
	p.Scopes = append(p.Scopes, "sites:read")
	err = v.services.call(v.ctx(), p, "assets", http.MethodGet, "/v1/sites?"+query.Encode(), nil, &list)
	return list.Data, err
}

// namedSites gives sites by their ids; what has no name to be had is named by its id.
func (v *visit) namedSites(ids []string) []site {
	found, err := v.sites(url.Values{"ids": {strings.Join(ids, ",")}})
	if err != nil {
		v.log.WarnContext(v.ctx(), "sites could not be named", "error", err)
	}
	for _, id := range ids {
		if !slices.ContainsFunc(found, func(s site) bool { return s.ID == id }) {
			found = append(found, site{ID: id, Name: id})
		}
	}
	return found
}

// endpointAction says what a change of an endpoint was for, where the changed fields tell; else nothing.
func endpointAction(entry auditEntry) string {
	if entry.Action != "webhook_endpoint.updated" {
		return ""
	}
	after := map[string]string{}
	for _, field := range changed(entry.Changes) {
		after[field.Name] = field.After
	}
	failing, told := after["failing_since"]
	switch {
	case after["status"] == "active":
		return "resumed"
	case after["status"] != "":
		return after["status"] // paused, disabled
	case told && failing == "" && entry.Actor.Type == "service":
		return "recovered"
	case told && failing == "": // somebody had everything tried now
		return "resumed"
	case told:
		return "failing"
	case after["secret_rotated_at"] != "":
		return "secret_replaced"
	}
	return ""
}
