package consistency

import (
	"context"
	"net/http"

	"ams.internal/deploy/cmd/amsctl/api"
	"ams.internal/deploy/devstack"
)

// Founder makes organizations and their keys, as an operator and an Administrator do.
type Founder struct {
	operator *api.Client
}

// password is every founder's.
const password = "evidence-evidence-1" // #nosec G101 -- of organizations that live as long as a test

// NewFounder makes organizations in a stack.
func NewFounder(d devstack.Description) Founder {
	return Founder{&api.Client{Base: d.OperatorURL, Bearer: d.OperatorToken}}
}

// Administrator is who may make keys of an organization.
type Administrator struct {
	Organization, Email string // the organization's id
	Password            string
	founder             Founder
}

// Found makes an organization with everything in its plan.
func (f Founder) Found(ctx context.Context, name, email string) (Administrator, error) {
	var made struct{ ID string }
	err := f.operator.JSON(ctx, api.Request{Method: http.MethodPost, Path: "/internal/organizations", Body: map[string]any{
		"name": name, "plan": "enterprise", "administrator": map[string]string{"email": email, "name": name, "password": password}}}, &made)
	return Administrator{made.ID, email, password, f}, err
}

// Keys makes keys for everything, each of which may be used so often a minute.
func (a Administrator) Keys(ctx context.Context, count, limit int) (keys []string, err error) {
	var session struct{ Session string }
	if err := a.founder.operator.JSON(ctx, api.Request{Method: http.MethodPost, Path: "/internal/sign-in",
		Body: map[string]string{"email": a.Email, "password": a.Password}}, &session); err != nil {
		return nil, err
	}
	person := &api.Client{Base: a.founder.operator.Base, Bearer: session.Session}
	for range count {
		var key struct{ Value string }
		if err := person.JSON(ctx, api.Request{Method: http.MethodPost, Path: "/internal/organizations/" + a.Organization + "/keys",
			Body: map[string]any{"name": "evidence", "scopes": []string{"*:*"}, "rate_limit": limit, "confirm_privacy": true}}, &key); err != nil {
			return nil, err
		}
		keys = append(keys, key.Value)
	}
	return keys, nil
}
