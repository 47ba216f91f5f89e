package transport

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	kit "github.com/go-kit/kit/endpoint"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

const (
	// claimLife is how long a claim without a response keeps its key: longer than the operation may take. After that the process
	// that claimed it was killed.
	claimLife = endpoint.Deadline + 15*time.Second
	// keepTimeout bounds what is written about a key after the operation, whose own context may have ended.
	keepTimeout = 5 * time.Second
)

// idempotencyKey is the header by which a caller sends a request again.
const idempotencyKey = "Idempotency-Key"

// takesIdempotencyKey says whether an Idempotency-Key is looked at for the operation: of every POST, and of what declares the header. One
// of content does so itself.
func (op *Operation) takesIdempotencyKey() bool {
	if op.Content != "" {
		return false
	}
	return op.Method == http.MethodPost || slices.ContainsFunc(op.Parameters, func(p Parameter) bool { return p.Name == idempotencyKey })
}

// idempotent replays the response of an earlier request with the same Idempotency-Key, where the operation takes one.
//
// The claim of the key, the write and the stored response are one transaction: after a crash either all of them are there or
// none. A second request with the key waits for the first at the claim's unique index. A request that fails has written and
// stored nothing; a retry runs again. Responses are stored for 24 hours. An operation that calls out has outside instead.
func (api *API) idempotent(op Operation) kit.Middleware {
	return func(next kit.Endpoint) kit.Endpoint {
		return func(ctx context.Context, request any) (response any, err error) {
			r := request.(*Request)
			key := r.Header.Get(idempotencyKey)
			if key == "" || !op.takesIdempotencyKey() {
				return next(ctx, request)
			}
			if len(key) > 255 {
				return nil, fault.InvalidFields(fault.Field{Field: "Idempotency-Key", Message: "must have at most 255 characters"})
			}
			fingerprint := sha256.Sum256([]byte(r.Method + " " + r.URL.RequestURI() + "\n" + string(r.Body)))
			if op.CallsOut {
				return api.outside(ctx, key, fingerprint[:], func() (any, error) { return next(ctx, request) })
			}
			err = api.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				var claimed time.Time
				claimed, response, err = claim(ctx, tx, key, fingerprint[:])
				if response != nil || err != nil {
					return err
				}
				if response, err = next(ctx, request); err != nil {
					return err
				}
				return store(ctx, tx, key, claimed, response.(*Response))
			})
			return response, err
		}
	}
}

// outside does what calls somebody outside with no transaction around it: the claim is one, the stored response another. A second
// request with the key meanwhile is a 409. A failure gives the claim back; a claim that a killed process has left is taken over
// after claimLife.
func (api *API) outside(ctx context.Context, key string, fingerprint []byte, do func() (any, error)) (response any, err error) {
	var claimed time.Time
	err = api.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := dropAbandoned(ctx, tx, key); err != nil {
			return err
		}
		claimed, response, err = claim(ctx, tx, key, fingerprint)
		return err
	})
	if response != nil || err != nil {
		return response, err
	}
	stored := false
	defer func() { // also when do panics
		if !stored {
			api.giveBack(ctx, key, claimed)
		}
	}()
	if response, err = do(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout) // what was done is done, also when the caller hangs up
	defer cancel()
	err = api.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return store(ctx, tx, key, claimed, response.(*Response)) })
	if err != nil {
		return nil, fmt.Errorf("keep the response for an Idempotency-Key: %w", err)
	}
	stored = true
	return response, nil
}

// dropAbandoned deletes the claim of a process that was killed.
func dropAbandoned(ctx context.Context, tx pgx.Tx, key string) error {
	p := principal.From(ctx)
	_, err := tx.Exec(ctx, `DELETE FROM idempotency WHERE organization_id = $1 AND actor_id = $2 AND key = $3 AND headers IS NULL
		AND created_at < now() - make_interval(secs => $4)`, p.OrganizationID, p.Actor.ID, key, claimLife.Seconds())
	return err
}

// giveBack deletes this request's claim, so that a retry runs at once. Where that fails, the claim ends after claimLife.
func (api *API) giveBack(ctx context.Context, key string, claimed time.Time) {
	p := principal.From(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	err := api.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM idempotency WHERE organization_id = $1 AND actor_id = $2 AND key = $3 AND headers IS NULL
			AND created_at = $4`, p.OrganizationID, p.Actor.ID, key, claimed)
		return err
	})
	if err != nil {
		api.Log.WarnContext(ctx, "the claim of an Idempotency-Key was not given back", "error", err)
	}
}

// before calls what comes before any transaction.
func before(op Operation) kit.Middleware {
	return func(next kit.Endpoint) kit.Endpoint {
		if op.Before == nil {
			return next
		}
		return func(ctx context.Context, request any) (any, error) {
			ctx, err := op.Before(ctx, request.(*Request))
			if err != nil {
				return nil, err
			}
			return next(ctx, request)
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

// responseTime is how long a response is stored.
const responseTime = 24 * time.Hour

// claim takes the key for this request and says when, or gives the response that is stored for it.
func claim(ctx context.Context, tx pgx.Tx, key string, fingerprint []byte) (claimed time.Time, response any, err error) {
	p := principal.From(ctx)
	// A response whose time is over is replaced; the others are left to sweep_idempotency.
	err = tx.QueryRow(ctx, `
		INSERT INTO idempotency AS i (organization_id, actor_id, key, fingerprint, status, created_at)
		VALUES ($1, $2, $3, $4, 0, now()) ON CONFLICT (organization_id, actor_id, key) DO UPDATE
			SET fingerprint = excluded.fingerprint, status = 0, headers = NULL, body = NULL, created_at = excluded.created_at
			WHERE i.created_at < $5
		RETURNING created_at`,
		p.OrganizationID, p.Actor.ID, key, fingerprint, time.Now().Add(-responseTime)).Scan(&claimed)
	if !errors.Is(err, pgx.ErrNoRows) {
		return claimed, nil, err
	}
	response, err = stored(ctx, tx, key, fingerprint)
	return claimed, response, err
}

// stored gives the response that is stored for a key.
func stored(ctx context.Context, tx pgx.Tx, key string, fingerprint []byte) (any, error) {
	p := principal.From(ctx)
	inUse := fault.Conflict("idempotency_key_in_use", "Idempotency-Key", key,
		"Another request with this Idempotency-Key is running; ask again in a moment.")
	var found struct {
		same         bool
		status       int
		header, body []byte
	}
	err := tx.QueryRow(ctx, `
		SELECT fingerprint = $4, status, headers, body FROM idempotency WHERE organization_id = $1 AND actor_id = $2 AND key = $3`,
		p.OrganizationID, p.Actor.ID, key, fingerprint).Scan(&found.same, &found.status, &found.header, &found.body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, inUse
	}
	if err != nil {
		return nil, err
	}
	if !found.same {
		return nil, fault.Conflict("idempotency_key_reused", "Idempotency-Key", key,
			"The Idempotency-Key %q was used for another request; take a new one for this body.", key)
	}
	if found.header == nil { // claimed by an operation that calls out
		return nil, inUse
	}
	response := &Response{Status: found.status, Body: found.body}
	if err := json.Unmarshal(found.header, &response.Header); err != nil {
		return nil, err
	}
	response.SetHeader("Idempotency-Replayed", "true")
	return response, nil
}

// store keeps the response for the key that this request has claimed, and does nothing where another has taken the claim over.
func store(ctx context.Context, tx pgx.Tx, key string, claimed time.Time, response *Response) error {
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
		UPDATE idempotency SET status = $5, headers = $6, body = $7 WHERE organization_id = $1 AND actor_id = $2 AND key = $3
			AND headers IS NULL AND created_at = $4`,
		p.OrganizationID, p.Actor.ID, key, claimed, response.Status, encoded, response.Body)
	return err
}
