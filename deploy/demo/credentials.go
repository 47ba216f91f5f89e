package demo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// dataVersion is raised when the data set changes, so that the next start adds what is new.
const dataVersion = 9

const (
	keyLife         = 365 * 24 * time.Hour // the longest that a key may have
	renewKeysBefore = 30 * 24 * time.Hour
)

// demonstrationKey is one of the keys that each organization has.
type demonstrationKey struct {
	name      string
	scopes    []string
	rateLimit int
	privacy   bool // opens people's names and addresses, which must be confirmed
}

var demonstrationKeys = []demonstrationKey{
	{name: "full", scopes: []string{"*:*"}, rateLimit: 1000, privacy: true},
	{name: "read_only", rateLimit: 1000, privacy: true, scopes: []string{
		"sites:read", "buildings:read", "systems:read",
		"assets:read", "deficiencies:read", "price_indexes:read", "work_orders:read", "vendors:read", "users:read", "teams:read", "los:read",
		"infrastructure:read", "projects:read", "planning:read", "accounting:read", "accounting_periods:read",
		"requests:read", "maintenance:read", "meters:read", "forms:read", "documents:read", "legal_holds:read", "webhooks:read"}},
	{name: "assets_only", scopes: []string{"assets:read", "assets:write"}, rateLimit: 1000},
	{name: "slow", scopes: []string{"*:*"}, rateLimit: 5, privacy: true},
}

// entry is what the credentials file keeps of one organization.
type entry struct {
	Organization
	KeysExpireAt time.Time `json:"keys_expire_at"`
	DataVersion  int       `json:"data_version"` // of the records written; 0 while they are not complete
}

// credentials is the file of passwords and key values, for its owner alone.
type credentials struct {
	mu      sync.Mutex
	path    string
	entries map[string]entry
}

func loadCredentials(path string) (*credentials, error) {
	c := &credentials{path: path, entries: map[string]entry{}}
	content, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &c.entries); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func (c *credentials) entry(name string) entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[name]
}

// save writes the whole file beside the old one and puts it in its place.
func (c *credentials) save(e entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[e.Name] = e
	content, err := json.MarshalIndent(c.entries, "", "  ")
	if err != nil {
		return err
	}
	next := filepath.Join(filepath.Dir(c.path), ".demo.json.next")
	if err := os.WriteFile(next, append(content, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(next, c.path)
}

func (c *credentials) organizations() []Organization {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := []Organization{}
	for _, blueprint := range blueprints() {
		all = append(all, c.entries[blueprint.name].Organization)
	}
	return all
}

// organizations gives the ids of the organizations there are, by name.
func (c *client) organizations(ctx context.Context) (map[string][]string, error) {
	ids := map[string][]string{}
	for page := 1; ; page++ {
		var list struct {
			Data []struct {
				ID   string `json:"id"`
				Name string `json:"name"`
			} `json:"data"`
			Pagination struct {
				TotalPages int `json:"total_pages"`
			} `json:"pagination"`
		}
		if err := c.do(ctx, http.MethodGet, fmt.Sprintf("/internal/organizations?page=%d&per_page=1000", page), nil, &list); err != nil {
			return nil, err
		}
		for _, organization := range list.Data {
			ids[organization.Name] = append(ids[organization.Name], organization.ID)
		}
		if page >= list.Pagination.TotalPages {
			return ids, nil
		}
	}
}

// createOrganization keeps the password before it is given to anybody, so that a start that is killed in between can
// go on from there.
func (s *seeding) createOrganization(ctx context.Context) (entry, error) {
	b := s.blueprint
	e := entry{Organization: Organization{
		Name: b.name, Plan: b.plan, AddOns: b.addOnsAtFirst, Keys: map[string]string{},
		Administrator: Administrator{Email: b.administrator.email, Password: rand.Text()},
	}}
	if err := s.saved.save(e); err != nil {
		return e, err
	}
	var created struct {
		ID string `json:"id"`
	}
	err := s.admin.do(ctx, http.MethodPost, "/internal/organizations", record{
		"name": b.name, "plan": b.plan, "add_ons": b.addOnsAtFirst, "currency": "CAD",
		"administrator": record{"email": e.Administrator.Email, "name": b.administrator.name, "password": e.Administrator.Password},
	}, &created)
	if err != nil {
		return e, err
	}
	e.ID = created.ID
	return e, s.saved.save(e)
}

// createKeys makes the keys, again when they are about to expire: they are kept once all of them are there. Only an Administrator
// may: the operator's token is not enough.
func (s *seeding) createKeys(ctx context.Context, e *entry) error {
	if time.Until(e.KeysExpireAt) > renewKeysBefore {
		return nil
	}
	administrator, err := s.signIn(ctx, e)
	if err != nil {
		return err
	}
	expires := time.Now().Add(keyLife - time.Hour).UTC().Truncate(time.Second)
	keys := map[string]string{}
	for _, key := range demonstrationKeys {
		var created struct {
			Value string `json:"value"`
		}
		err := administrator.do(ctx, http.MethodPost, "/internal/organizations/"+e.ID+"/keys", record{
			"name": key.name, "scopes": key.scopes, "rate_limit": key.rateLimit, "expires_at": expires.Format(time.RFC3339),
			"confirm_privacy": key.privacy,
		}, &created)
		if err != nil {
			return fmt.Errorf("key %s: %w", key.name, err)
		}
		keys[key.name] = created.Value
	}
	e.Keys, e.KeysExpireAt = keys, expires
	return s.saved.save(*e)
}

// signIn gives a client that acts for the Administrator on the internal listener.
func (s *seeding) signIn(ctx context.Context, e *entry) (*client, error) {
	var signedIn struct {
		Session string `json:"session"`
	}
	err := s.admin.do(ctx, http.MethodPost, "/internal/sign-in", record{
		"email": e.Administrator.Email, "password": e.Administrator.Password, "organization_id": e.ID,
	}, &signedIn)
	if err != nil {
		return nil, err
	}
	return newClient(s.target.AdminURL, signedIn.Session), nil
}

// writingKey makes a key for the records alone, which ends with them: the demonstration keys' own limits are for whoever
// tries them, from the first minute on.
func (s *seeding) writingKey(ctx context.Context, e *entry) (value string, end func(context.Context) error, err error) {
	administrator, err := s.signIn(ctx, e)
	if err != nil {
		return "", nil, err
	}
	var created struct {
		ID    string `json:"id"`
		Value string `json:"value"`
	}
	keys := "/internal/organizations/" + e.ID + "/keys"
	err = administrator.do(ctx, http.MethodPost, keys, record{
		"name": "Demonstration data", "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true,
		"expires_at": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339),
	}, &created)
	return created.Value, func(ctx context.Context) error {
		return administrator.do(ctx, http.MethodPost, keys+"/"+created.ID+"/revoke", record{}, nil)
	}, err
}

// setSettings says where the organization is, when its fiscal year ends and how large it is.
func (s *seeding) setSettings(ctx context.Context, e entry) error {
	b := s.blueprint
	settings := record{"time_zone": b.timeZone, "renewal_basis": "typed"}
	if b.fiscalYearEnd > 0 {
		settings["fiscal_year_end_month"] = b.fiscalYearEnd
	}
	if b.landAreaKM2 > 0 {
		settings["land_area_km2"] = b.landAreaKM2
	}
	return s.admin.do(ctx, http.MethodPatch, "/internal/organizations/"+e.ID+"/settings", settings, nil)
}

func (s *seeding) setAddOns(ctx context.Context, e *entry, addOns []string) error {
	if slices.Equal(e.AddOns, addOns) {
		return nil
	}
	if err := s.admin.do(ctx, http.MethodPatch, "/internal/organizations/"+e.ID, record{"add_ons": addOns}, nil); err != nil {
		return err
	}
	e.AddOns = addOns
	return s.saved.save(*e)
}
