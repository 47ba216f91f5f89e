package main

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
)

// client is an assistant that asks for access, as it describes itself.
type client struct {
	id        string
	name      string
	redirects []string
	publisher string // the host that its description was fetched from; empty where it only says so itself
}

const (
	clientPrefix  = "ams_client_"
	maxClientID   = 4000 // characters
	maxClientName = 80
)

// encodedClient is what stands in a client id that we gave: registering stores nothing, so whoever registers a million times
// has cost us nothing. Nothing in it is secret, and nothing in it is trusted: the rules for redirects hold at every use.
type encodedClient struct {
	Name      string   `json:"n,omitempty"`
	Redirects []string `json:"r"`
}

func (c encodedClient) id() string {
	plain, err := json.Marshal(c)
	if err != nil { // texts
		panic(err)
	}
	return clientPrefix + encoded(plain)
}

// clientProblem is why a client is not known; its word names the sentence on the page.
type clientProblem struct{ word string }

func (p *clientProblem) Error() string { return p.word }

// findClient reads a client id: one that describes itself, or the address of a description.
func (a *authorizer) findClient(ctx context.Context, id string) (*client, error) {
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

// cleanName is what a client calls itself, without anything that could disturb the page or the list that it stands in.
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

// Name is what the client is called on pages and in lists: what it calls itself, else where it is.
func (c *client) displayName(redirect string) string {
	if c.name != "" {
		return c.name
	}
	if target, err := url.Parse(redirect); err == nil {
		return target.Hostname()
	}
	return redirect
}
