package console

import (
	"maps"
	"net/http"
	"strings"
	"time"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

const shownSecret = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2U="

// serveWebhooks stands for the webhooks service, and for the list of sites of the assets service.
func (f *fixture) serveWebhooks(handle handlerFunc) {
	const endpoints = "/v1/webhook-endpoints"
	handle("GET /v1/sites", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		return map[string]any{"data": []any{map[string]any{"id": adminID, "name": "Aréna Sainte-Foy", "code": "S-0001"},
			map[string]any{"id": managerID, "name": "Zephyr Pool"}}}, nil
	})
	handle("GET /v1/event-types", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		var types []any
		for t := range catalogue.Product().EventTypes() {
			types = append(types, map[string]any{"name": t.Name, "scope": t.Scope, "feature": t.Feature, "description": t.Description})
		}
		return map[string]any{"data": types}, nil
	})
	handle("GET "+endpoints, func(principal.Principal, *http.Request, map[string]any) (any, error) {
		return map[string]any{"data": f.endpoints}, nil
	})
	handle("GET "+endpoints+"/sender", func(principal.Principal, *http.Request, map[string]any) (any, error) { return f.sender, nil })
	handle("POST "+endpoints, func(p principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		f.bodies = append(f.bodies, maps.Clone(body))
		body["id"], body["status"], body["created_by"], body["created_at"] = newFormID(), "active", p.Actor, "2026-11-21T15:04:05Z"
		body["headers"] = hiddenHeaders(body["headers"])
		f.endpoints = append(f.endpoints, body)
		made := maps.Clone(body)
		made["secret"] = shownSecret
		return made, nil
	})
	one := func(pattern string, do func(e map[string]any, r *http.Request, body map[string]any) (any, error)) {
		method, rest, _ := strings.Cut(pattern, " ")
		handle(method+" "+endpoints+"/{id}"+rest, func(_ principal.Principal, r *http.Request, body map[string]any) (any, error) {
			for _, e := range f.endpoints {
				if e["id"] == r.PathValue("id") {
					if body != nil {
						f.bodies = append(f.bodies, maps.Clone(body))
					}
					return do(e, r, body)
				}
			}
			return nil, fault.NotFound("webhook_endpoint", r.PathValue("id"))
		})
	}
	one("GET ", func(e map[string]any, _ *http.Request, _ map[string]any) (any, error) { return e, nil })
	one("PATCH ", func(e map[string]any, _ *http.Request, body map[string]any) (any, error) {
		delete(body, "headers")
		maps.Copy(e, body)
		return e, nil
	})
	one("DELETE ", func(e map[string]any, _ *http.Request, _ map[string]any) (any, error) {
		e["id"] = "gone"
		return map[string]any{}, nil
	})
	one("POST /pause", func(e map[string]any, _ *http.Request, _ map[string]any) (any, error) {
		e["status"] = "paused"
		return e, nil
	})
	one("POST /resume", func(e map[string]any, _ *http.Request, _ map[string]any) (any, error) {
		e["status"] = "active"
		return e, nil
	})
	one("POST /secret/rotate", func(map[string]any, *http.Request, map[string]any) (any, error) {
		return map[string]any{"secret": shownSecret, "previous_expires_at": "2026-11-22T15:04:05Z"}, nil
	})
	one("POST /test", func(e map[string]any, _ *http.Request, _ map[string]any) (any, error) {
		time.Sleep(f.testDelay)
		return f.delivery(e["id"].(string), "webhook.test", "test", "ok"), nil
	})
	one("GET /deliveries", func(_ map[string]any, r *http.Request, _ map[string]any) (any, error) {
		f.deliveryQuery = r.URL.Query()
		return map[string]any{"data": f.deliveries, "pagination": map[string]any{"page": 1, "total": len(f.deliveries), "total_pages": 3}}, nil
	})
	one("GET /replays", func(map[string]any, *http.Request, map[string]any) (any, error) {
		return map[string]any{"data": f.replays}, nil
	})
	one("POST /replay", func(_ map[string]any, _ *http.Request, body map[string]any) (any, error) {
		body["id"], body["state"], body["queued"], body["created_at"] = newFormID(), "running", 1234, "2026-11-21T15:04:05Z"
		f.replays = append(f.replays, body)
		return body, nil
	})
	one("GET /replays/{replay}", func(_ map[string]any, r *http.Request, _ map[string]any) (any, error) {
		for _, each := range f.replays {
			if each["id"] == r.PathValue("replay") {
				return each, nil
			}
		}
		return nil, fault.NotFound("webhook_replay", r.PathValue("replay"))
	})
	f.serveDeliveries(handle)
}

func (f *fixture) serveDeliveries(handle handlerFunc) {
	found := func(id string) (map[string]any, error) {
		for _, d := range f.deliveries {
			if d["id"] == id {
				return d, nil
			}
		}
		return nil, fault.NotFound("webhook_delivery", id)
	}
	handle("GET /v1/webhook-deliveries/{id}", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		return found(r.PathValue("id"))
	})
	handle("POST /v1/webhook-deliveries/{id}/redeliver", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		d, err := found(r.PathValue("id"))
		if err != nil {
			return nil, err
		}
		return f.delivery(d["endpoint_id"].(string), d["event_type"].(string), "redelivery", "ok"), nil
	})
}

// delivery stores a delivery with one attempt and the receiver's response.
func (f *fixture) delivery(endpoint, eventType, cause, body string) map[string]any {
	made := map[string]any{"id": newFormID(), "endpoint_id": endpoint, "event_id": newFormID(), "event_type": eventType,
		"record_id": managerID, "state": "delivered", "cause": cause,
		"attempt_count": 1, "created_at": "2026-11-21T15:04:05.123456Z", "finished_at": "2026-11-21T15:04:06Z", "last_status": 200,
		"attempts": []any{map[string]any{"number": 1, "at": "2026-11-21T15:04:05.2Z", "duration_ms": 1234,
			"request": map[string]any{"headers": map[string]any{"Webhook-Id": "1", "Content-Type": "application/json"},
				"body": `{"id":"1","type":"` + eventType + `"}`},
			"response": map[string]any{"status": 200, "headers": map[string]any{"Server": "nginx"}, "body": body}}}}
	f.deliveries = append(f.deliveries, made)
	return made
}

func hiddenHeaders(headers any) map[string]any {
	shown := map[string]any{}
	if given, ok := headers.(map[string]any); ok {
		for name := range given {
			shown[name] = hiddenValue
		}
	}
	return shown
}

// endpoint stores an endpoint.
func (f *fixture) endpoint(address string, more map[string]any) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	made := map[string]any{"id": newFormID(), "url": address, "event_types": []string{"work_order.*", "asset.condition_changed"},
		"status": "active", "payload": "full", "format": "ams", "destination": "https", "headers": map[string]any{},
		"site_ids": []string{}, "changed_any": []string{}, "exclude_origins": []string{}, "created_at": "2026-11-20T15:04:05Z",
		"created_by": actor{"user", adminID, "Anne Tremblay"}}
	maps.Copy(made, more)
	f.endpoints = append(f.endpoints, made)
	return made["id"].(string)
}
