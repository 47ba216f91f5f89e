package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/external"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// The states of an endpoint.
const (
	active   = "active"
	paused   = "paused"
	disabled = "disabled"
)

// maxEndpoints is how many endpoints an organization can have.
const maxEndpoints = 20

// WebhookEndpoint is a URL that receives events.
type WebhookEndpoint struct {
	resource.Record
	URL            string   `json:"url" required:"true" maxLength:"2000" filter:"equals" sort:"true" search:"name" doc:"Where to send events: https, on port 443, 8443 or from 1024 on, at an address of the public internet. No user name or password in it: use headers." example:"https://example.ca/hooks/assets"`
	Destination    string   `json:"destination" default:"https" enum:"https,sqs" filter:"equals" doc:"https: a call to url for each event. sqs: a message in the queue of Amazon SQS that url is; headers has AWS-Access-Key-Id and AWS-Secret-Access-Key then, which sign the calls and are not sent."`
	EventTypes     []string `json:"event_types" required:"true" maxItems:"100" maxLength:"100" uniqueItems:"true" filter:"contains" doc:"What to send: names as GET /v1/event-types lists them, patterns such as work_order.* or *.deleted, or * for all. The key needs the read scopes of all of them." example:"[\"asset.updated\",\"work_order.*\"]"`
	Description    *string  `json:"description" maxLength:"500" search:"text" doc:"What the endpoint is for." example:"Mirror in the GIS"`
	Status         string   `json:"status" readOnly:"true" default:"active" enum:"active,paused,disabled" filter:"equals" sort:"true" doc:"paused by POST …/pause, disabled after five days without success or an answer 410; active again by POST …/resume. What happens meanwhile waits, and is delivered then."`
	SiteIDs        []string `json:"site_ids" maxItems:"200" uniqueItems:"true" references:"sites" doc:"Only events about these sites and what is on them. Empty: all."`
	ChangedAny     []string `json:"changed_any" maxItems:"50" maxLength:"100" uniqueItems:"true" doc:"Of updates, only those that changed one of these fields of their records; of custom fields, custom_fields for any, or custom_fields. and a key. Empty: all." example:"[\"status\",\"condition_rating\"]"`
	Filters        Filters  `json:"filters" doc:"Only events whose records have, in each of these fields, one of the values named: as lists are filtered, so 3, true and null (none) are texts, a list has one of them, and custom_fields. and a key is a custom field. At most 20 fields. Sent with a change, a field's list replaces what it had, and null takes it away. Empty: all." example:"{\"priority\":[\"urgent\",\"high\"]}"`
	ExcludeOrigins []string `json:"exclude_origins" maxItems:"3" uniqueItems:"true" enum:"api,import,console" doc:"No events of changes that came this way: so that a mirror which writes back does not hear its own echo." example:"[\"import\"]"`
	Payload        string   `json:"payload" default:"full" enum:"full,thin" filter:"equals" doc:"full: the record with what changed. thin: ids only, for receivers that read the record themselves."`
	Format         string   `json:"format" default:"ams" enum:"ams,cloudevents" filter:"equals" doc:"ams: the event as the feed has it, application/json. cloudevents: the same as the data of a CloudEvent 1.0 in structured mode, application/cloudevents+json. The headers and the signature are the same."`
	Headers        Headers  `json:"headers" doc:"Headers of every call, up to 10: an Authorization for instance. Values are kept sealed and shown as ••••; sent back like that they stay. null takes one away." example:"{\"Authorization\":\"Bearer …\"}"`
	CACertificate  *string  `json:"ca_certificate" maxLength:"16384" doc:"Certificates, as PEM, that the server's certificate is verified by in place of the public authorities: of an authority of your own, or the server's itself. Up to 10. null: the public ones."`
	RateLimit      *int     `json:"rate_limit" minimum:"1" maximum:"1000" unit:"calls per second" doc:"Calls per second at most. null: as fast as answers come."`

	CACertificateExpiresAt *string `json:"ca_certificate_expires_at" readOnly:"true" format:"date-time" doc:"When the first of the certificates in ca_certificate ends: replace it before, or calls fail."`
	FailingSince           *string `json:"failing_since" readOnly:"true" format:"date-time" doc:"Since when deliveries have been failing; null while they succeed."`
	DisabledAt             *string `json:"disabled_at" readOnly:"true" format:"date-time" doc:"When it was disabled."`
	DisabledReason         *string `json:"disabled_reason" readOnly:"true" doc:"Why it was disabled, in a sentence."`
	SecretRotatedAt        *string `json:"secret_rotated_at" readOnly:"true" format:"date-time" doc:"When the secret was last replaced; null while it is the first."`
	ConsecutiveFailures    int     `json:"consecutive_failures" readOnly:"true" doc:"Failed attempts since the last success."`
	LastSuccessAt          *string `json:"last_success_at" readOnly:"true" format:"date-time" doc:"When a delivery last succeeded."`
	LastAttemptAt          *string `json:"last_attempt_at" readOnly:"true" format:"date-time" doc:"When a delivery was last tried."`

	Secret *string `json:"secret" maxLength:"94" doc:"What the calls are signed with: whsec_ and 24 to 64 bytes in base64. Left out of a create, it is made, of 32 random bytes. Shown in the answer to the create, and never again: everywhere else it is null. POST …/secret/rotate replaces it." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`

	givenSecret  string            // which prepare takes out of Secret and applied seals; "": one is to be made
	headerValues map[string]string // new values, which prepare takes out of Headers and applied seals
}

func (p public) endpoints() resource.Definition[WebhookEndpoint] {
	dispatched := func(column string) string {
		return "(SELECT d." + column + " FROM dispatch d WHERE d.organization_id = t.organization_id AND d.endpoint_id = t.id)"
	}
	return resource.Definition[WebhookEndpoint]{
		Collection: "webhook_endpoints", Table: "webhook_endpoint",
		Label: "url",
		Computed: map[string]string{
			"consecutive_failures": "coalesce(" + dispatched("consecutive_failures") + ", 0)",
			"last_success_at":      dispatched("last_success_at"), "last_attempt_at": dispatched("last_attempt_at"),
			"secret": "NULL::text",
		},
		RevealOnce:        &resource.RevealOnce{Field: "secret", Find: p.sealer.secrets}, // the first secret has the endpoint's id
		BeforeTransaction: p.lookUpHosts, BeforeWrite: p.prepare,
		Events: map[string]resource.Emits[WebhookEndpoint]{
			"webhook_endpoint.failing":   resource.WhenUpdated(beganToFail),
			"webhook_endpoint.disabled":  resource.WhenUpdated(wasDisabled),
			"webhook_endpoint.recovered": resource.WhenUpdated(recovered),
		},
		AfterWrite: p.applied,
	}
}

// prepare checks what the declaration cannot say. It reports every field error before it refuses anything.
func (p public) prepare(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WebhookEndpoint]) error {
	if len(changes) == 0 || changes[0].After == nil { // deletes
		return nil
	}
	for _, c := range changes {
		before := &WebhookEndpoint{}
		if c.Before != nil {
			before = c.Before
		}
		checkPatterns(c.After.EventTypes, "event_types", c.FieldError)
		if !slices.Equal(before.ChangedAny, c.After.ChangedAny) || !slices.Equal(before.EventTypes, c.After.EventTypes) {
			checkFieldNames(c.After.ChangedAny, c.After.EventTypes, c.FieldError)
		}
		if !reflect.DeepEqual(before.Filters, c.After.Filters) || !slices.Equal(before.EventTypes, c.After.EventTypes) {
			checkFilterNames(c.After.Filters, c.After.EventTypes, c.FieldError)
		}
		c.After.takeSecret(c.Before == nil, c.FieldError)
		if c.Sets("headers") {
			c.After.Headers, c.After.headerValues = c.After.Headers.extractValues(before.Headers, c.FieldError)
			if len(c.After.headerValues) == 0 {
				c.After.headerValues = nil // nothing new: nothing to write
			}
		}
		c.After.takeAuthorities(before, p.now(), c.FieldError)
		c.After.checkQueue(c.FieldError)
		c.After.URL = normalizeURL(c.After.URL)
		if choosesOtherwise(before, c.After) || c.Before != nil && sendsOtherwise(before, c.After) {
			// Who sends events to another URL, or others of them, or more of each, or in another way, must be allowed to read them, even if
			// somebody else chose the types.
			if refusal := mayReceive(principal.From(ctx), c.After.EventTypes); refusal != nil {
				c.Reject(refusal)
			}
		}
	}
	if err := p.checkURLs(ctx, changes); err != nil {
		return err
	}
	return refuseDuplicates(ctx, tx, changes)
}

// takeSecret takes a given secret out of the record, in which none is kept.
func (e *WebhookEndpoint) takeSecret(isNew bool, fail func(field, format string, args ...any)) {
	given := e.Secret
	e.Secret = nil
	switch {
	case given == nil:
	case !isNew:
		fail("secret", "is given when the endpoint is made; POST /v1/webhook-endpoints/{id}/secret/rotate replaces it, with overlap")
	default:
		if problem := secretProblem(*given); problem != "" {
			fail("secret", "%s", problem)
		}
		e.givenSecret = *given
	}
}

// normalizeURL spells a URL in one way, so that equal URLs can be compared. An invalid one is left to checkURLs.
func normalizeURL(raw string) string {
	address, err := url.Parse(raw)
	if err != nil || address.Host == "" {
		return raw
	}
	address.Scheme, address.Host = strings.ToLower(address.Scheme), strings.ToLower(address.Host)
	if port := address.Port(); port == "443" && address.Scheme == "https" || port == "80" && address.Scheme == "http" {
		address.Host = strings.TrimSuffix(address.Host, ":"+port)
	}
	if address.Path == "" {
		address.Path = "/"
	}
	return address.String()
}

type namesKey struct{}

// lookUpHosts finds the addresses of the hosts that a call names, for checkURLs. A name server may be as slow as it likes, so no
// transaction is open meanwhile.
func (p public) lookUpHosts(ctx context.Context, bodies []map[string]any) (context.Context, error) {
	var urls []string
	for _, body := range bodies {
		if raw, ok := body["url"].(string); ok {
			urls = append(urls, strings.TrimSpace(raw))
		}
	}
	names, err := p.external.LookUp(ctx, urls)
	if err != nil {
		return nil, fault.InvalidFields(fault.Field{Field: "data", Message: err.Error()})
	}
	return context.WithValue(ctx, namesKey{}, names), nil
}

// checkURLs fails URLs that may not be called.
func (p public) checkURLs(ctx context.Context, changes []*resource.Change[WebhookEndpoint]) error {
	names, _ := ctx.Value(namesKey{}).(external.Names)
	for _, c := range changes {
		if c.Before != nil && c.Before.URL == c.After.URL {
			continue
		}
		err := p.external.CheckURL(c.After.URL, names)
		var refusal *external.Rejection
		if errors.As(err, &refusal) {
			c.FieldError("url", "%s", refusal)
		} else if err != nil {
			return fmt.Errorf("check the url of a webhook endpoint: %w", err)
		}
	}
	return nil
}

// refuseDuplicates refuses an endpoint that exists already, and one beyond maxEndpoints. A lock lets one transaction at a time
// check an organization's endpoints.
func refuseDuplicates(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WebhookEndpoint]) error {
	if !slices.ContainsFunc(changes, func(c *resource.Change[WebhookEndpoint]) bool {
		return c.Before == nil || endpointIdentity(c.Before) != endpointIdentity(c.After)
	}) {
		return nil
	}
	organization := principal.From(ctx).OrganizationID
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' endpoints of ' || $1, 0))`,
		organization); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `SELECT id::text, url, event_types FROM webhook_endpoint WHERE organization_id = $1`, organization)
	if err != nil {
		return err
	}
	existing := map[string]string{} // ids by endpointIdentity
	count := 0
	var e WebhookEndpoint
	if _, err := pgx.ForEachRow(rows, []any{&e.ID, &e.URL, &e.EventTypes}, func() error {
		existing[endpointIdentity(&e)] = e.ID
		count++
		e.EventTypes = nil // the next row has a list of its own
		return nil
	}); err != nil {
		return err
	}
	for _, c := range changes {
		key := endpointIdentity(c.After)
		if c.Before != nil {
			if endpointIdentity(c.Before) == key {
				continue
			}
			delete(existing, endpointIdentity(c.Before))
		}
		if id := existing[key]; id != "" {
			refusal := fault.Conflict("already_exists", "url", c.After.URL, "There already is a webhook endpoint with this url and these "+
				"event_types: %s. Change that one, or choose other types.", id)
			refusal.ExistingID = id
			c.Reject(refusal)
			continue
		}
		if c.Before == nil && count >= maxEndpoints {
			c.Reject(fault.Conflict("too_many_endpoints", "webhook_endpoints", count, "An organization can have %d webhook endpoints, and this "+
				"one has them. Delete one that is not needed any more, or add event_types to one that is there.", maxEndpoints))
			continue
		}
		if c.Before == nil {
			count++
		}
		existing[key] = c.ID()
	}
	return nil
}

// endpointIdentity is what no two endpoints of an organization may share: the URL and the set of types.
func endpointIdentity(e *WebhookEndpoint) string {
	return e.URL + " " + strings.Join(slices.Sorted(slices.Values(e.EventTypes)), " ")
}

func wasDisabled(before, after *WebhookEndpoint) bool {
	return after.Status == disabled && before.Status != disabled
}

// beganToFail says that an endpoint fails that did not; one that is disabled for it has the event of that.
func beganToFail(before, after *WebhookEndpoint) bool {
	return before.FailingSince == nil && after.FailingSince != nil && !wasDisabled(before, after)
}

// recovered says that an endpoint works again by itself: one that is resumed is only tried again.
func recovered(before, after *WebhookEndpoint) bool {
	return before.FailingSince != nil && after.FailingSince == nil && before.Status == after.Status
}

// applied writes what is stored beside the record: what its maker may read, its first secret, header values, and the
// mark of a deleted endpoint.
func (p public) applied(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WebhookEndpoint]) error {
	if err := keepScopes(ctx, tx, changes); err != nil {
		return err
	}
	for _, c := range changes {
		var err error
		switch {
		case c.After == nil:
			err = markDeleted(ctx, tx, c.ID())
		case c.Before == nil:
			if err = p.sealer.addSecret(ctx, tx, c.ID(), c.ID(), c.After.givenSecret); err == nil {
				err = p.storeHeaders(ctx, tx, c)
			}
		default:
			err = p.storeHeaders(ctx, tx, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepScopes keeps what the caller may read who chose where events go, or which: an event about a document goes to an endpoint whose maker
// may read what the document is on.
func keepScopes(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WebhookEndpoint]) error {
	var chosen []string
	for _, c := range changes {
		if c.After != nil && (c.Before == nil || choosesOtherwise(c.Before, c.After)) {
			chosen = append(chosen, c.ID())
		}
	}
	if chosen == nil {
		return nil
	}
	caller := principal.From(ctx)
	_, err := tx.Exec(ctx, `UPDATE webhook_endpoint SET maker_scopes = $2::text[] WHERE organization_id = $1 AND id = ANY($3::uuid[])`,
		caller.OrganizationID, append([]string{}, caller.Scopes...), chosen)
	return err
}

// sendsOtherwise says whether a change of an endpoint is one of how events are sent: by what, in which form, with which headers, and to
// whom the connection is believed to be.
func sendsOtherwise(before, after *WebhookEndpoint) bool {
	sameAuthorities := before.CACertificate == after.CACertificate ||
		before.CACertificate != nil && after.CACertificate != nil && *before.CACertificate == *after.CACertificate
	return after.Destination != before.Destination || after.Format != before.Format || !sameAuthorities ||
		len(after.headerValues) > 0 || !reflect.DeepEqual(before.Headers, after.Headers)
}

// choosesOtherwise says whether a change of an endpoint is one of where events go, or of which, or sends more of them.
func choosesOtherwise(before, after *WebhookEndpoint) bool {
	for name, values := range before.Filters {
		if widens(values, after.Filters[name]) {
			return true
		}
	}
	return after.URL != before.URL ||
		!slices.Equal(after.EventTypes, before.EventTypes) || before.Payload == "thin" && after.Payload != "thin" ||
		widens(before.SiteIDs, after.SiteIDs) || widens(before.ChangedAny, after.ChangedAny) || lacks(after.ExcludeOrigins, before.ExcludeOrigins)
}

// widens says whether a list of what is let through, which lets all through when it is empty, lets more through than before.
func widens(before, after []string) bool {
	return len(before) > 0 && (len(after) == 0 || lacks(before, after))
}

// lacks says whether a list does not have all values of another one.
func lacks(list, values []string) bool {
	return slices.ContainsFunc(values, func(value string) bool { return !slices.Contains(list, value) })
}

// storeHeaders seals the values of an endpoint's headers: those it had and still has, and the new ones.
func (p public) storeHeaders(ctx context.Context, tx pgx.Tx, c *resource.Change[WebhookEndpoint]) error {
	if !c.Sets("headers") {
		return nil
	}
	organization := principal.From(ctx).OrganizationID
	var sealed []byte
	if err := tx.QueryRow(ctx, `SELECT sealed_headers FROM webhook_endpoint WHERE organization_id = $1 AND id = $2`, organization,
		c.ID()).Scan(&sealed); err != nil {
		return err
	}
	values, err := p.sealer.openHeaders(sealed, c.ID())
	if err != nil {
		return err
	}
	for name := range values {
		if _, stays := c.After.Headers[name]; !stays {
			delete(values, name)
		}
	}
	for name, value := range c.After.headerValues {
		values[name] = value
	}
	if sealed, err = p.sealer.sealHeaders(values, c.ID()); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE webhook_endpoint SET sealed_headers = $3 WHERE organization_id = $1 AND id = $2`, organization, c.ID(),
		sealed)
	return err
}
