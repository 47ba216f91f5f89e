package oauth

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
)

// client is an assistant that requests access, with its own metadata.
type client struct {
	id        string
	name      string
	redirects []string
	publisher string // the host of its metadata document; empty where it has none
}

const (
	clientPrefix  = "ams_client_"
	maxClientID   = 4000 // characters
	maxClientName = 80
)

// encodedClient is the content of a client id that we issued. Registration stores nothing, so many registrations cost
// nothing. Nothing in it is secret or trusted: the redirect rules are checked at every use.
type encodedClient struct {
	Name      string   `json:"n,omitempty"`
	Redirects []string `json:"r"`
}

func (c encodedClient) id() string {
	plain, err := json.Marshal(c)
	if err != nil { // texts cannot fail
		panic(err)
	}
	return clientPrefix + encoded(plain)
}

// clientProblem is the reason why a client is refused. The word selects the sentence on the page.
type clientProblem struct{ word string }

func (p *clientProblem) Error() string { return p.word }

// findClient reads a client id: an id that we issued, or the address of a client metadata document.
func (a *Authorizer) findClient(ctx context.Context, id string) (*client, error) {
	switch {
	case id == "":
		return nil, &clientProblem{"client_missing"}
	case len(id) > maxClientID:
		return nil, &clientProblem{"client_unknown"}
	case strings.HasPrefix(id, "https://"):
		return a.documents.find(ctx, id)
	}
	rest, ours := strings.CutPrefix(id, clientPrefix)
	plain, err := decoded(rest)
	var described encodedClient
	if !ours || err != nil || json.Unmarshal(plain, &described) != nil || len(described.Redirects) == 0 {
		return nil, &clientProblem{"client_unknown"}
	}
	return &client{id: id, name: cleanName(described.Name), redirects: described.Redirects}, nil
}

// cleanName returns a client's name without characters that could disturb the page or a list.
func cleanName(given string) string {
	name := strings.Join(strings.Fields(strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) && c != ' ' || unicode.In(c, unicode.Cf, unicode.Co) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(given, ""))), " ")
	if letters := []rune(name); len(letters) > maxClientName {
		name = strings.TrimSpace(string(letters[:maxClientName])) + "…"
	}
	return name
}

// displayName is the client's name on pages and in lists. Without a name it is the host of the redirect address.
func (c *client) displayName(redirect string) string {
	if c.name != "" {
		return c.name
	}
	if target, err := url.Parse(redirect); err == nil {
		return target.Hostname()
	}
	return redirect
}
