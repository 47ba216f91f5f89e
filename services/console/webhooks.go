package console

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// webhookEndpoint is an endpoint as the webhooks service returns it. Only the response to its creation has Secret.
type webhookEndpoint struct {
	ID                     string              `json:"id"`
	URL                    string              `json:"url"`
	Description            *string             `json:"description"`
	EventTypes             []string            `json:"event_types"`
	Status                 string              `json:"status"`
	SiteIDs                []string            `json:"site_ids"`
	ChangedAny             []string            `json:"changed_any"`
	Filters                map[string][]string `json:"filters"`
	ExcludeOrigins         []string            `json:"exclude_origins"`
	Payload                string              `json:"payload"`
	Destination            string              `json:"destination"`
	Format                 string              `json:"format"`
	Headers                map[string]string   `json:"headers"` // the values are hidden
	RateLimit              *int                `json:"rate_limit"`
	CACertificate          *string             `json:"ca_certificate"`
	CACertificateExpiresAt *string             `json:"ca_certificate_expires_at"`
	FailingSince           *string             `json:"failing_since"`
	ConsecutiveFailures    int                 `json:"consecutive_failures"`
	LastSuccessAt          *string             `json:"last_success_at"`
	LastAttemptAt          *string             `json:"last_attempt_at"`
	DisabledAt             *string             `json:"disabled_at"`
	DisabledReason         *string             `json:"disabled_reason"`
	CreatedAt              string              `json:"created_at"`
	CreatedBy              actor               `json:"created_by"`
	Secret                 string              `json:"secret"`

	Suspended bool `json:"-"` // the plan does not include API access
}

// State is the state on the page.
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

// HeaderNames are the names of the endpoint's own headers.
func (e webhookEndpoint) HeaderNames() []string {
	var names []string
	for name := range e.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// FilterLines are the endpoint's filters as the form has them: a field and one of its values a line.
func (e webhookEndpoint) FilterLines() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(e.Filters)) {
		for _, value := range e.Filters[name] {
			lines = append(lines, name+": "+value)
		}
	}
	return lines
}

// Filtered reports whether the endpoint gets only some of the events of its types.
func (e webhookEndpoint) Filtered() bool {
	return len(e.SiteIDs)+len(e.ChangedAny)+len(e.Filters)+len(e.ExcludeOrigins) > 0
}

// callWebhooks calls the webhooks service on the person's behalf. An Administrator manages endpoints and may read
// everything, so an endpoint may get every event that the plan includes.
func (req *pageRequest) callWebhooks(method, path string, in, out any) error {
	return req.callWebhooksWithin(defaultTimeout, method, path, in, out)
}

func (req *pageRequest) callWebhooksWithin(timeout time.Duration, method, path string, in, out any) error {
	plan, err := req.plan()
	if err != nil {
		return err
	}
	p := req.principal()
	p.Features = plan.Features
	p.Scopes = append(p.Scopes, "webhooks:write")
	for _, group := range scopeGroups {
		for _, resource := range group.Resources {
			p.Scopes = append(p.Scopes, resource+":read")
		}
	}
	return req.services.callWithin(req.ctx(), timeout, p, "webhooks", method, path, in, out)
}

// WhyDisabled is the message key of the reason why the endpoint was disabled. It is empty where only the service has a
// sentence for it.
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
	Sender    webhookSender
}

// webhookSender is what receivers may know calls by.
type webhookSender struct {
	SourceAddresses            []string `json:"source_addresses"`
	ClientCertificate          *string  `json:"client_certificate"`
	ClientCertificateSHA256    *string  `json:"client_certificate_sha256"`
	ClientCertificateExpiresAt *string  `json:"client_certificate_expires_at"`
}

func listWebhooks(req *pageRequest) error {
	plan, err := req.plan()
	if err != nil {
		return err
	}
	var list struct{ Data []webhookEndpoint }
	if err := req.callWebhooks(http.MethodGet, "/v1/webhook-endpoints?per_page=100", nil, &list); err != nil {
		return err
	}
	var sender webhookSender
	if err := req.callWebhooks(http.MethodGet, "/v1/webhook-endpoints/sender", nil, &sender); err != nil {
		return err
	}
	for i := range list.Data {
		list.Data[i].Suspended = !plan.has("api_access")
	}
	slices.Reverse(list.Data) // the newest first
	return req.show(http.StatusOK, "webhooks", req.language.translate("webhooks.title"),
		webhooksPage{list.Data, plan.has("api_access"), sender})
}

// webhook returns the endpoint that the path names. One of another organization gets the same page as one that does not
// exist.
func (req *pageRequest) webhook() (found webhookEndpoint, err error) {
	id := req.r.PathValue("endpoint")
	if uuid.Validate(id) != nil {
		return found, req.refuseUnknown("webhook_endpoint", id, notFound)
	}
	plan, err := req.plan()
	if err != nil {
		return found, err
	}
	if err := req.callWebhooks(http.MethodGet, "/v1/webhook-endpoints/"+id, nil, &found); err != nil {
		return found, req.refuseUnknown("webhook_endpoint", id, err)
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

// showWebhook shows an endpoint with its last deliveries and replays.
func showWebhook(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	shown := webhookPage{Endpoint: found}
	if len(found.SiteIDs) > 0 {
		shown.Sites = req.namedSites(found.SiteIDs)
	}
	last, err := req.deliveries(found.ID, deliveryFilter{}, 1, 5)
	if err != nil {
		return err
	}
	shown.Deliveries = last.Data
	if shown.Replays, err = req.replays(found.ID); err != nil {
		return err
	}
	return req.show(http.StatusOK, "webhook", req.language.translate("webhook.title", found.URL), shown)
}

// site is a site that an endpoint may be limited to.
type site struct {
	ID   string  `json:"id"`
	Name string  `json:"name"`
	Code *string `json:"code"`
}

// maxSites is the number of sites in the form. Larger organizations name the others through the API.
const maxSites = 1000

// sites returns the organization's sites by name. The form works without them while the assets service is unavailable.
func (req *pageRequest) sites(query url.Values) (found []site, err error) {
	query.Set("fields", "id,name,code")
	query.Set("sort", "name")
	query.Set("per_page", "1000")
	var list struct{ Data []site }
	p := req.principal()
	p.Scopes = append(p.Scopes, "sites:read")
	err = req.services.call(req.ctx(), p, "assets", http.MethodGet, "/v1/sites?"+query.Encode(), nil, &list)
	return list.Data, err
}

// namedSites returns sites by their ids. A site without a known name has its id as its name.
func (req *pageRequest) namedSites(ids []string) []site {
	found, err := req.sites(url.Values{"ids": {strings.Join(ids, ",")}})
	if err != nil {
		req.log.WarnContext(req.ctx(), "sites could not be named", "error", err)
	}
	for _, id := range ids {
		if !slices.ContainsFunc(found, func(s site) bool { return s.ID == id }) {
			found = append(found, site{ID: id, Name: id})
		}
	}
	return found
}

// endpointAction is what a change of an endpoint means, where the changed fields show it. Otherwise it is empty.
func endpointAction(entry auditEntry) string {
	if entry.Action != "webhook_endpoint.updated" {
		return ""
	}
	after := map[string]string{}
	for _, field := range changed(entry.Changes) {
		after[field.Name] = field.After
	}
	failing, inChanges := after["failing_since"]
	switch {
	case after["status"] == "active":
		return "resumed"
	case after["status"] != "":
		return after["status"] // paused, disabled
	case inChanges && failing == "" && entry.Actor.Type == "service":
		return "recovered"
	case inChanges && failing == "": // a person resumed the failing endpoint
		return "resumed"
	case inChanges:
		return "failing"
	case after["secret_rotated_at"] != "":
		return "secret_replaced"
	}
	return ""
}
