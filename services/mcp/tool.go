package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/libs/schema"
)

// tool is one thing that an assistant can do: what it is told about it, who may, and how it is done.
type tool struct {
	name, title, description string

	scopes  []string // one of them is needed; none: any key may
	feature string   // of the plan; empty: every plan has it
	writes  bool
	// What a client may want to ask its user about. Only of tools that write.
	overwrites bool // something that was there may be gone afterwards
	repeatable bool // doing it twice is like doing it once

	// operations are those of the REST API that the tool uses, as "GET /v1/assets". Arguments are parameters or body fields
	// of the first, unless their tag says otherwise.
	operations []string
	output     node

	arguments *schema.Schema
	record    reflect.Type // of the arguments
	run       func(ctx context.Context, u *use, arguments any) (any, error)
}

// use is one call of a tool.
type use struct {
	tool *tool
	*rest
	caller caller
	given  json.RawMessage // the arguments as they came
	all    []*tool
}

// define completes a tool with its arguments and what it does.
func define[T any](t tool, run func(ctx context.Context, u *use, arguments *T) (any, error)) *tool {
	t.record = reflect.TypeFor[T]()
	t.arguments = schema.OfType(t.record)
	t.run = func(ctx context.Context, u *use, arguments any) (any, error) { return run(ctx, u, arguments.(*T)) }
	return &t
}

// listed is the tool as clients get it. All four hints are there, because what is left out means the worst.
func (t *tool) listed() *mcp.Tool {
	destructive, open := t.writes && t.overwrites, false
	return &mcp.Tool{
		Name: t.name, Description: t.description,
		InputSchema: encode(inputOf(t.arguments)), OutputSchema: encode(t.output),
		Annotations: &mcp.ToolAnnotations{
			Title: t.title, ReadOnlyHint: !t.writes, DestructiveHint: &destructive, IdempotentHint: !t.writes || t.repeatable, OpenWorldHint: &open,
		},
	}
}

// encode writes JSON that is read by assistants, never as a page: nothing is escaped for HTML.
func encode(value any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil { // what came from JSON, maps, lists and texts
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// call does what the tool does. Whatever goes wrong is a text for the assistant; nothing is lost to a panic.
func (s *server) call(ctx context.Context, t *tool, raw json.RawMessage) (result *mcp.CallToolResult) {
	defer func() {
		if reason := recover(); reason != nil {
			s.log.ErrorContext(ctx, "a tool panicked", "tool", t.name, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
			result = failed(explain(ctx, fmt.Errorf("panic: %v", reason)))
		}
	}()
	who := callerFrom(ctx)
	if reason := t.missing(who); reason != "" {
		return failed(reason)
	}
	arguments := reflect.New(t.record)
	if err := readArguments(t.name, t.arguments, raw, arguments); err != nil {
		return failed(explain(ctx, err))
	}
	answer, err := t.run(ctx, &use{tool: t, rest: s.rest, caller: who, given: raw, all: tools}, arguments.Interface())
	if err != nil {
		s.note(ctx, t.name, err)
		return failed(explain(ctx, err))
	}
	shown := fit(answer)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(shown)}}, StructuredContent: json.RawMessage(shown)}
}

// failed is a result that says what went wrong.
func failed(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: shorten(text, longestResult)}}}
}

// query puts the arguments of this use into a query.
func (u *use) query(arguments any) map[string][]string { return queryOf(u.tool.arguments, arguments) }
