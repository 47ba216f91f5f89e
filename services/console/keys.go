package console

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/domain/catalogue"
)

// key is an API key as the gateway returns it. Only the response to its creation has Value.
type key struct {
	ID                 string   `json:"id"`
	Name               string   `json:"name"`
	Display            string   `json:"display"`
	Scopes             []string `json:"scopes"`
	RateLimit          int      `json:"rate_limit"`
	ExpiresAt          string   `json:"expires_at"`
	State              string   `json:"state"`
	StateReason        *string  `json:"state_reason"`
	AllowedNetworks    []string `json:"allowed_networks"`
	RevokesAt          *string  `json:"revokes_at"`
	Replaces           *string  `json:"replaces"`
	CreatedAt          string   `json:"created_at"`
	CreatedBy          actor    `json:"created_by"`
	PrivacyConfirmedBy *actor   `json:"privacy_confirmed_by"`
	PrivacyConfirmedAt *string  `json:"privacy_confirmed_at"`
	LastUsedAt         *string  `json:"last_used_at"`
	LastAddress        *string  `json:"last_address"`
	Value              string   `json:"value"`
}

// actor is who performed an action.
type actor struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// expiryWarning is how long before its expiry a key gets a warning.
const expiryWarning = 14 * 24 * time.Hour

// DaysLeft is the number of days until the key expires, or -1 where that is not soon.
func (k key) DaysLeft() int {
	at, err := time.Parse(time.RFC3339, k.ExpiresAt)
	left := time.Until(at)
	if err != nil || k.State != "active" && k.State != "inactive" || left > expiryWarning || left < 0 {
		return -1
	}
	return int(left / (24 * time.Hour))
}

// Open reports whether the key can be used, now or after it is resumed.
func (k key) Open() bool { return k.State == "active" || k.State == "inactive" }

// ShowsPeople reports whether the key gives access to personal data.
func (k key) ShowsPeople() bool { return catalogue.ShowsPeople(k.Scopes) }

// Subject is the key in the query of the audit trail.
func (k key) Subject() string { return url.QueryEscape(k.ID) }

type keysPage struct {
	Keys      []key // active or suspended
	Ended     []key // expired or revoked
	Addresses addresses
	APIAccess bool
}

// addresses are the addresses that the holder of a key needs.
type addresses struct{ Base, MCP string }

func listKeys(req *pageRequest) error {
	all, err := req.allKeys()
	if err != nil {
		return err
	}
	plan, err := req.plan()
	if err != nil {
		return err
	}
	shown := keysPage{Addresses: plan.addresses(), APIAccess: plan.has("api_access")}
	for i := len(all) - 1; i >= 0; i-- { // the newest first
		if all[i].Open() {
			shown.Keys = append(shown.Keys, all[i])
		} else {
			shown.Ended = append(shown.Ended, all[i])
		}
	}
	return req.show(http.StatusOK, "keys", req.language.translate("keys.title"), shown)
}

// allKeys returns every key of the organization, the oldest first.
func (req *pageRequest) allKeys() ([]key, error) {
	var all []key
	for page := 1; ; page++ {
		var list struct {
			Data       []key `json:"data"`
			Pagination struct {
				TotalPages int `json:"total_pages"`
			} `json:"pagination"`
		}
		if err := req.callGateway(http.MethodGet, fmt.Sprintf("/keys?per_page=1000&page=%d", page), nil, &list); err != nil {
			return nil, err
		}
		all = append(all, list.Data...)
		if page >= list.Pagination.TotalPages {
			return all, nil
		}
	}
}

// key returns the key that the path names. One of another organization gets the same page as one that does not exist.
func (req *pageRequest) key() (key, error) {
	var found key
	id := req.r.PathValue("key")
	if uuid.Validate(id) != nil {
		return found, req.refuseUnknown("key", id, notFound)
	}
	if err := req.callGateway(http.MethodGet, "/keys/"+id, nil, &found); err != nil {
		return found, req.refuseUnknown("key", id, err)
	}
	return found, nil
}

type keyPage struct {
	Key       key
	Replaced  *key // the key that this one replaces
	Addresses addresses
}

func showKey(req *pageRequest) error {
	found, err := req.key()
	if err != nil {
		return err
	}
	shown := keyPage{Key: found}
	if found.Replaces != nil {
		var old key
		if err := req.callGateway(http.MethodGet, "/keys/"+*found.Replaces, nil, &old); err != nil {
			return err
		}
		shown.Replaced = &old
	}
	return req.show(http.StatusOK, "key", found.Name, shown)
}
