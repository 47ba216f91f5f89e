package mcp

import (
	"net/http"
	"slices"
	"strings"
)

// A client may ask for less than its key allows, with the headers that GitHub's MCP server has as well. It never gets more.
const (
	readOnlyHeader = "X-MCP-Readonly" // with any value but those of no: only tools that read
	toolsetsHeader = "X-MCP-Toolsets" // names, separated by commas; all or nothing: all of them
)

// toolsets are the names of groups of tools. Each tool is in one.
var toolsets = []string{"context", "assets", "work_orders", "infrastructure", "levels_of_service", "projects", "planning",
	"accounting", "documents"}

// narrowed is the caller with what the headers of the request leave of it.
func (c caller) narrowed(header http.Header) (caller, error) {
	switch strings.ToLower(strings.TrimSpace(header.Get(readOnlyHeader))) {
	case "", "false", "f", "no", "n", "0", "off":
	default:
		c.RequestedReadOnly = true
	}
	var wanted, unknown []string
	for each := range strings.SplitSeq(strings.Join(header.Values(toolsetsHeader), ","), ",") {
		switch name := strings.ToLower(strings.TrimSpace(each)); {
		case name == "":
		case name == "all":
			wanted = append(wanted, toolsets...)
		case slices.Contains(toolsets, name):
			wanted = append(wanted, name)
		default:
			unknown = append(unknown, strings.TrimSpace(each))
		}
	}
	if len(unknown) > 0 {
		return c, problemf("%s names %s, which is no toolset. There are %s, and all.", toolsetsHeader, shorten(strings.Join(unknown, ", "), 200),
			strings.Join(toolsets, ", "))
	}
	c.Toolsets = wanted
	return c, nil
}

// includes reports whether a tool is in a toolset that the request names.
func (c caller) includes(t *tool) bool {
	return len(c.Toolsets) == 0 || slices.Contains(c.Toolsets, t.toolset)
}
