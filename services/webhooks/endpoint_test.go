package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	f := newFixture(t)
	resourcetest.Run(t, resourcetest.Suite[WebhookEndpoint]{
		Definition: public{}.endpoints(), Client: f.Client, Path: endpointsPath, Once: []string{"secret"},
		Make: func(_ testing.TB, _ *resourcetest.Client, n int) fields {
			return fields{
				"url": fmt.Sprintf("http://127.0.0.1:9/hooks/%d", n), "event_types": []string{"work_order.*", "asset.updated"},
				"description": "Miroir du SIG",
				"site_ids":    []string{f.site}, "changed_any": []string{"status", "condition_rating"}, "exclude_origins": []string{"import"},
				"payload": "thin",
				"headers": fields{}, "rate_limit": 10, "external_id": fmt.Sprintf("hook-%d", n), "tags": []string{"sig"},
				"custom_fields": fields{"lot": 3.0},
			}
		},
	})
}

// A site that an endpoint names is held: the assets service asks for it before it deletes the site.
func TestAnEndpointHoldsTheSitesThatItNames(t *testing.T) {
	f := newFixture(t)
	f.createEndpoint(t, fields{"site_ids": []string{f.site}})
	assets := *f.Client
	assets.Principal.Actor = principal.Actor{Type: "service", ID: "assets", Name: "assets"}
	answer := assets.Must(t, 200, "POST", "/internal/dependents/sites", fields{"ids": []string{f.site, newID()}})
	held, _ := answer.JSON["data"].([]any)
	if len(held) != 1 || held[0].(fields)["id"] != f.site || held[0].(fields)["counts"].(fields)["webhook_endpoints"] != 1.0 {
		t.Errorf("%s", answer.Body)
	}
	row, _ := catalogue.Product().Find("sites")
	if !slices.Contains(row.ReferredBy, "webhooks") {
		t.Error("the assets service does not ask the webhooks service")
	}
}

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, newFixture(t).Handler, "testdata/openapi.json")
}

// A name server may be as slow as it likes: nobody else waits for it.
func TestNoConnectionIsHeldWhileANameIsLookedUp(t *testing.T) {
	f := newFixture(t)
	asked, release := make(chan struct{}, 100), make(chan struct{})
	f.resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		asked <- struct{}{}
		<-release
		return nil, errors.New("the name server does not answer")
	}}
	f = f.singleConnection(t)
	first, second := f.createEndpoint(t), f.createEndpoint(t, fields{"url": "http://127.0.0.1:9/second"})
	slow := func(n int) string { return fmt.Sprintf("https://slow-%d.example.com/hook", n) }
	answers := make(chan resourcetest.Response, 4)
	for i, request := range []struct {
		method, path string
		body         any
	}{
		{"POST", endpointsPath, f.endpointBody(1, fields{"url": slow(1)})},
		{"PATCH", pathOf(first), fields{"url": slow(2)}},
		{"POST", endpointsPath + "/bulk", fields{"data": []any{f.endpointBody(3, fields{"url": " " + slow(3)}), f.endpointBody(4)}}},
		{"PATCH", endpointsPath + "/bulk", fields{"data": []any{fields{"id": second["id"], "url": slow(5)}}}},
	} {
		go func() {
			answers <- f.Do(t, request.method, request.path, request.body, "Idempotency-Key", fmt.Sprint(i))
		}()
		<-asked
	}
	if list, _ := f.List(t, endpointsPath); len(list) != 2 { // by the only connection
		t.Errorf("%d endpoints", len(list))
	}
	close(release)
	for range cap(answers) {
		if answer := <-answers; answer.Status >= 300 {
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
	}
}

func TestABulkCallNamesTwentyHostsAtMost(t *testing.T) {
	f := newFixture(t)
	var rows []any
	for i := range 21 {
		rows = append(rows, f.endpointBody(i, fields{"url": fmt.Sprintf("https://host-%d.example.com/hook", i)}))
	}
	answer := f.Must(t, 400, "POST", endpointsPath+"/bulk", fields{"data": rows}, "Idempotency-Key", "many")
	if got := messageOf(answer, "data"); !strings.Contains(got, "names 21 different hosts in url: give 20 at most in one call") {
		t.Errorf("%s", answer.Body)
	}
}
