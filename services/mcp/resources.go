package main

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/libs/schema"
)

// resourceTemplate is a kind of record that clients may attach to a conversation by its URI.
type resourceTemplate struct {
	scheme, title string
	collection    *collection
}

var resourceTemplates = []resourceTemplate{
	{"asset", "An asset", assets},
	{"work-order", "A work order", workOrders},
	{"building", "A building", buildings},
}

func (each resourceTemplate) definition() *mcp.ResourceTemplate {
	return &mcp.ResourceTemplate{
		Name: each.collection.kind, Title: each.title, URITemplate: each.scheme + "://{id}", MIMEType: "application/json",
		Description: each.title + " with everything known about it, by its id.",
	}
}

// reader returns the handler that reads the resource.
func (s *server) reader(each resourceTemplate) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		id := strings.TrimPrefix(r.Params.URI, each.scheme+"://")
		if !schema.IsUUID(id) {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		query := url.Values{}
		each.collection.addSelection(query, callerFrom(ctx), nil)
		var found record
		missing, err := s.rest.getSelected(ctx, each.collection, each.collection.path+"/"+id, query, &found)
		var refused *apiError
		switch {
		case errors.As(err, &refused) && refused.status == http.StatusNotFound:
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		case err != nil:
			s.logFailure(ctx, each.scheme, err)
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: explain(ctx, err)}
		}
		maps.Copy(found, missing)
		content := truncate(each.collection.present(found))
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI,
			MIMEType: "application/json", Text: string(content)}}}, nil
	}
}
