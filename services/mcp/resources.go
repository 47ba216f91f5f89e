package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/libs/schema"
)

// attachment is a record that clients may attach to a conversation by its address.
type attachment struct {
	scheme, title string
	collection    *collection
}

var attachments = []attachment{
	{"asset", "An asset", assets},
	{"work-order", "A work order", workOrders},
	{"building", "A building", buildings},
}

func (each attachment) listed() *mcp.ResourceTemplate {
	return &mcp.ResourceTemplate{
		Name: each.collection.kind, Title: each.title, URITemplate: each.scheme + "://{id}", MIMEType: "application/json",
		Description: each.title + " with everything known about it, by its id.",
	}
}

// reader gives what reads the resource.
func (s *server) reader(each attachment) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		id := strings.TrimPrefix(r.Params.URI, each.scheme+"://")
		if !schema.IsUUID(id) {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		query := url.Values{}
		each.collection.show(query, callerFrom(ctx), nil)
		var found record
		err := s.rest.get(ctx, each.collection.path+"/"+id, query, &found)
		var refused *refusal
		switch {
		case errors.As(err, &refused) && refused.status == http.StatusNotFound:
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		case err != nil:
			s.note(ctx, each.scheme, err)
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: explain(ctx, err)}
		}
		content := fit(each.collection.tidy(found))
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: string(content)}}}, nil
	}
}
