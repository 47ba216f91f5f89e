package webhooks

import (
	"maps"
	"slices"
	"strings"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/transport"
)

// callHeaders are the headers of every call to an endpoint.
var callHeaders = []transport.Parameter{
	{Name: "webhook-id", In: "header", Required: true, Description: "The event's id: the same at every attempt and for every endpoint. Who " +
		"has seen it has seen the event.", Schema: map[string]any{"type": "string", "format": "uuid"}, Example: exampleEvent},
	{Name: "webhook-timestamp", In: "header", Required: true, Description: "When this attempt was made, in Unix seconds. Refuse what is " +
		"older or newer than five minutes.", Schema: map[string]any{"type": "string", "pattern": "^[0-9]+$"}, Example: "1778594587"},
	{Name: "webhook-signature", In: "header", Required: true,
		Description: "`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several, with spaces between them, " +
			"while a secret is replaced. One that fits is enough.",
		Schema: map[string]any{"type": "string"}, Example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
	{Name: "webhook-event-type", In: "header", Required: true, Description: "The event's type, for who wants to sort before reading.",
		Schema: map[string]any{"type": "string"}, Example: "asset.updated"},
	{Name: "webhook-delivery-id", In: "header", Required: true, Description: "The delivery: GET /v1/webhook-deliveries/{id} shows it.",
		Schema: map[string]any{"type": "string", "format": "uuid"}, Example: exampleRecord},
	{Name: "webhook-attempt", In: "header", Required: true, Description: "1 for the first attempt of the delivery.",
		Schema: map[string]any{"type": "string", "pattern": "^[0-9]+$"}, Example: "1"},
	{Name: "traceparent", In: "header", Description: "W3C Trace Context of the request that made the change.",
		Schema: map[string]any{"type": "string"}, Example: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"},
}

// envelopeSchema is what all events have besides type and data.
func envelopeSchema() map[string]any {
	text := func(doc string) map[string]any { return map[string]any{"type": "string", "description": doc} }
	nullable := func(kind, doc string) map[string]any {
		return map[string]any{"type": []string{kind, "null"}, "description": doc}
	}
	id := func(doc string) map[string]any {
		return map[string]any{"type": "string", "format": "uuid", "description": doc}
	}
	return map[string]any{
		"type": "object", "description": "What every event has.",
		"required": []string{"id", "timestamp", "organization_id", "sequence", "actor", "origin", "bulk_id", "request_id"},
		"properties": map[string]any{
			"id":              id("Of the event; the same wherever and however often it is received."),
			"timestamp":       map[string]any{"type": "string", "format": "date-time", "description": "When the change was made."},
			"organization_id": id("Whose record it is."),
			"sequence":        nullable("integer", "The event's number in the organization: 1, 2, 3 … without a gap. null of a test."),
			"actor": map[string]any{
				"type": "object", "description": "Who did it.", "required": []string{"type", "id"},
				"properties": map[string]any{"type": text("api_key, user or service."), "id": text("Of the key, person or service."),
					"name": text("What it is called. Not in thin bodies.")},
			},
			"origin":     nullable("string", "Which way the change came: api, import or console."),
			"bulk_id":    nullable("string", "The same of all events of one bulk call."),
			"request_id": nullable("string", "The X-Request-Id of the request that made the change."),
			"truncated": map[string]any{"type": "boolean", "description": "true where the body would be longer than 256 KiB, and therefore comes " +
				"without the object: fetch it."},
		},
	}
}

// changeSchema is what the data of all events may have besides the object.
func changeSchema() map[string]any {
	return map[string]any{"type": "object", "description": "What has changed.", "properties": map[string]any{
		"changed": map[string]any{"type": "array", "items": map[string]any{"type": "string"},
			"description": "The names of the fields that changed."},
		"previous": map[string]any{"type": "object", "description": "The former values of these fields."},
		"id": map[string]any{"type": "string", "format": "uuid",
			"description": "Of the record; in thin and truncated bodies, where there is no object."},
		"collection": map[string]any{"type": "string", "description": "Of the record, for example assets; in thin and truncated bodies."},
		"version":    map[string]any{"type": "integer", "description": "Of the record; in thin and truncated bodies."},
	}}
}

// declareEvents names the schemas of events: Event is any of them, AssetEvent any about an asset, FeedEvent is one of all those.
func (p public) declareEvents() {
	api := p.registry.API
	envelope, change := api.Component("EventEnvelope", envelopeSchema()), api.Component("EventChange", changeSchema())
	event := func(types, object map[string]any) map[string]any {
		object["description"] = "The record as GET shows it; of a deleted one, as it was last. Not in thin and in truncated bodies."
		return map[string]any{"allOf": []any{envelope, map[string]any{"type": "object", "required": []string{"type", "data"},
			"properties": map[string]any{"type": types,
				"data": map[string]any{"allOf": []any{change, map[string]any{"type": "object", "properties": map[string]any{"object": object}}}}},
		}}}
	}
	api.Component("Event", event(map[string]any{"type": "string", "description": "As GET /v1/event-types lists them."},
		map[string]any{"type": "object"}))
	names := map[string][]string{}
	objects := map[string]map[string]any{}
	for t := range catalogue.Product().EventTypes() {
		name := eventSchemaOf(t)
		names[name], objects[name] = append(names[name], t.Name), objectOf(t)
	}
	var all []any
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = append(all, api.Component(name, event(map[string]any{"type": "string", "enum": names[name]}, objects[name])))
	}
	api.Component("FeedEvent",
		map[string]any{"anyOf": all, "description": "An event about a record of one of the collections; its type says of which."})
}

// eventSchemaOf names the schema of a type's events: AssetEvent, ImportCompletedEvent.
func eventSchemaOf(t catalogue.EventType) string {
	words := singularOf(t.Collection)
	if !isAboutRecord(t.Name) {
		words = strings.ReplaceAll(t.Name, ".", "_")
	}
	name := ""
	for word := range strings.SplitSeq(words, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name + "Event"
}

// objectOf is the schema of the object of a type's events.
func objectOf(t catalogue.EventType) map[string]any {
	switch t.Name {
	case "import.completed":
		count := func(doc string) map[string]any { return map[string]any{"type": "integer", "description": doc} }
		return map[string]any{"type": "object", "properties": map[string]any{
			"import_id": map[string]any{"type": "string", "format": "uuid"}, "file_name": map[string]any{"type": []string{"string", "null"}},
			"created": count("Records that are new."), "updated": count("Records that were changed."),
			"unchanged": count("Records that were as the file says."), "rejected": count("Rows that were refused."),
		}}
	case thresholdType:
		whole := func(doc string) map[string]any { return map[string]any{"type": "integer", "description": doc} }
		return map[string]any{"type": "object", "properties": map[string]any{
			"percent": whole("80, 95 or 100."), "used": whole("Bytes that are kept."), "limit": whole("Bytes that may be kept."),
		}}
	case testType:
		return map[string]any{"type": "object", "properties": map[string]any{"id": map[string]any{"type": "string", "format": "uuid",
			"description": "Of the endpoint."}, "message": map[string]any{"type": "string"}}}
	}
	return transport.ObjectOf("get_" + singularOf(t.Collection))
}

// declareWebhooks describes every type of event in the OpenAPI document.
func (p public) declareWebhooks() {
	p.declareEvents()
	for t := range catalogue.Product().EventTypes() {
		webhook := transport.Webhook{
			Name: t.Name, Summary: strings.TrimSuffix(firstSentence(t.Description), "."), Description: t.Description, Tag: "events",
			Feature: t.Feature, Headers: callHeaders,
			Body: map[string]any{"allOf": []any{transport.Reference(eventSchemaOf(t)), map[string]any{"type": "object",
				"properties": map[string]any{"type": map[string]any{"const": t.Name}}}}},
			Example: exampleOf(t).body(false),
		}
		if t.Scope != "" {
			webhook.Scope = t.Scope + ":read"
		}
		p.registry.API.Webhook(webhook)
	}
}

func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return first
}

// singularOf gives the singular of a collection, as event types have it.
func singularOf(collection string) string {
	row, _ := catalogue.Product().Find(collection)
	return row.Singular
}
