package mcp

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
		Description: each.title + " with everything known about it, by its id or code.",
	}
}

// reader returns the handler that reads the resource.
func (s *server) reader(each resourceTemplate) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		call := &toolCall{restClient: s.rest, caller: callerFrom(ctx)}
		found, err := call.readNamed(ctx, each.collection, strings.TrimPrefix(r.Params.URI, each.scheme+"://"))
		var refused *apiError
		switch {
		case errors.As(err, &refused) && refused.status == http.StatusNotFound, isProblem(err):
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		case err != nil:
			s.logFailure(ctx, each.scheme, err)
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: explain(ctx, err)}
		}
		content := truncate(found)
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI,
			MIMEType: "application/json", Text: string(content)}}}, nil
	}
}

// named stands between the code, or id, and the name of a record in the completion of a resource.
const named = " · "

// readNamed reads a record as a URI names it: by its id, or by its code, behind which its name may stand.
func (call *toolCall) readNamed(ctx context.Context, c *collection, text string) (record, error) {
	text, err := url.PathUnescape(text)
	if err != nil {
		return nil, problemf("The address is not well-formed.")
	}
	text, _, _ = strings.Cut(text, named)
	if schema.IsUUID(text) {
		return call.read(ctx, c, text, nil)
	}
	return call.readByFilter(ctx, c, c.code, text, nil)
}
