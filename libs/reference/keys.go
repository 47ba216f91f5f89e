package reference

import (
	"context"
	"net/http"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// States of API keys that do not come back.
const (
	KeyRevoked = "revoked"
	KeyExpired = "expired"
)

// KeyState gives the state of an API key; one that is not there is revoked. service is the one that asks. A gateway that is unavailable
// is a 503.
func (c *Client) KeyState(ctx context.Context, service, organization, key string) (string, error) {
	p := servicePrincipal(service)
	p.OrganizationID, p.RequestID = organization, principal.From(ctx).RequestID
	var found struct {
		State string `json:"state"`
	}
	err := c.Call(principal.Into(ctx, p), gateway, http.MethodGet, OrganizationPath(organization)+"/keys/"+key, nil, &found)
	if err != nil && fault.From(err).Kind == fault.KindNotFound {
		return KeyRevoked, nil
	}
	return found.State, err
}
