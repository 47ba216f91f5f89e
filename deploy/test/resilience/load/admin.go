package load

import (
	"context"
	"fmt"
	"net/http"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/consistency"
)

// Admin makes organizations and their keys, at the internal listener of a gateway.
type Admin struct {
	gateway string
	client  *ams.Client
	base    string // URL of the API
}

// NewAdmin makes organizations in a stack.
func NewAdmin(d devstack.Description) Admin {
	return Admin{d.AdminURL, ams.NewClient(d.AdminURL, d.AdminToken), d.BaseURL}
}

// password is every administrator's.
const password = "resilience-resilience-1" // #nosec G101 -- of organizations that live as long as a test

// keyLimit is how often a key may be used in a minute.
const keyLimit = 1000

// Organization makes one with everything in its plan, with so many keys and a receiver for each pattern of events.
func (a Admin) Organization(ctx context.Context, number, keys int, patterns ...string) (*Organization, error) {
	return a.organization(ctx, number, keys, nil, patterns)
}

// Unlimited is Organization without the ceilings of the plan, for a load that is not what is tested.
func (a Admin) Unlimited(ctx context.Context, number, keys int, patterns ...string) (*Organization, error) {
	return a.organization(ctx, number, keys, map[string]int{"requests_per_minute": max(1, keys) * keyLimit, "requests_in_flight": 1000,
		"streams": 1000, "long_polls": 1000, "active_keys": 1000}, patterns)
}

func (a Admin) organization(ctx context.Context, number, keys int, limits map[string]int, patterns []string) (*Organization, error) {
	name := fmt.Sprintf("Load %d", number)
	o := &Organization{Email: fmt.Sprintf("load-%d@example.ca", number), Password: password, admin: a, base: a.base, place: map[string]int{}}
	var made struct{ ID, Cell string }
	if err := a.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/internal/organizations", Body: map[string]any{
		"name": name, "plan": "enterprise", "administrator": map[string]string{"email": o.Email, "name": name, "password": password},
	}}, &made); err != nil {
		return nil, err
	}
	o.ID, o.Cell = made.ID, made.Cell
	if limits != nil {
		if err := a.client.Request(ctx, ams.Request{Method: http.MethodPatch, Path: "/internal/organizations/" + o.ID,
			Body: map[string]any{"limits": limits}}, nil); err != nil {
			return nil, err
		}
	}
	var err error
	if o.Keys, err = o.MakeKeys(ctx, keys, keyLimit); err != nil {
		return nil, err
	}
	for _, pattern := range patterns {
		receiver, err := consistency.Subscribe(ctx, o.Client(), pattern)
		if err != nil {
			return nil, err
		}
		o.Receivers = append(o.Receivers, receiver)
	}
	return o, nil
}

// Demonstration is one of the organizations that a stack comes with, with so many keys more.
func (a Admin) Demonstration(ctx context.Context, d demo.Organization, keys int) (*Organization, error) {
	o := Known(a.base, d.ID, nil)
	o.Email, o.Password, o.admin = d.Administrator.Email, d.Administrator.Password, a
	var err error
	o.Keys, err = o.MakeKeys(ctx, keys, keyLimit)
	return o, err
}

// MakeKeys makes keys for everything, each of which may be used so often a minute.
func (o *Organization) MakeKeys(ctx context.Context, count, limit int) (keys []string, err error) {
	var session struct{ Session string }
	if err := o.admin.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/internal/sign-in",
		Body: map[string]string{"email": o.Email, "password": o.Password}}, &session); err != nil {
		return nil, err
	}
	person := ams.NewClient(o.admin.gateway, session.Session)
	for range count {
		var key struct{ Value string }
		if err := person.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/internal/organizations/" + o.ID + "/keys",
			Body: map[string]any{"name": "load", "scopes": []string{"*:*"}, "rate_limit": limit, "confirm_privacy": true}}, &key); err != nil {
			return nil, err
		}
		keys = append(keys, key.Value)
	}
	return keys, nil
}
