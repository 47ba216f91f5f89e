package accounts

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

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

// apiKeys are the operations on keys.
type apiKeys struct {
	db       *postgres.DB
	creators *creators
}

func (a *apiKeys) mount(api *transport.API) {
	const collection = "/internal/organizations/{id}/keys"
	create := transport.Operation{Method: http.MethodPost, Path: collection, ID: "create_key", Body: map[string]any{"type": "object"}}
	api.Handle(create, a.createKey)
	transport.Get(api, transport.Operation{Path: collection, ID: "list_keys"}, a.listKeys)
	transport.Get(api, transport.Operation{Path: collection + "/{key}", ID: "get_key"}, a.getKey)
	transport.Post(api, transport.Operation{Path: collection + "/{key}/revoke", ID: "revoke_key"}, a.revokeKey)
	transport.Post(api, transport.Operation{Path: collection + "/{key}/suspend", ID: "suspend_key"}, a.suspendKey)
	transport.Post(api, transport.Operation{Path: collection + "/{key}/resume", ID: "resume_key"}, a.resumeKey)
	replace := transport.Operation{Path: collection + "/{key}/replace", ID: "replace_key", Status: http.StatusCreated}
	transport.Post(api, replace, a.replaceKey)
}

// createKey makes a key. Only a user who may answer for it makes one, never the platform's admin.
func (a *apiKeys) createKey(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if ctx, err = authorizeSandbox(ctx, id, roleAdministrator, roleService); err != nil {
		return nil, err
	}
	given, err := r.Object()
	if err != nil {
		return nil, err
	}
	draft, err := readDraft(given, time.Now())
	if err != nil {
		return nil, err
	}
	var made keys.Record
	err = a.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := readOrganization(ctx, tx, id); err != nil {
			return err
		}
		if err := a.creators.mayCreate(ctx, tx, principal.From(ctx).Actor); err != nil {
			return err
		}
		if err := roomForKey(ctx, tx, id); err != nil {
			return err
		}
		if made, err = keys.Insert(ctx, tx, draft); err != nil {
			return err
		}
		return audit(ctx, tx, "key.created", keySubject(made), keyChanges(made))
	})
	if err != nil {
		return nil, err
	}
	return transport.JSON(http.StatusCreated, made)
}

func (a *apiKeys) listKeys(ctx context.Context, in keyList) (list, error) {
	ctx, err := authorizeSandbox(ctx, in.ID, rolePlatformAdmin, roleService, roleAdministrator)
	if err != nil {
		return list{}, err
	}
	var found []keys.Record
	total := 0
	err = a.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := readOrganization(ctx, tx, in.ID); err != nil {
			return err
		}
		const fits = `AND ($2::text IS NULL OR key_state(k.state, k.retires_at, k.expires_at, statement_timestamp()) = $2)
			AND ($3::uuid IS NULL OR k.created_by_user = $3)`
		count := `SELECT count(*) FROM api_key k WHERE k.organization_id = $1 ` + fits
		if err := tx.QueryRow(ctx, count, in.ID, in.State, in.CreatedBy).Scan(&total); err != nil {
			return err
		}
		found, err = keys.Select(ctx, tx, fits+` ORDER BY k.created_at, k.id OFFSET $4 LIMIT $5`,
			in.ID, in.State, in.CreatedBy, (in.Page-1)*in.PerPage, in.PerPage)
		return err
	})
	return newList(found, in.paged, total), postgres.Fault(err, nil)
}

func (a *apiKeys) getKey(ctx context.Context, in byKey) (found keys.Record, err error) {
	if ctx, err = authorizeSandbox(ctx, in.ID, rolePlatformAdmin, roleService, roleAdministrator); err != nil {
		return found, err
	}
	err = a.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		found, err = keys.Read(ctx, tx, in.ID, in.Key)
		return err
	})
	return found, err
}

// revokeKey is final. Once it has responded, no request that starts later succeeds, on any gateway: each looks the key
// up after it has arrived.
func (a *apiKeys) revokeKey(ctx context.Context, in byKey) (keys.Record, error) {
	return a.change(ctx, in, "key.revoked", func(ctx context.Context, tx pgx.Tx, k keys.Record) error {
		if k.State == "revoked" && k.RevokesAt == nil {
			return nil // already done
		}
		_, err := tx.Exec(ctx, `UPDATE api_key SET state = 'revoked', state_reason = NULL, revoked_at = now(), retires_at = NULL
			WHERE organization_id = $1 AND id = $2`, in.ID, in.Key)
		return err
	})
}

func (a *apiKeys) suspendKey(ctx context.Context, in byKey) (keys.Record, error) {
	return a.change(ctx, in, "key.suspended", func(ctx context.Context, tx pgx.Tx, k keys.Record) error {
		if k.State != "active" && k.State != "inactive" {
			return notPossible("suspended", k)
		}
		_, err := tx.Exec(ctx, `UPDATE api_key SET state = 'inactive', state_reason = 'suspended'
			WHERE organization_id = $1 AND id = $2`, in.ID, in.Key)
		return err
	})
}

func (a *apiKeys) resumeKey(ctx context.Context, in byKey) (keys.Record, error) {
	before, err := a.getKey(ctx, in)
	if err != nil {
		return before, err
	}
	if ctx, err = authorizeSandbox(ctx, in.ID, roleAdministrator, roleService); err != nil {
		return before, err
	}
	var resumed keys.Record
	err = a.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if before.CreatedBy.Type == "user" {
			if err := a.creators.mayResume(ctx, tx, before); err != nil {
				return err
			}
		}
		resumed, err = a.change(ctx, in, "key.resumed", func(ctx context.Context, tx pgx.Tx, k keys.Record) error {
			if k.State != "active" && k.State != "inactive" {
				return notPossible("resumed", k)
			}
			if k.State == "inactive" {
				if err := roomForKey(ctx, tx, in.ID); err != nil {
					return err
				}
			}
			_, err := tx.Exec(ctx, `UPDATE api_key SET state = 'active', state_reason = NULL
				WHERE organization_id = $1 AND id = $2`, in.ID, in.Key)
			return err
		})
		return err
	})
	return resumed, err
}

// keyChange is one thing that is done to a key.
type keyChange func(ctx context.Context, tx pgx.Tx, k keys.Record) error

// change does one thing to a key and writes the audit entry, in one transaction.
func (a *apiKeys) change(ctx context.Context, in byKey, action string, do keyChange) (changed keys.Record, err error) {
	if ctx, err = authorizeSandbox(ctx, in.ID, roleAdministrator, roleService, rolePlatformAdmin); err != nil {
		return changed, err
	}
	err = a.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		before, err := keys.Lock(ctx, tx, in.ID, in.Key)
		if err != nil {
			return err
		}
		if err := do(ctx, tx, before); err != nil {
			return postgres.Fault(err, nil)
		}
		if changed, err = keys.Read(ctx, tx, in.ID, in.Key); err != nil {
			return err
		}
		return audit(ctx, tx, action, keySubject(changed), map[string]any{"state": [2]string{before.State, changed.State}})
	})
	return changed, err
}

// replaceKey makes a key with the same name, scopes, limit and networks, and revokes the old one: at once, or when the
// overlap is over.
func (a *apiKeys) replaceKey(ctx context.Context, in replacement) (made keys.Record, err error) {
	if ctx, err = authorizeSandbox(ctx, in.ID, roleAdministrator, roleService); err != nil {
		return made, err
	}
	err = a.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := a.creators.mayCreate(ctx, tx, principal.From(ctx).Actor); err != nil {
			return err
		}
		old, err := keys.Lock(ctx, tx, in.ID, in.Key)
		if err != nil {
			return err
		}
		if in.OverlapSeconds > 0 || old.State != "active" { // else one comes and one goes
			if err := roomForKey(ctx, tx, in.ID); err != nil {
				return err
			}
		}
		if made, err = keys.Insert(ctx, tx, old.Replacement(time.Now())); err != nil {
			return err
		}
		statement := `UPDATE api_key SET state = 'revoked', state_reason = 'replaced', revoked_at = now(), retires_at = NULL
			WHERE organization_id = $1 AND id = $2 AND state <> 'revoked'`
		arguments := []any{in.ID, in.Key}
		if in.OverlapSeconds > 0 {
			statement = `UPDATE api_key SET state_reason = 'replaced', retires_at = now() + $3::integer * interval '1 second'
				WHERE organization_id = $1 AND id = $2 AND state <> 'revoked'`
			arguments = append(arguments, in.OverlapSeconds)
		}
		if _, err := tx.Exec(ctx, statement, arguments...); err != nil {
			return postgres.Fault(err, nil)
		}
		changes := keyChanges(made)
		changes["replaces"], changes["overlap_seconds"] = old.ID, in.OverlapSeconds
		return audit(ctx, tx, "key.replaced", keySubject(made), changes)
	})
	return made, err
}

// roomForKey refuses one more active key where the organization has as many as it may. Keys are made one after the other from here
// on, until the transaction ends.
func roomForKey(ctx context.Context, tx pgx.Tx, organization string) error {
	found, err := lockOrganization(ctx, tx, organization)
	if err != nil {
		return err
	}
	active := 0
	err = tx.QueryRow(ctx, `SELECT count(*) FROM api_key WHERE organization_id = $1
		AND key_state(state, retires_at, expires_at, statement_timestamp()) = 'active'`, organization).Scan(&active)
	if err == nil && active >= found.Limits.ActiveKeys {
		return fault.New(fault.KindConflict, "too_many_keys", "The organization has %d active keys, and %d are the most: revoke or suspend one "+
			"that is not needed any more, or replace one without an overlap.", active, found.Limits.ActiveKeys)
	}
	return postgres.Fault(err, nil)
}

func notPossible(what string, k keys.Record) error {
	return fault.Conflict("key_"+k.State, "state", k.State, "A key that is %s cannot be %s.", k.State, what)
}

func keySubject(k keys.Record) subject { return subject{"key", k.ID, k.Name} }

func keyChanges(k keys.Record) map[string]any {
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
