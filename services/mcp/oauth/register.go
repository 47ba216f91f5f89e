package oauth

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"
)

const (
	maxRedirects    = 10
	maxOAuthRequest = 16 << 10 // bytes of a request body
)

// registrationRequest is the metadata that a client registers (RFC 7591). Other members are ignored.
type registrationRequest struct {
	Name          string   `json:"client_name"`
	Redirects     []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
}

// registrationResponse is the metadata of a registered client. It has no secret: every client here is public.
type registrationResponse struct {
	ClientID      string   `json:"client_id"`
	IssuedAt      int64    `json:"client_id_issued_at"`
	Name          string   `json:"client_name,omitempty"`
	Redirects     []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
}

func (a *Authorizer) register(w http.ResponseWriter, r *http.Request) {
	made, err := a.newClient(w, r)
	a.respondOAuth(w, r, http.StatusCreated, made, err)
}

func (a *Authorizer) newClient(w http.ResponseWriter, r *http.Request) (*registrationResponse, error) {
	refuse := func(code, description string) error {
		return &oauthError{http.StatusBadRequest, code, description}
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, refuse("invalid_client_metadata", "Send a JSON object, with Content-Type: application/json.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxOAuthRequest))
	var tooLarge *http.MaxBytesError
	var request registrationRequest
	switch {
	case errors.As(err, &tooLarge):
		return nil, refuse("invalid_client_metadata", "The body is too large: 16 KB at most.")
	case err != nil || json.Unmarshal(body, &request) != nil:
		return nil, refuse("invalid_client_metadata", "The body is no JSON object of client metadata.")
	case len(request.Redirects) == 0 || len(request.Redirects) > maxRedirects:
		return nil, refuse("invalid_redirect_uri", "Give 1 to 10 redirect_uris.")
	case len(request.GrantTypes) > 0 && !slices.Contains(request.GrantTypes, "authorization_code"):
		return nil, refuse("invalid_client_metadata", "The one grant type to begin with is authorization_code.")
	case len(request.ResponseTypes) > 0 && !slices.Contains(request.ResponseTypes, "code"):
		return nil, refuse("invalid_client_metadata", "The one response type is code.")
	}
	for _, redirect := range request.Redirects {
		if _, allowed := a.redirects.allow(redirect); !allowed {
			return nil, refuse("invalid_redirect_uri", "Access may not be sent to "+asciiExcerpt(redirect)+". It may go to https on hosts that "+
				"the operator has allowed, to http on this machine (127.0.0.1, [::1], localhost), and to Cursor.")
		}
	}
	described := encodedClient{cleanName(request.Name), request.Redirects}
	made := &registrationResponse{
		ClientID: described.id(), IssuedAt: time.Now().Unix(), Name: described.Name, Redirects: request.Redirects,
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, AuthMethod: "none",
	}
	if len(made.ClientID) > maxClientID {
		return nil, refuse("invalid_client_metadata", "The redirect_uris are too long together.")
	}
	return made, nil
}

// asciiExcerpt is a foreign text as an OAuth error may contain it: short and in ASCII.
func asciiExcerpt(text string) string {
	letters := []byte{}
	for _, c := range []byte(text) {
		if c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			c = '?'
		}
		if letters = append(letters, c); len(letters) == 100 {
			break
		}
	}
	return redact(string(letters))
}
