package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Where the client can ask its user, a tool has them confirm what cannot be had back by another call: the values of fields that are
// emptied, a work order that is cancelled. The server keeps nothing between requests, so it does as protocol 2026-07-28 has it: the result
// says what is to be asked, and the client calls again with the answer. Clients of the versions before would have to be asked on a stream,
// which this server has not: they ask before the call, as the hints of the tool tell them to, or not at all.

// confirmation is the name of the question in the result.
const confirmation = "confirm"

// person is the user of a client, as far as they can be asked and were.
type person struct {
	reachable bool
	action    string // of the user: accept, decline or cancel; empty: not asked yet
	about     string // the call that the action is for
}

// personOf reads from a call whether its user can be asked, and what they answered.
func personOf(r *mcp.CallToolRequest) person {
	client := r.Session.InitializeParams()
	if client == nil || client.ProtocolVersion < firstWithoutHandshake || client.Capabilities == nil ||
		client.Capabilities.Elicitation == nil {
		return person{}
	}
	can := client.Capabilities.Elicitation
	// neither named: forms, as before there were addresses
	p := person{reachable: can.Form != nil || can.URL == nil, about: r.Params.RequestState}
	if result, is := r.Params.InputResponses[confirmation].(*mcp.ElicitResult); is {
		p.action = result.Action
	}
	return p
}

// question is the error of a call that needs an answer of its user first.
type question struct{ text, about string }

func (q *question) Error() string { return q.text }

// result is what the client gets: the question, in a form without fields.
func (q *question) result() *mcp.CallToolResult {
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{confirmation: &mcp.ElicitParams{Mode: "form", Message: q.text,
			RequestedSchema: node{"type": "object", "properties": node{}}}},
		RequestState: q.about,
	}
}

// confirm has the user confirm what the call does to a record, where they can be asked. Nothing is written before.
func (call *toolCall) confirm(ctx context.Context, c *collection, id, what string) error {
	if !call.person.reachable {
		return nil
	}
	hash := sha256.New()
	for _, part := range []string{call.caller.KeyID, call.tool.name, string(call.rawArguments)} {
		hash.Write([]byte(part))
		hash.Write([]byte{0})
	}
	about := hex.EncodeToString(hash.Sum(nil)[:16])
	switch sameCall := call.person.about == about; {
	case sameCall && call.person.action == "accept":
		return nil
	case sameCall && call.person.action != "":
		return problemf("The user did not confirm this, so nothing was written. Do not repeat the call; ask them what they want instead.")
	}
	return &question{text: what + " " + call.nameOf(ctx, c, id) + "?", about: about}
}

// nameOf is a record as a person knows it, or its id where it cannot be read.
func (call *toolCall) nameOf(ctx context.Context, c *collection, id string) string {
	kind := strings.ReplaceAll(c.kind, "_", " ")
	if c.readable(call.caller) {
		var found record
		if err := call.get(ctx, c.path+"/"+id, map[string][]string{"fields": {"id," + c.label + "," + c.code}}, &found); err == nil {
			return strings.Join(strings.Fields(kind+" "+textOf(found, c.code)+" “"+textOf(found, c.label)+"”"), " ")
		}
	}
	return kind + " " + id
}
