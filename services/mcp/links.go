package mcp

import "github.com/modelcontextprotocol/go-sdk/mcp"

// firstWithLinks is the protocol version from which results may have links to resources.
const firstWithLinks = "2025-06-18"

// link adds a link to the resource that a record is, where it is one and the caller may read it.
func (call *toolCall) link(c *collection, r record) {
	for _, each := range resourceTemplates {
		if id := textOf(r, "id"); each.collection == c && id != "" && c.readable(call.caller) {
			name := textOf(r, c.label)
			if name == "" { // of a selection of fields
				name = id
			}
			call.links = append(call.links, &mcp.ResourceLink{URI: each.scheme + "://" + id, Name: name, MIMEType: "application/json"})
		}
	}
}
