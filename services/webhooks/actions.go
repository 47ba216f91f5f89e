package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// maxSecrets is how many secrets of an endpoint may be valid at once. Each of them signs every call.
const maxSecrets = 3

// endpointRequest names an endpoint.
type endpointRequest struct {
	ID string `path:"id" format:"uuid" doc:"Of the endpoint, as the list gives it."`
}

func (p public) mountActions() {
	path := "/v1/webhook-endpoints/{id}"
	key := transport.Parameter{Name: "Idempotency-Key", In: "header",
		Description: "Up to 255 characters; the first answer is kept for 24 hours and given again.",
		Schema:      map[string]any{"type": "string", "maxLength": 255}}
	id := transport.Parameter{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"},
		Description: "Of the endpoint, as the list gives it."}
	for _, move := range []struct {
		name, summary, description string
		do                         func(ctx context.Context, tx pgx.Tx, id string) error
	}{
		{"pause", "Pause a webhook endpoint", "Nothing is sent until it is resumed; what happens meanwhile waits. 409 for one that is " +
			"disabled: nothing is sent to it anyway.", p.pause},
		{"resume", "Resume a webhook endpoint", "From paused or disabled. What waits is delivered, in the order of each record.", p.resume},
	} {
		p.registry.API.Handle(transport.Operation{
			Method: http.MethodPost, Path: path + "/" + move.name, ID: move.name + "_webhook_endpoint", Scope: scope + ":write",
			Versioned:   true,
			Summary:     move.summary,
			Description: move.description + " Answers the endpoint.", Parameters: []transport.Parameter{id, key},
			Response: transport.Reference("WebhookEndpoint"),
		}, func(ctx context.Context, r *transport.Request) (*transport.Response, error) {
			return p.changeStatus(ctx, r, move.do)
		})
	}
	transport.Post(p.registry.API, transport.Operation{
		Path: path + "/test", ID: "test_webhook_endpoint",
		ResponseName: "WebhookDeliveryDetail", Scope: scope + ":write", Summary: "Send a test to a webhook endpoint",
		Description: "Sends one event of type webhook.test at once, also to an endpoint that is paused or disabled, and answers what the " +
			"receiver did: at most 15 seconds later. It is kept among the deliveries and not tried again.",
		Parameters: []transport.Parameter{key}, Response: deliveryDetailSchema(), CallsOut: true,
	}, p.test)
	transport.Post(p.registry.API, transport.Operation{
		Path: path + "/secret/rotate", ID: "rotate_webhook_endpoint_secret", BodyName: "SecretRotation", Scope: scope + ":write",
		Summary: "Replace the secret of a webhook endpoint",
		Description: "Answers the new secret, once. Until previous_expires_at calls carry the signatures of both, so the receiver can change " +
			"over without a gap. With 0 hours the old one ends at once: for a secret that somebody else has seen. The same Idempotency-Key shows " +
			"the new secret again while it counts; the answer that is kept for it holds none.",
		Parameters: []transport.Parameter{key}, Complete: p.showSecret,
	}, p.rotate)
}

// changeStatus pauses or resumes the endpoint in the path.
func (p public) changeStatus(
	ctx context.Context, r *transport.Request, do func(ctx context.Context, tx pgx.Tx, id string) error,
) (response *transport.Response, err error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	err = p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := lockEndpoint(ctx, tx, id); err != nil {
			return err
		}
		if err := do(ctx, tx, id); err != nil {
			return err
		}
		response, err = p.registry.Show(ctx, tx, "webhook_endpoints", id)
		return err
	})
	return response, postgres.Fault(err, nil)
}

// lockEndpoint locks the endpoint's row until the commit. An endpoint that the organization does not have is a 404.
func lockEndpoint(ctx context.Context, tx pgx.Tx, id string) error {
	tag, err := tx.Exec(ctx, `SELECT FROM webhook_endpoint WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE`,
		principal.From(ctx).OrganizationID, id)
	if err == nil && tag.RowsAffected() == 0 {
		err = fault.NotFound("webhook endpoint", id)
	}
	return err
}

func (p public) pause(ctx context.Context, tx pgx.Tx, id string) error {
	var status string
	if err := tx.QueryRow(ctx, `SELECT status FROM webhook_endpoint WHERE organization_id = $1 AND id = $2`,
		principal.From(ctx).OrganizationID, id).Scan(&status); err != nil {
		return err
	}
	if status == disabled {
		refusal := fault.Conflict("transition_not_allowed", "status", paused, "The webhook endpoint is disabled and cannot become paused; "+
			"nothing is sent to it until it is resumed.")
		refusal.Allowed = []string{active}
		return refusal
	}
	if err := p.registry.UpdateWhere(ctx, tx, "webhook_endpoints", []string{"status"}, `SELECT $2::uuid AS id, 'paused'::text AS status`,
		id); err != nil {
		return err
	}
	return pauseDispatch(ctx, tx, id)
}

func (p public) resume(ctx context.Context, tx pgx.Tx, id string) error {
	if err := p.registry.UpdateWhere(ctx, tx, "webhook_endpoints", []string{"status", "failing_since", "disabled_at", "disabled_reason"},
		`SELECT $2::uuid AS id, 'active'::text AS status, NULL::timestamptz AS failing_since, NULL::timestamptz AS disabled_at,
			NULL::text AS disabled_reason`, id); err != nil {
		return err
	}
	return resumeDispatch(ctx, tx, id, p.now())
}

// test sends an event to one endpoint and waits for the response. No transaction is open meanwhile.
func (p public) test(ctx context.Context, in endpointRequest) (DeliveryDetail, error) {
	caller := principal.From(ctx)
	var to target
	err := p.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		to, err = p.sealer.target(ctx, tx, in.ID)
		return err
	})
	if err != nil {
		return DeliveryDetail{}, postgres.Fault(err, nil)
	}
	actor, err := json.Marshal(caller.Actor)
	if err != nil {
		return DeliveryDetail{}, err
	}
	m := message{
		organizationID: caller.OrganizationID, id: newID(), eventType: testType, collection: "webhook_endpoints", recordID: in.ID, version: 1,
		at:      p.now().UTC().Truncate(time.Microsecond),
		payload: payload(testObject(in.ID), "[]", "{}", string(actor), caller.Origin, caller.RequestID),
	}
	deliveryID := newID()
	sent := p.sender.send(ctx, to, deliveryID, 1, m)
	var shown DeliveryDetail
	err = p.db.Write(detached(ctx), func(ctx context.Context, tx pgx.Tx) error {
		if err := lockEndpoint(ctx, tx, in.ID); err != nil { // it may have been deleted meanwhile
			return err
		}
		if err := recordTest(ctx, tx, in.ID, deliveryID, m, sent); err != nil {
			return err
		}
		if err := p.registry.Audit(ctx, tx, "webhook_endpoints", in.ID, "tested", map[string]any{"delivery_id": deliveryID}); err != nil {
			return err
		}
		shown, err = readDelivery(ctx, tx, deliveryID)
		return err
	})
	return shown, postgres.Fault(err, nil)
}

// rotateRequest says how long the former secret stays valid.
type rotateRequest struct {
	ID           string  `path:"id" format:"uuid" doc:"Of the endpoint, as the list gives it."`
	OverlapHours int     `json:"overlap_hours" default:"24" minimum:"0" maximum:"168" unit:"hour" doc:"How long the former secret signs as well, 0 to 168." example:"24"`
	Secret       *string `json:"secret" maxLength:"94" doc:"A secret of your own: whsec_ and 24 to 64 bytes in base64. Left out, one is made." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
}

// RotatedSecret is a new secret.
type RotatedSecret struct {
	ID                string  `json:"id" format:"uuid" doc:"Of the secret."`
	Secret            *string `json:"secret" doc:"What calls are signed with from now on; shown in this answer only."`
	PreviousExpiresAt string  `json:"previous_expires_at" format:"date-time" doc:"Until then the former secret signs as well."`
}

func (p public) rotate(ctx context.Context, in rotateRequest) (RotatedSecret, error) {
	given := ""
	if in.Secret != nil {
		given = *in.Secret
		if problem := secretProblem(given); problem != "" {
			return RotatedSecret{}, fault.InvalidFields(fault.Field{Field: "secret", Message: problem})
		}
	}
	now := p.now().UTC().Truncate(time.Microsecond)
	made := RotatedSecret{ID: newID(), PreviousExpiresAt: now.Add(time.Duration(in.OverlapHours) * time.Hour).Format(timestampFormat)}
	err := p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := lockEndpoint(ctx, tx, in.ID); err != nil {
			return err
		}
		organization := principal.From(ctx).OrganizationID
		if _, err := tx.Exec(ctx, `DELETE FROM webhook_endpoint_secret WHERE organization_id = $1 AND endpoint_id = $2 AND expires_at <= $3`,
			organization, in.ID, now); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE webhook_endpoint_secret SET expires_at = least(expires_at, $3::timestamptz)
			WHERE organization_id = $1 AND endpoint_id = $2`,
			organization, in.ID, made.PreviousExpiresAt); err != nil {
			return err
		}
		if err := p.refuseTooManySecrets(ctx, tx, in.ID, now); err != nil {
			return err
		}
		if err := p.sealer.addSecret(ctx, tx, in.ID, made.ID, given); err != nil {
			return err
		}
		return p.registry.UpdateWhere(ctx, tx, "webhook_endpoints", []string{"secret_rotated_at"},
			`SELECT $2::uuid AS id, $3::timestamptz AS secret_rotated_at`, in.ID, now)
	})
	return made, postgres.Fault(err, nil)
}

// refuseTooManySecrets is a 409 when maxSecrets are valid already.
func (p public) refuseTooManySecrets(ctx context.Context, tx pgx.Tx, id string, now time.Time) error {
	var count int
	var first *time.Time
	err := tx.QueryRow(ctx, `SELECT count(*), min(expires_at) FROM webhook_endpoint_secret
		WHERE organization_id = $1 AND endpoint_id = $2 AND expires_at > $3`,
		principal.From(ctx).OrganizationID, id, now).Scan(&count, &first)
	if err == nil && count >= maxSecrets {
		err = fault.Conflict("too_many_secrets", "overlap_hours", count, "%d secrets of this endpoint count already, which is the most; the "+
			"first ends at %s. Rotate then, or now with overlap_hours 0, which ends them all.",
			count, first.UTC().Format(timestampFormat))
	}
	return err
}

// showSecret puts the new secret into the response to a rotation. The response that is stored for the idempotency key has none.
func (p public) showSecret(ctx context.Context, response *transport.Response) error {
	var made RotatedSecret
	if err := json.Unmarshal(response.Body, &made); err != nil || !schema.IsUUID(made.ID) {
		return fmt.Errorf("read the response to a rotation: %w", err)
	}
	err := p.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		found, err := p.sealer.secrets(ctx, tx, []string{made.ID})
		if secret, valid := found[made.ID]; valid {
			made.Secret = &secret
		}
		return err
	})
	if err != nil {
		return postgres.Fault(err, nil)
	}
	response.Body, err = json.Marshal(made) // #nosec G117 -- the one response that shows it
	return err
}
