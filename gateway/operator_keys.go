package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// shownKey is a key as people see it: never its hash, and its value in the one answer to its creation only.
type shownKey struct {
	ID                 string           `json:"id"`
	Name               string           `json:"name"`
	Display            string           `json:"display"`
	Scopes             []string         `json:"scopes"`
	RateLimit          int              `json:"rate_limit"`
	ExpiresAt          string           `json:"expires_at"`
	State              string           `json:"state"`
	StateReason        *string          `json:"state_reason"`
	AllowedNetworks    []string         `json:"allowed_networks"`
	RevokesAt          *string          `json:"revokes_at"` // a replaced key that still runs
	Replaces           *string          `json:"replaces"`
	CreatedAt          string           `json:"created_at"`
	CreatedBy          principal.Actor  `json:"created_by"`
	PrivacyConfirmedBy *principal.Actor `json:"privacy_confirmed_by"`
	PrivacyConfirmedAt *string          `json:"privacy_confirmed_at"`
	LastUsedAt         *string          `json:"last_used_at"`
	LastAddress        *string          `json:"last_address"`
	Value              string           `json:"value,omitempty"`
}

type byKey struct {
	byOrganization
	Key string `path:"key" format:"uuid"`
}

type keyList struct {
	byOrganization
	paged
	State     *string `query:"state" enum:"active,inactive,expired,revoked"`
	CreatedBy *string `query:"created_by" format:"uuid"`
}

type replacement struct {
	byKey
	OverlapSeconds int `json:"overlap_seconds" default:"0" minimum:"0" maximum:"2592000"`
}

func (o *operator) mountKeys(api *transport.API) {
	const collection = "/internal/organizations/{id}/keys"
	api.Handle(transport.Operation{Method: http.MethodPost, Path: collection, ID: "create_key", Body: map[string]any{"type": "object"}}, o.createKey)
	transport.Get(api, transport.Operation{Path: collection, ID: "list_keys"}, o.listKeys)
	transport.Get(api, transport.Operation{Path: collection + "/{key}", ID: "get_key"}, o.getKey)
	transport.Post(api, transport.Operation{Path: collection + "/{key}/revoke", ID: "revoke_key"}, o.revokeKey)
	transport.Post(api, transport.Operation{Path: collection + "/{key}/suspend", ID: "suspend_key"}, o.suspendKey)
	transport.Post(api, transport.Operation{Path: collection + "/{key}/resume", ID: "resume_key"}, o.resumeKey)
	transport.Post(api, transport.Operation{Path: collection + "/{key}/replace", ID: "replace_key", Status: http.StatusCreated}, o.replaceKey)
	transport.Internal(api, "/keys/check", o.checkKey)
}

// createKey makes a key. Only a user who may answer for it makes one, never the platform's operator.
func (o *operator) createKey(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if ctx, err = enter(ctx, id, roleAdministrator, roleService); err != nil {
		return nil, err
	}
	given, err := r.Object()
	if err != nil {
		return nil, err
	}
	wanted, err := readKeyRequest(given, time.Now())
	if err != nil {
		return nil, err
	}
	var made shownKey
	err = o.gateway.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := readOrganization(ctx, tx, id); err != nil {
			return err
		}
		if err := o.mayAnswer(ctx, tx, principal.From(ctx).Actor); err != nil {
			return err
		}
		if made, err = insertKey(ctx, tx, wanted); err != nil {
			return err
		}
		return audit(ctx, tx, "key.created", made.subject(), made.changes())
	})
	if err != nil {
		return nil, err
	}
	return transport.JSON(http.StatusCreated, made)
}

func (o *operator) listKeys(ctx context.Context, in keyList) (list, error) {
	ctx, err := enter(ctx, in.ID, roleOperator, roleService, roleAdministrator)
	if err != nil {
		return list{}, err
	}
	var found []shownKey
	total := 0
	err = o.gateway.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := readOrganization(ctx, tx, in.ID); err != nil {
			return err
		}
		const fits = `AND ($2::text IS NULL OR key_state(k.state, k.retires_at, k.expires_at, statement_timestamp()) = $2)
			AND ($3::uuid IS NULL OR k.created_by_user = $3)`
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM api_key k WHERE k.organization_id = $1 `+fits, in.ID, in.State, in.CreatedBy).Scan(&total); err != nil {
			return err
		}
		found, err = readKeys(ctx, tx, fits+` ORDER BY k.created_at, k.id OFFSET $4 LIMIT $5`, in.ID, in.State, in.CreatedBy, (in.Page-1)*in.PerPage, in.PerPage)
		return err
	})
	return newList(found, in.paged, total), postgres.Fault(err, nil)
}

func (o *operator) getKey(ctx context.Context, in byKey) (found shownKey, err error) {
	if ctx, err = enter(ctx, in.ID, roleOperator, roleService, roleAdministrator); err != nil {
		return found, err
	}
	err = o.gateway.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		found, err = readKey(ctx, tx, in)
		return err
	})
	return found, err
}

// revokeKey is final. Once it has answered, no request that starts later succeeds, on any gateway: each looks the key
// up after it has arrived.
func (o *operator) revokeKey(ctx context.Context, in byKey) (shownKey, error) {
	return o.change(ctx, in, "key.revoked", func(ctx context.Context, tx pgx.Tx, k shownKey) error {
		if k.State == "revoked" && k.RevokesAt == nil {
			return nil // as asked
		}
		_, err := tx.Exec(ctx, `UPDATE api_key SET state = 'revoked', state_reason = NULL, revoked_at = now(), retires_at = NULL
			WHERE organization_id = $1 AND id = $2`, in.ID, in.Key)
		return err
	})
}

func (o *operator) suspendKey(ctx context.Context, in byKey) (shownKey, error) {
	return o.change(ctx, in, "key.suspended", func(ctx context.Context, tx pgx.Tx, k shownKey) error {
		if k.State != "active" && k.State != "inactive" {
			return notPossible("suspended", k)
		}
		_, err := tx.Exec(ctx, `UPDATE api_key SET state = 'inactive', state_reason = 'suspended' WHERE organization_id = $1 AND id = $2`, in.ID, in.Key)
		return err
	})
}

func (o *operator) resumeKey(ctx context.Context, in byKey) (shownKey, error) {
	before, err := o.getKey(ctx, in)
	if err != nil {
		return before, err
	}
	if ctx, err = enter(ctx, in.ID, roleAdministrator, roleService); err != nil {
		return before, err
	}
	var resumed shownKey
	err = o.gateway.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if before.CreatedBy.Type == "user" {
			if err := o.stillAnswers(ctx, tx, before); err != nil {
				return err
			}
		}
		resumed, err = o.change(ctx, in, "key.resumed", func(ctx context.Context, tx pgx.Tx, k shownKey) error {
			if k.State != "active" && k.State != "inactive" {
				return notPossible("resumed", k)
			}
			_, err := tx.Exec(ctx, `UPDATE api_key SET state = 'active', state_reason = NULL WHERE organization_id = $1 AND id = $2`, in.ID, in.Key)
			return err
		})
		return err
	})
	return resumed, err
}

// change does one thing to a key and writes it down, in one transaction.
func (o *operator) change(ctx context.Context, in byKey, action string, do func(ctx context.Context, tx pgx.Tx, k shownKey) error) (changed shownKey, err error) {
	if ctx, err = enter(ctx, in.ID, roleAdministrator, roleService, roleOperator); err != nil {
		return changed, err
	}
	err = o.gateway.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		before, err := lockKey(ctx, tx, in)
		if err != nil {
			return err
		}
		if err := do(ctx, tx, before); err != nil {
			return postgres.Fault(err, nil)
		}
		if changed, err = readKey(ctx, tx, in); err != nil {
			return err
		}
		return audit(ctx, tx, action, changed.subject(), map[string]any{"state": [2]string{before.State, changed.State}})
	})
	return changed, err
}

// replaceKey makes a key with the same name, scopes, limit and networks, and revokes the old one: at once, or when the
// overlap is over.
func (o *operator) replaceKey(ctx context.Context, in replacement) (made shownKey, err error) {
	if ctx, err = enter(ctx, in.ID, roleAdministrator, roleService); err != nil {
		return made, err
	}
	err = o.gateway.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := o.mayAnswer(ctx, tx, principal.From(ctx).Actor); err != nil {
			return err
		}
		old, err := lockKey(ctx, tx, in.byKey)
		if err != nil {
			return err
		}
		if made, err = insertKey(ctx, tx, old.again(time.Now())); err != nil {
			return err
		}
		statement := `UPDATE api_key SET state = 'revoked', state_reason = 'replaced', revoked_at = now(), retires_at = NULL WHERE organization_id = $1 AND id = $2 AND state <> 'revoked'`
		arguments := []any{in.ID, in.Key}
		if in.OverlapSeconds > 0 {
			statement = `UPDATE api_key SET state_reason = 'replaced', retires_at = now() + $3::integer * interval '1 second' WHERE organization_id = $1 AND id = $2 AND state <> 'revoked'`
			arguments = append(arguments, in.OverlapSeconds)
		}
		if _, err := tx.Exec(ctx, statement, arguments...); err != nil {
			return postgres.Fault(err, nil)
		}
		changes := made.changes()
		changes["replaces"], changes["overlap_seconds"] = old.ID, in.OverlapSeconds
		return audit(ctx, tx, "key.replaced", made.subject(), changes)
	})
	return made, err
}

func notPossible(what string, k shownKey) error {
	return fault.Conflict("key_"+k.State, "state", k.State, "A key that is %s cannot be %s.", k.State, what)
}

func (k shownKey) subject() subject { return subject{"key", k.ID, k.Name} }

func (k shownKey) changes() map[string]any {
	encoded, err := json.Marshal(map[string]any{"scopes": k.Scopes, "rate_limit": k.RateLimit, "expires_at": k.ExpiresAt,
		"allowed_networks": k.AllowedNetworks, "privacy_confirmed": k.PrivacyConfirmedAt != nil})
	var changes map[string]any
	if err == nil {
		err = json.Unmarshal(encoded, &changes)
	}
	if err != nil { // texts and numbers
		panic(err)
	}
	return changes
}
