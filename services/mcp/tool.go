package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/libs/schema"
)

// tool is one tool of an assistant: its description, its permissions and its function.
type tool struct {
	name, title, description string
	toolset                  string // by which a caller may ask for it (narrow.go)

	scopes  []string // one of them is needed; empty: any key
	feature string   // of the plan; empty: in every plan
	writes  bool
	// Hints for clients that ask their users before a call. They apply to tools that write.
	overwrites bool // a call may replace existing values
	repeatable bool // a second equal call changes nothing

	// operations are the REST operations that the tool calls, as "GET /v1/assets". Arguments are parameters or body
	// fields of the first one, unless their tag says otherwise.
	operations []string
	// additions are REST operations behind what an argument adds to the result. Their scopes may be others.
	additions []string
	output    node

	arguments     *schema.Schema
	argumentsType reflect.Type // of the arguments
	run           func(ctx context.Context, call *toolCall, arguments any) (any, error)
}

// toolCall is one call of a tool.
type toolCall struct {
	tool *tool
	*restClient
	base         string // the public base URL
	caller       caller
	rawArguments json.RawMessage // as received
	all          []*tool
	person       person        // who may be asked before something is taken away
	links        []mcp.Content // to the resources that the result is about
}

// define completes a tool with its toolset, its arguments and its function.
func define[T any](toolset string, t tool, run func(ctx context.Context, call *toolCall, arguments *T) (any, error)) *tool {
	t.toolset = toolset
	t.argumentsType = reflect.TypeFor[T]()
	t.arguments = schema.OfType(t.argumentsType)
	t.run = func(ctx context.Context, call *toolCall, arguments any) (any, error) {
		return run(ctx, call, arguments.(*T))
	}
	return &t
}

// definition is the tool as clients receive it. All four hints are present, because clients assume the worst of a
// missing one.
func (t *tool) definition() *mcp.Tool {
	destructive, open := t.writes && t.overwrites, false
	return &mcp.Tool{
		Name: t.name, Description: t.description,
		InputSchema: encodeJSON(inputSchema(t.arguments)), OutputSchema: encodeJSON(t.output),
		Annotations: &mcp.ToolAnnotations{
			Title: t.title, ReadOnlyHint: !t.writes, DestructiveHint: &destructive, IdempotentHint: !t.writes || t.repeatable, OpenWorldHint: &open,
		},
	}
}

// encodeJSON writes JSON for assistants. It does not escape HTML, because no page contains it.
func encodeJSON(value any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil { // maps, lists and texts cannot fail
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// call runs the tool. Every error becomes a text for the assistant, and so does a panic.
func (s *server) call(ctx context.Context, t *tool, r *mcp.CallToolRequest) (result *mcp.CallToolResult) {
	defer func() {
		if reason := recover(); reason != nil {
			s.log.ErrorContext(ctx, "a tool panicked", "tool", t.name, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
			result = errorResult(explain(ctx, fmt.Errorf("panic: %v", reason)))
		}
	}()
	who := callerFrom(ctx)
	if reason := t.unavailableReason(who); reason != "" {
		return errorResult(reason)
	}
	arguments := reflect.New(t.argumentsType)
	raw := r.Params.Arguments
	if err := readArguments(t.name, t.arguments, raw, arguments); err != nil {
		return errorResult(explain(ctx, err))
	}
	call := &toolCall{tool: t, restClient: s.rest, base: s.baseURL, caller: who, rawArguments: raw, all: tools, person: personOf(r)}
	value, err := t.run(ctx, call, arguments.Interface())
	var unconfirmed *question
	switch {
	case errors.As(err, &unconfirmed):
		return unconfirmed.result()
	case err != nil:
		s.logFailure(ctx, t.name, err)
		return errorResult(explain(ctx, err))
	}
	shown := truncate(value)
	content := []mcp.Content{&mcp.TextContent{Text: string(shown)}}
	if header := r.Extra; header != nil && header.Header.Get("MCP-Protocol-Version") >= firstWithLinks {
		content = append(append(content, call.links...), documentLinks(value)...)
	}
	return &mcp.CallToolResult{Content: content, StructuredContent: json.RawMessage(shown)}
}

// errorResult is a result with the text of an error. Most are shorter by themselves; what the API says has no bound.
func errorResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: shorten(text, maxRefusal+10)}}}
}

// query turns the arguments of this call into a query.
func (call *toolCall) query(arguments any) map[string][]string {
	return encodeQuery(call.tool.arguments, arguments)
}
