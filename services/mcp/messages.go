package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// firstWithoutHandshake is the protocol version from which an error of JSON-RPC has an HTTP status of its own.
const firstWithoutHandshake = "2026-07-28"

// offeredMethods are the methods that this server has, and whether they need params. What has to do with streams (subscriptions, levels of
// logging) is not among them: this server sends nothing but answers.
var offeredMethods = map[string]bool{
	"initialize": true, "ping": false, "server/discover": false, "completion/complete": true,
	"tools/list": false, "tools/call": true, "prompts/list": false, "prompts/get": true,
	"resources/list": false, "resources/templates/list": false, "resources/read": true,
}

// checkMessages answers what is no message, or a message for no method of this server, with an error of JSON-RPC, whatever the version of
// the protocol: the protocol library does so in the newest only. In a batch, the other messages are answered as usual.
func checkMessages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "application/json" {
			next.ServeHTTP(w, r) // which refuses it
			return
		}
		body, read := readBody(w, r)
		if !read {
			return
		}
		version := protocolVersion(r)
		if !json.Valid(body) {
			writeRPCError(w, http.StatusBadRequest, rpcError(nil, jsonrpc.CodeParseError, "The body is not JSON."))
			return
		}
		var messages []json.RawMessage
		batch := json.Unmarshal(body, &messages) == nil && messages != nil
		if !batch {
			messages = append(messages, body)
		}
		if len(messages) == 0 {
			writeRPCError(w, http.StatusBadRequest, rpcError(nil, jsonrpc.CodeInvalidRequest, "A JSON-RPC batch has at least one message."))
			return
		}
		good, refused, first := []json.RawMessage{}, []json.RawMessage{}, &jsonrpc.Error{}
		ids := map[any]bool{}
		for _, each := range messages {
			id, problem := checkMessage(each)
			switch {
			case problem == nil && id.IsValid() && ids[id.Raw()]:
				problem = refuse(jsonrpc.CodeInvalidRequest, "Another message of the batch has the same id.")
			case problem == nil && !id.IsValid(): // a notification: nothing here waits for any
				continue
			}
			ids[id.Raw()] = true
			if problem == nil {
				good = append(good, each)
				continue
			}
			if len(refused) == 0 {
				first = problem
			}
			refused = append(refused, rpcError(id.Raw(), int(problem.Code), problem.Message))
		}
		switch {
		case len(good) == 0 && len(refused) == 0:
			w.WriteHeader(http.StatusAccepted)
		case len(refused) == 0:
			next.ServeHTTP(w, withBody(r, body))
		case !batch:
			writeRPCError(w, errorStatus(version, int(first.Code)), refused[0])
		case len(good) == 0:
			writeRPCError(w, http.StatusOK, encodeJSON(refused))
		default:
			serveValid(w, withBody(r, encodeJSON(good)), next, refused)
		}
	})
}

// checkMessage reads one message, and says what is wrong with it. The id is not valid where it has none.
func checkMessage(raw json.RawMessage) (id jsonrpc.ID, problem *jsonrpc.Error) {
	message, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return id, refuse(jsonrpc.CodeInvalidRequest,
			"This is no JSON-RPC 2.0 message: send an object with jsonrpc: \"2.0\", a method, and an id.")
	}
	call, isCall := message.(*jsonrpc.Request)
	if !isCall {
		if response := message.(*jsonrpc.Response); response.Result == nil && response.Error == nil {
			return response.ID, refuse(jsonrpc.CodeInvalidRequest, "The message has no method.")
		}
		return id, nil // a response: this server requested nothing, and waits for none
	}
	needsParams, offered := offeredMethods[call.Method]
	params := bytes.TrimSpace(call.Params)
	absent := len(params) == 0 || bytes.Equal(params, []byte("null"))
	switch notification := strings.HasPrefix(call.Method, "notifications/"); {
	case notification && call.ID.IsValid():
		return call.ID, refuse(jsonrpc.CodeInvalidRequest, call.Method+" is a notification: send it without an id.")
	case notification:
		return call.ID, nil
	case !call.ID.IsValid():
		return call.ID, refuse(jsonrpc.CodeInvalidRequest, "The message has no id, so it could not be answered.")
	case !offered:
		return call.ID, refuse(jsonrpc.CodeMethodNotFound, fmt.Sprintf("%s is not offered: this server sends nothing but answers to %s.",
			call.Method, "tools, prompts, resources and completions"))
	case absent && needsParams:
		return call.ID, refuse(jsonrpc.CodeInvalidParams, call.Method+" needs params.")
	case !absent && params[0] != '{':
		return call.ID, refuse(jsonrpc.CodeInvalidParams, "params must be an object.")
	}
	return call.ID, nil
}

func refuse(code int, message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: int64(code), Message: message}
}

// serveValid serves the valid messages of a batch, and adds the errors of the others to the responses.
func serveValid(w http.ResponseWriter, r *http.Request, next http.Handler, refused []json.RawMessage) {
	held := &heldResponse{ResponseWriter: w, status: http.StatusOK}
	next.ServeHTTP(held, r)
	var responses []json.RawMessage
	if held.status != http.StatusOK || json.Unmarshal(held.body.Bytes(), &responses) != nil { // it was refused as a whole
		w.WriteHeader(held.status)
		_, _ = w.Write(held.body.Bytes()) // the client is gone; nobody reads the error
		return
	}
	w.Header().Del("Content-Length")
	writeRPCError(w, http.StatusOK, encodeJSON(append(responses, refused...)))
}

// heldResponse keeps status and body of a response until it is whole.
type heldResponse struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader keeps the status.
func (h *heldResponse) WriteHeader(status int) { h.status = status }

// Write keeps a part of the body.
func (h *heldResponse) Write(piece []byte) (int, error) { return h.body.Write(piece) }

// errorStatus is the HTTP status of an error that is about one message. Before version 2026-07-28 it is an answer like any other: clients
// of those versions read no body of another status.
func errorStatus(version string, code int) int {
	switch {
	case code == jsonrpc.CodeInvalidRequest:
		return http.StatusBadRequest
	case version < firstWithoutHandshake:
		return http.StatusOK
	case code == jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// rpcError is an error of JSON-RPC about the message with an id, or about none in particular.
func rpcError(id any, code int, message string) json.RawMessage {
	return encodeJSON(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
}

// writeRPCError writes an error of JSON-RPC, or the answers to a batch.
func writeRPCError(w http.ResponseWriter, status int, body json.RawMessage) {
	var escaped bytes.Buffer
	json.HTMLEscape(&escaped, body)
	writeJSON(w, status, escaped.Bytes())
}
