package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// profile is what a caller may do: the tools, prompts and resources that it is shown, one bit each. Callers of the same
// profile share one server of the protocol library.
type profile struct {
	tools, prompts, resources uint64
	readOnly                  bool
}

// maxProfiles bounds what is kept; beyond it the servers are made anew.
const maxProfiles = 256

type profiles struct {
	mu      sync.Mutex
	servers map[profile]*mcp.Server
}

// tools are all tools, in the order in which assistants see what there is.
var tools = []*tool{
	getContext, find, searchAssets, getAsset, getHistory, listPlaces, getSummary, searchWorkOrders, getWorkOrder, listUsers,
	losScorecard, searchSegments, searchProjects, getProject, capitalPlan, stateOfAssets,
	createAsset, updateAsset, recordCondition, createWorkOrder, updateWorkOrder, transitionWorkOrder, addComment, recordMeasurement, recordInspection,
}

// toolDefinitions are the tools as clients get them, made once.
var toolDefinitions = sync.OnceValue(func() map[string]*mcp.Tool {
	made := map[string]*mcp.Tool{}
	for _, t := range tools {
		made[t.name] = t.definition()
	}
	return made
})

// profileOf says what a caller may do.
func profileOf(c caller) profile {
	p := profile{readOnly: c.ReadOnly}
	available := map[string]bool{}
	for i, t := range tools {
		if t.unavailableReason(c) == "" {
			p.tools |= 1 << i
			available[t.name] = true
		}
	}
	for i, each := range prompts {
		if each.available(available) {
			p.prompts |= 1 << i
		}
	}
	for i, each := range resourceTemplates {
		if each.collection.readable(c) {
			p.resources |= 1 << i
		}
	}
	return p
}

// serverFor gives the server of a caller's profile.
func (s *server) serverFor(c caller) *mcp.Server {
	p := profileOf(c)
	s.profiles.mu.Lock()
	defer s.profiles.mu.Unlock()
	if made := s.profiles.servers[p]; made != nil {
		return made
	}
	if s.profiles.servers == nil || len(s.profiles.servers) >= maxProfiles {
		s.profiles.servers = map[profile]*mcp.Server{}
	}
	made := s.build(p)
	s.profiles.servers[p] = made
	return made
}

// build makes the server of a profile.
func (s *server) build(p profile) *mcp.Server {
	made := mcp.NewServer(&mcp.Implementation{Name: "asset-management", Title: "Asset Management", Version: version}, &mcp.ServerOptions{
		Instructions: instructions(p.readOnly),
		Capabilities: &mcp.ServerCapabilities{ // nothing is announced: what a caller may do changes with its key and plan
			Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{}, Completions: &mcp.CompletionCapabilities{},
		},
		CompletionHandler: s.complete,
		SetCacheable:      setPrivateCache,
	})
	hidden := map[string]bool{}
	for i, t := range tools {
		hidden[t.name] = p.tools&(1<<i) == 0
		made.AddTool(toolDefinitions()[t.name], func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, t, r.Params.Arguments), nil
		})
	}
	for i, each := range prompts {
		if p.prompts&(1<<i) != 0 {
			made.AddPrompt(each.definition(), each.get)
		}
	}
	for i, each := range resourceTemplates {
		if p.resources&(1<<i) != 0 {
			made.AddResourceTemplate(each.definition(), s.reader(each))
		}
	}
	made.AddReceivingMiddleware(s.receivingMiddleware, hideTools(hidden))
	return made
}

// hideTools leaves tools out of the list that the caller may not use. They are there all the same: who calls one by name is told
// what is missing.
func hideTools(hidden map[string]bool) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, r)
			if listed, isList := result.(*mcp.ListToolsResult); isList && err == nil {
				listed.Tools = slices.DeleteFunc(listed.Tools, func(t *mcp.Tool) bool { return hidden[t.Name] })
			}
			return result, err
		}
	}
}

// setPrivateCache lets nobody but the caller's own client keep what it got: lists differ by key, and a change of plan is in
// force within a minute.
func setPrivateCache(_ context.Context, r mcp.Request, c *mcp.Cacheable) {
	c.CacheScope, c.TTLMs = "private", 60_000
	if _, isRead := r.(*mcp.ReadResourceRequest); isRead {
		c.TTLMs = 0
	}
}

// receivingMiddleware sees every request of the protocol first. Nothing is sent that was not asked for, so there is nothing to listen to; a
// panic ends one request, not the process.
func (s *server) receivingMiddleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if reason := recover(); reason != nil {
				s.log.ErrorContext(ctx, "a request of an assistant panicked", "method", method, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Something went wrong on our side; it is safe to try again with a pause."}
			}
		}()
		switch method {
		case "subscriptions/listen", "resources/subscribe", "resources/unsubscribe", "logging/setLevel":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("%s is not offered: this server sends nothing but answers.", method)}
		}
		return next(ctx, method, r)
	}
}
