package transport

import (
	"encoding/json"
	"strings"
)

// Webhook declares a call that the product makes, not one that it serves: the delivery of an event to its subscribers. Webhooks
// have a section of their own in the OpenAPI document.
type Webhook struct {
	Name        string // "site.created"
	Summary     string // one line
	Description string
	Tag         string // the group that the webhook is shown in
	Scope       string // that a key needs to subscribe; "" where that depends on the event
	Feature     string // plan feature
	Headers     []Parameter
	Body        any             // JSON Schema
	Example     json.RawMessage // a body
}

// ObjectOf is a placeholder for the schema of the response of the operation with that id. The gateway, which has the documents
// of all services, replaces it by a reference to that schema; until then it is any object.
func ObjectOf(operation string) map[string]any {
	return map[string]any{"type": "object", ObjectOfKeyword: operation}
}

// ObjectOfKeyword is the keyword of ObjectOf.
const ObjectOfKeyword = "x-object-of"

// Webhook adds a webhook to the OpenAPI document. It panics for one that is declared twice, so that the mistake is found at start.
func (api *API) Webhook(webhook Webhook) {
	for _, declared := range api.webhooks {
		if declared.Name == webhook.Name {
			panic("transport: webhook " + webhook.Name + " is declared twice")
		}
	}
	api.webhooks = append(api.webhooks, &webhook)
}

// receiverResponses are the statuses that a receiver may respond with, and their consequences.
var receiverResponses = map[string]string{
	"2XX":     "Received. Answer within 15 seconds and work on it afterwards.",
	"410":     "Nobody is here any more: the endpoint is disabled at once.",
	"429":     "Too fast: with Retry-After, the next try waits that long and does not count as a failure.",
	"503":     "Not now: with Retry-After, the next try waits that long and does not count as a failure.",
	"default": "Anything else is a failure, redirects too; the delivery is tried again later.",
}

// webhookHeaders are the headers of all webhooks, each once. They are components that the webhooks refer to.
func (api *API) webhookHeaders() map[string]any {
	headers := map[string]any{}
	for _, w := range api.webhooks {
		for i, described := range describeParameters(w.Headers) {
			headers[w.Headers[i].Name] = described
		}
	}
	return headers
}

func (api *API) describeWebhooks() map[string]any {
	described := map[string]any{}
	for _, w := range api.webhooks {
		responses := map[string]any{}
		for status, meaning := range receiverResponses {
			responses[status] = map[string]any{"description": meaning}
		}
		content := map[string]any{"schema": w.Body}
		if w.Example != nil {
			content["example"] = w.Example
		}
		operation := map[string]any{
			"operationId": "on_" + strings.ReplaceAll(w.Name, ".", "_"), "summary": w.Summary, "description": w.Description,
			"tags": []string{w.Tag}, "responses": responses, "security": []any{},
			"requestBody": map[string]any{"required": true, "content": map[string]any{"application/json": content}},
		}
		var headers []any
		for _, header := range w.Headers {
			headers = append(headers, map[string]any{"$ref": "#/components/parameters/" + header.Name})
		}
		if headers != nil {
			operation["parameters"] = headers
		}
		if w.Scope != "" {
			operation["x-scope"] = w.Scope
		}
		if w.Feature != "" {
			operation["x-feature"] = w.Feature
		}
		described[w.Name] = map[string]any{"post": operation}
	}
	return described
}
