package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"ams.internal/services/mcp/oauth"
)

const (
	// maxBatch is how many messages a JSON-RPC batch may have.
	maxBatch = 20
	// versionOfAbsent is the protocol version of a request that names none, as the specification says.
	versionOfAbsent = "2025-03-26"
	// firstWithoutBatches is the protocol version that took JSON-RPC batches away.
	firstWithoutBatches = "2025-06-18"
)

// admit is the chain of checks before a request is served: it has a key or a token (RequireBearer), and its batch is not too large.
func admit(authorizer *oauth.Authorizer) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return authorizer.RequireBearer(limitBatches(authorizer, next))
	}
}

// limitBatches refuses JSON-RPC batches in protocol versions that have none, and those of more than maxBatch messages, before
// anything of them is made. Each message of a batch counts against the key's limit, before any of them is served; of the POST
// the gateway counted one message. It comes behind RequireBearer.
func limitBatches(authorizer *oauth.Authorizer, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, read := readBody(w, r)
		if !read {
			return
		}
		r = withBody(r, body)
		if !bytes.HasPrefix(body, []byte("[")) {
			next.ServeHTTP(w, r)
			return
		}
		refuse := func(code int, message string) {
			writeRPCError(w, http.StatusBadRequest, rpcError(nil, code, message))
		}
		if protocolVersion(r) >= firstWithoutBatches {
			refuse(jsonrpc.CodeInvalidRequest, "Protocol "+firstWithoutBatches+" and later have no JSON-RPC batches: send each message by itself.")
			return
		}
		messages, err := countMessages(body)
		switch {
		case err != nil:
			refuse(jsonrpc.CodeParseError, "The body is not JSON.")
			return
		case messages > maxBatch:
			refuse(jsonrpc.CodeInvalidRequest, "A JSON-RPC batch has 20 messages at most: send the others in further requests.")
			return
		}
		if messages > 0 && !authorizer.CountRequests(w, r, messages) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// protocolVersion is the protocol version that a request names.
func protocolVersion(r *http.Request) string {
	if version := r.Header.Get("MCP-Protocol-Version"); version != "" {
		return version
	}
	return versionOfAbsent
}

// readBody reads the body of a request, without the white space before it. It writes the error where that fails.
func readBody(w http.ResponseWriter, r *http.Request) (body []byte, read bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		writeError(w, r, http.StatusRequestEntityTooLarge, "protocol_error", "The body is too large: 1 MiB at most.")
	case err != nil:
		writeError(w, r, http.StatusBadRequest, "protocol_error", "The body did not arrive whole.")
	}
	return bytes.TrimLeft(body, " \t\r\n"), err == nil
}

// withBody is the request with a body that was read.
func withBody(r *http.Request, body []byte) *http.Request {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}

// countMessages counts the messages of a batch, up to one more than it may have.
func countMessages(batch []byte) (count int, err error) {
	decoder := json.NewDecoder(bytes.NewReader(batch))
	if _, err := decoder.Token(); err != nil { // the bracket
		return 0, err
	}
	for decoder.More() {
		if count++; count > maxBatch {
			return count, nil
		}
		var message json.RawMessage
		if err := decoder.Decode(&message); err != nil {
			return 0, err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return 0, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return 0, errors.New("something follows the batch")
	}
	return count, nil
}
