package mcp

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/services/mcp/oauth"
)

// profile is the set of tools, prompts and resources that a caller may use, one bit each. Callers with the same profile
// share one server of the protocol library.
type profile struct {
	tools, prompts, resources uint64
	readOnly, documents       bool
}

// maxProfiles limits the servers in memory. When it is reached, all are dropped and built again on demand.
const maxProfiles = 256

type profiles struct {
	mu      sync.Mutex
	servers map[profile]*mcp.Server
}

// tools are all tools, in the order of the tool list.
var tools = []*tool{
	getContext, find, searchAssets, getAsset, getHistory, listRecords, getSummary, searchWorkOrders, getWorkOrder,
	losScorecard, searchSegments, searchProjects, getProject, capitalPlan, stateOfAssets, listFindings, maintenanceOutlook,
	listDocuments, planningResults, tcaSchedule,
	createAsset, updateAsset, recordCondition, createWorkOrder, updateWorkOrder, transitionWorkOrder, addComment,
	recordMeasurement, recordInspection, runScenarios,
}

// toolDefinitions are the tools as clients receive them, built once.
var toolDefinitions = sync.OnceValue(func() map[string]*mcp.Tool {
	made := map[string]*mcp.Tool{}
	for _, t := range tools {
		made[t.name] = t.definition()
	}
	return made
})

// profileOf returns the profile of a caller.
func profileOf(c caller) profile {
	p := profile{readOnly: c.ReadOnly || c.RequestedReadOnly, documents: files.readable(c)}
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

// serverFor returns the server of the caller's profile.
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

// build returns a server for a profile.
func (s *server) build(p profile) *mcp.Server {
	made := mcp.NewServer(&mcp.Implementation{Name: "asset-management", Title: "Asset Management", Version: version,
		Icons: []mcp.Icon{{Source: s.baseURL + oauth.IconPath, MIMEType: "image/png", Sizes: []string{oauth.IconSize}}}}, &mcp.ServerOptions{
		Instructions: instructions(p.readOnly),
		Capabilities: &mcp.ServerCapabilities{ // no change notifications: the lists change with the caller's key and plan
			Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{},
			Completions: &mcp.CompletionCapabilities{},
		},
		CompletionHandler: s.complete,
		SetCacheable:      setPrivateCache,
	})
	hidden := map[string]bool{}
	for i, t := range tools {
		hidden[t.name] = p.tools&(1<<i) == 0
		made.AddTool(toolDefinitions()[t.name], func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, t, r), nil
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
	if p.documents {
		made.AddResourceTemplate(documentTemplate, s.readDocument)
	}
	made.AddReceivingMiddleware(s.receivingMiddleware, hideTools(hidden))
	return made
}

// hideTools removes the tools that the caller may not use from the list. They can still be called, so that the error
// names the reason.
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

// setPrivateCache lets only the caller's own client cache a result. Lists differ by key, and a change of plan takes
// effect within a minute.
func setPrivateCache(_ context.Context, r mcp.Request, c *mcp.Cacheable) {
	c.CacheScope, c.TTLMs = "private", 60_000
	if _, isRead := r.(*mcp.ReadResourceRequest); isRead {
		c.TTLMs = 0
	}
}

// receivingMiddleware runs first for every request of the protocol. A panic ends one request, not the process.
func (s *server) receivingMiddleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if reason := recover(); reason != nil {
				s.log.ErrorContext(ctx, "a request of an assistant panicked", "method", method, "panic", fmt.Sprint(reason),
					"stack", string(debug.Stack()))
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Something went wrong on our side; it is safe to try " +
					"again with a pause."}
			}
		}()
		return next(ctx, method, r)
	}
}
