package transport

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"

	kit "github.com/go-kit/kit/endpoint"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// idempotent replays the response of an earlier POST with the same Idempotency-Key.
//
// The claim of the key, the write and the stored response are one transaction: after a crash either all of them are there or
// none. A second request with the key waits for the first at the claim's unique index. A request that fails has written and
// stored nothing; a retry runs again. Responses are stored for 24 hours.
func (api *API) idempotent(op Operation) kit.Middleware {
	return func(next kit.Endpoint) kit.Endpoint {
		return func(ctx context.Context, request any) (response any, err error) {
			r := request.(*Request)
			key := r.Header.Get("Idempotency-Key")
			if key == "" || op.Method != http.MethodPost {
				return next(ctx, request)
			}
			if len(key) > 255 {
				return nil, fault.InvalidFields(fault.Field{Field: "Idempotency-Key", Message: "must have at most 255 characters"})
			}
			fingerprint := sha256.Sum256([]byte(r.Method + " " + r.URL.RequestURI() + "\n" + string(r.Body)))
			err = api.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				response, err = claim(ctx, tx, key, fingerprint[:])
				if response != nil || err != nil {
					return err
				}
				if response, err = next(ctx, request); err != nil {
					return err
				}
				return store(ctx, tx, key, response.(*Response))
			})
			return response, err
		}
	}
}

// complete adds to the response what is not stored with it.
func complete(op Operation) kit.Middleware {
	return func(next kit.Endpoint) kit.Endpoint {
		if op.Complete == nil {
			return next
		}
		return func(ctx context.Context, request any) (any, error) {
			response, err := next(ctx, request)
			if err != nil {
				return nil, err
			}
			return response, op.Complete(ctx, response.(*Response))
		}
	}
}

// claim takes the key for this request, or gives the response that is stored for it.
func claim(ctx context.Context, tx pgx.Tx, key string, fingerprint []byte) (any, error) {
	p := principal.From(ctx)
	// Deletes this key's expired response, and a few of the organization's oldest, so that the table does not grow.
	if _, err := tx.Exec(ctx, `
		WITH old AS (
			SELECT actor_id, key FROM idempotency WHERE organization_id = $1 AND created_at < now() - interval '24 hours'
			ORDER BY created_at LIMIT 10 FOR UPDATE SKIP LOCKED)
		DELETE FROM idempotency WHERE organization_id = $1 AND created_at < now() - interval '24 hours'
			AND (actor_id = $2 AND key = $3 OR (actor_id, key) IN (SELECT actor_id, key FROM old))`,
		p.OrganizationID, p.Actor.ID, key); err != nil {
		return nil, err
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO idempotency (organization_id, actor_id, key, fingerprint, status, created_at)
		VALUES ($1, $2, $3, $4, 0, now()) ON CONFLICT DO NOTHING`, p.OrganizationID, p.Actor.ID, key, fingerprint)
	if err != nil || tag.RowsAffected() == 1 {
		return nil, err
	}
	var stored struct {
		same         bool
		status       int
		header, body []byte
	}
	err = tx.QueryRow(ctx, `
		SELECT fingerprint = $4, status, headers, body FROM idempotency WHERE organization_id = $1 AND actor_id = $2 AND key = $3`,
		p.OrganizationID, p.Actor.ID, key, fingerprint).Scan(&stored.same, &stored.status, &stored.header, &stored.body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Conflict("idempotency_key_in_use", "Idempotency-Key", key,
			"Another request with this Idempotency-Key is running; ask again in a moment.")
	}
	if err != nil {
		return nil, err
	}
	if !stored.same {
		return nil, fault.Conflict("idempotency_key_reused", "Idempotency-Key", key,
			"The Idempotency-Key %q was used for another request; take a new one for this body.", key)
	}
	response := &Response{Status: stored.status, Body: stored.body}
	if err := json.Unmarshal(stored.header, &response.Header); err != nil {
		return nil, err
	}
	response.SetHeader("Idempotency-Replayed", "true")
	return response, nil
}

func store(ctx context.Context, tx pgx.Tx, key string, response *Response) error {
	p := principal.From(ctx)
	header := response.Header
	if header == nil {
		header = http.Header{}
	}
	encoded, err := json.Marshal(header)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE idempotency SET status = $4, headers = $5, body = $6 WHERE organization_id = $1 AND actor_id = $2 AND key = $3`,
		p.OrganizationID, p.Actor.ID, key, response.Status, encoded, response.Body)
	return err
}
