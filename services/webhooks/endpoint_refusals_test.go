package webhooks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

// messageOf gives what an answer says about a field.
func messageOf(a resourcetest.Response, field string) string {
	list, _ := a.JSON["fields"].([]any)
	for _, entry := range list {
		if entry := entry.(fields); entry["field"] == field {
			return entry["message"].(string)
		}
	}
	return ""
}

func TestWhatAnEndpointMayNotBe(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		name           string
		change         fields
		field, message string
	}{
		{"plain http", fields{"url": "http://example.com/hook"}, "url", "must be an https URL"},
		{"another scheme", fields{"url": "ftp://example.com/hook"}, "url", "must be an https URL"},
		{"no URL at all", fields{"url": "example.com/hook"}, "url", "must be an https URL"},
		{"credentials in the URL", fields{"url": "https://anne:secret@example.com/hook"}, "url", "must not contain a user name or a password"},
		{"a fragment", fields{"url": "https://example.com/hook#part"}, "url", "must not have a fragment"},
		{"no host", fields{"url": "https:///hook"}, "url", "must name a host"},
		{"a port that is not allowed", fields{"url": "https://example.com:25/hook"}, "url", "names port 25: use 443, 8443 or one from 1024"},
		{"a private address", fields{"url": "https://10.1.2.3/hook"}, "url", "is not an address of the public internet"},
		{"the cloud's metadata", fields{"url": "https://169.254.169.254/latest"}, "url", "is not an address of the public internet"},
		{"loopback in another form", fields{"url": "https://[::1]/hook"}, "url", "is not an address of the public internet"},
		{"a number for an address", fields{"url": "https://2130706433/hook"}, "url", "neither a name nor an IP address"},
		{"a name of a private network", fields{"url": "https://consul.service.consul/hook"}, "url", "which only a private network knows"},
		{"a URL of 3000 characters", fields{"url": "https://example.com/" + strings.Repeat("x", 3000)}, "url", "at most 2000 characters"},

		{"no type", fields{"event_types": []string{}}, "event_types", "must name one event type at least"},
		{"null for the types", fields{"event_types": nil}, "event_types", "must name one event type at least"},
		{"an unknown type", fields{"event_types": []string{"asset.updated", "asset.painted"}}, "event_types[1]",
			`"asset.painted" is not an event type`},
		{"a pattern that no type fits", fields{"event_types": []string{"bridge.*"}}, "event_types[0]", "is not an event type, nor a pattern"},
		{"a pattern of another form", fields{"event_types": []string{"asset*"}}, "event_types[0]", "is not an event type, nor a pattern"},
		{"what happens to no record", fields{"event_types": []string{"*.deleted", "*.painted"}}, "event_types[1]",
			"is not an event type, nor a pattern"},
		{"what happens misspelled", fields{"event_types": []string{"*.delete"}}, "event_types[0]", "did you mean *.deleted?"},
		{"a family misspelled", fields{"event_types": []string{"work_orders.*"}}, "event_types[0]", "did you mean work_order.*?"},
		{"a type misspelled", fields{"event_types": []string{"work_order.complete"}}, "event_types[0]", "did you mean work_order.completed?"},
		{"stars on both sides", fields{"event_types": []string{"*.*"}}, "event_types[0]", "is not an event type, nor a pattern"},
		{"the test's own type by a pattern", fields{"event_types": []string{"*.test"}}, "event_types[0]", "is not an event type, nor a pattern"},
		{"nothing", fields{"event_types": []string{""}}, "event_types[0]", "is not an event type"},
		{"the test's own type", fields{"event_types": []string{"webhook.test"}}, "event_types[0]", "need not be asked for"},
		{"a type twice", fields{"event_types": []string{"asset.*", "asset.*"}}, "event_types", "must not name the same entry twice"},

		{"a reserved header", fields{"headers": fields{"Webhook-Signature": "v1,x"}}, "headers.Webhook-Signature", "is a reserved header"},
		{"a header of the content", fields{"headers": fields{"content-type": "text/plain"}}, "headers.content-type", "is a reserved header"},
		{"the host", fields{"headers": fields{"HOST": "internal"}}, "headers.HOST", "is a reserved header"},
		{"the connection", fields{"headers": fields{"Connection": "upgrade"}}, "headers.Connection", "is a reserved header"},
		{"the trace", fields{"headers": fields{"traceparent": "00-1-1-00"}}, "headers.traceparent", "is a reserved header"},
		{"our principal", fields{"headers": fields{"X-Ams-Principal": "x"}}, "headers.X-Ams-Principal", "is a reserved header"},
		{"a header's name with a space", fields{"headers": fields{"X Token": "a"}}, "headers.X Token", "must have a name of"},
		{"a header's name of nothing", fields{"headers": fields{"": "a"}}, "headers.", "must have a name of"},
		{"a line break in a value", fields{"headers": fields{"X-Token": "a\r\nX-Other: b"}}, "headers.X-Token", "must be printable ASCII"},
		{"a value of 501 characters", fields{"headers": fields{"X-Token": strings.Repeat("x", 501)}}, "headers.X-Token",
			"at most 500 characters"},
		{"a number for a value", fields{"headers": fields{"X-Token": 5}}, "headers.X-Token", "must be a text"},
		{"an empty value", fields{"headers": fields{"X-Token": ""}}, "headers.X-Token", "must be a text"},
		{"a header in two spellings", fields{"headers": fields{"X-Token": "a", "x-token": "b"}}, "headers.x-token",
			"is the same header as X-Token"},
		{"the mask for a value that nobody has given", fields{"headers": fields{"X-Token": masked}}, "headers.X-Token", "send the value itself"},
		{"eleven headers", fields{"headers": manyHeaders(11)}, "headers", "must have at most 10 entries"},
		{"a list of headers", fields{"headers": []string{"X-Token: a"}}, "headers", "must be an object"},

		{"a site that nobody has", fields{"site_ids": []string{uuid.NewString()}}, "site_ids", "there is no record"},
		{"a site that is no id", fields{"site_ids": []string{"school"}}, "site_ids[0]", "must be a UUID"},
		{"a field that cannot be one", fields{"changed_any": []string{"status", "Condition rating"}}, "changed_any[1]",
			`"Condition rating" is not a field of the records that these event_types are about, so nothing would be sent for it; did you mean ` +
				`condition_rating?`},
		{"a field of other records", fields{"changed_any": []string{"work_order_id_x"}}, "changed_any[0]", `"work_order_id_x" is not a field`},
		{"a field of records whose types are not asked for", fields{"event_types": []string{"asset.updated", "site.*"},
			"changed_any": []string{"name", "due_date"}}, "changed_any[1]", `"due_date" is not a field`},
		{"a misspelled field among all types", fields{"event_types": []string{"*"}, "changed_any": []string{"staus"}}, "changed_any[0]",
			"did you mean status?"},
		{"a field that no change is of", fields{"changed_any": []string{"updated_at"}}, "changed_any[0]", `"updated_at" is not a field`},
		{"a field that is worked out", fields{"event_types": []string{"work_order.updated"}, "changed_any": []string{"status", "is_overdue"}},
			"changed_any[1]", "worked out when a record is read, and never among what changed"},
		{"a name that expand adds", fields{"event_types": []string{"work_order.updated"}, "changed_any": []string{"assignee"}}, "changed_any[0]",
			"did you mean assignee_id?"},
		{"a field of events that time brings", fields{"event_types": []string{"work_order.overdue", "asset.renewal_due"},
			"changed_any": []string{"status"}}, "changed_any[0]", "brought by time: their events change nothing"},
		{"custom fields misspelled", fields{"changed_any": []string{"custom_field.floor"}}, "changed_any[0]",
			"did you mean custom_fields.floor?"},
		{"a custom field without a key", fields{"changed_any": []string{"custom_fields."}}, "changed_any[0]", "did you mean custom_fields?"},
		{"a field within another", fields{"changed_any": []string{"location.coordinates"}}, "changed_any[0]",
			"a field of custom_fields is custom_fields. and its key"},
		{"a field of events about no record", fields{"event_types": []string{"import.completed"}, "changed_any": []string{"status"}},
			"changed_any[0]", "about no record"},
		{"a filter on no field", fields{"event_types": []string{"work_order.*"}, "filters": fields{"priorty": []string{"urgent"}}},
			"filters.priorty", "is not a field of the records that these event_types are about, so nothing would be sent; did you mean priority?"},
		{"a filter on a field of other records", fields{"event_types": []string{"site.*"}, "filters": fields{"priority": []string{"urgent"}}},
			"filters.priority", "is not a field of the records"},
		{"a filter of events about no record", fields{"event_types": []string{"import.completed"}, "filters": fields{"status": []string{"x"}}},
			"filters.status", "is not a field of the records"},
		{"a filter on what stays in the record", fields{"event_types": []string{"request.*"},
			"filters": fields{"requester_email": []string{"a@example.com"}}}, "filters.requester_email", "its values stay in the record"},
		{"a value that the field cannot have",
			fields{"event_types": []string{"work_order.*"}, "filters": fields{"priority": []string{"high", "urgnt"}}},
			"filters.priority[1]", "must be one of high, low, medium, urgent; did you mean urgent?"},
		{"a filter on a flag", fields{"event_types": []string{"segment.*"}, "filters": fields{"past_useful_life": []string{"yes"}}},
			"filters.past_useful_life[0]", "must be true or false"},
		{"a filter on a number", fields{"filters": fields{"condition_rating": []string{"good"}}}, "filters.condition_rating[0]",
			"must be a number"},
		{"a filter on what is no number", fields{"filters": fields{"condition_rating": []string{"NaN"}}}, "filters.condition_rating[0]",
			"must be a number"},
		{"a filter of blanks", fields{"filters": fields{"name": []string{"  "}}}, "filters.name[0]", "must be a text of 1 to"},
		{"a filter on an id", fields{"filters": fields{"site_id": []string{"school"}}}, "filters.site_id[0]", "must be a UUID"},
		{"a filter on a day", fields{"filters": fields{"acquisition_date": []string{"2026-02-30"}}}, "filters.acquisition_date[0]",
			"must be a day"},
		{"a filter on an object", fields{"filters": fields{"custom_fields": []string{"x"}}}, "filters.custom_fields", "it is an object"},
		{"a filter on custom fields misspelled", fields{"filters": fields{"custom_field.floor": []string{"3"}}}, "filters.custom_field.floor",
			"did you mean custom_fields.floor?"},
		{"a filter that is a text", fields{"filters": fields{"name": "x"}}, "filters.name", "must be a list of one value"},
		{"a filter of no value", fields{"filters": fields{"name": []string{}}}, "filters.name", "must be a list of one value"},
		{"a filter that is a number", fields{"filters": fields{"condition_rating": []int{3}}}, "filters.condition_rating[0]", "must be a text"},
		{"a list of filters", fields{"filters": []string{"priority=urgent"}}, "filters", "must be an object of fields"},
		{"21 filters", fields{"filters": manyFilters(21, 1)}, "filters", "at most 20 fields"},
		{"101 values", fields{"filters": manyFilters(1, 101)}, "filters.custom_fields.f0", "at most 100 values"},
		{"an unknown origin", fields{"exclude_origins": []string{"fax"}}, "exclude_origins[0]", "must be one of"},
		{"an unknown payload", fields{"payload": "medium"}, "payload", "must be one of"},
		{"no calls per second", fields{"rate_limit": 0}, "rate_limit", "must be 1 or more"},
		{"too many calls per second", fields{"rate_limit": 1001}, "rate_limit", "must be 1000 or less"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := f.Refused(t, "POST", endpointsPath, f.endpointBody(1, c.change))
			if got := messageOf(answer, c.field); !strings.Contains(got, c.message) {
				t.Errorf("of %s it says %q, want %q: %s", c.field, got, c.message, answer.Body)
			}
		})
	}
	if list, _ := f.List(t, endpointsPath); len(list) != 0 {
		t.Errorf("refused endpoints were made: %v", list)
	}
	all := f.Must(t, 400, "POST", endpointsPath, fields{"url": "https://10.0.0.1/", "event_types": []string{"x.y"},
		"headers": fields{"host": "a"}, "payload": "no"})
	if got := all.Fields(); len(got) == 0 || !slices.Contains(got, "payload") {
		t.Errorf("the problems named are %v", got)
	}
	two := f.Must(t, 400, "POST", endpointsPath, fields{"url": "https://10.0.0.1/", "event_types": []string{"x.y"}})
	if got := two.Fields(); !slices.Contains(got, "url") || !slices.Contains(got, "event_types[0]") {
		t.Errorf("of two problems it names %v", got)
	}
}

// What an endpoint has is not looked at again when something else of it changes; what it is to receive, and for which fields, is.
func TestFieldsAreCheckedWithTheTypesThatTheyAreToBeOf(t *testing.T) {
	f := newFixture(t)
	path := pathOf(f.createEndpoint(t, fields{"event_types": []string{"asset.*", "work_order.completed"},
		"changed_any": []string{"condition_rating", "due_date", "custom_fields", "custom_fields.floor. Étage 2"}}))
	f.createEndpoint(t, fields{"url": "http://127.0.0.1:9/source", "event_types": []string{"deficiency.*"}, "changed_any": []string{"source", "source_id"}})
	f.createEndpoint(t, fields{"url": "http://127.0.0.1:9/model", "event_types": []string{"*"}, "changed_any": []string{"model"}})
	answer := f.Must(t, 400, "PATCH", path, fields{"event_types": []string{"asset.*"}})
	if got := messageOf(answer, "changed_any[1]"); !strings.Contains(got, `"due_date" is not a field`) || len(answer.Fields()) != 1 {
		t.Errorf("the types without the records that have the field: %s", answer.Body)
	}
	f.Must(t, 200, "PATCH", path, fields{"event_types": []string{"asset.*"}, "changed_any": []string{"condition_rating"}})
	f.inTransaction(t, func(ctx context.Context, tx pgx.Tx) error { // as it was taken before
		_, err := tx.Exec(ctx, `UPDATE webhook_endpoint SET changed_any = '["painted"]' WHERE organization_id = $1`, f.Principal.OrganizationID)
		return err
	})
	f.Must(t, 200, "PATCH", path, fields{"description": "Mirror"})
	f.Must(t, 400, "PATCH", path, fields{"event_types": []string{"asset.updated"}})
}

func manyHeaders(n int) fields {
	headers := fields{}
	for i := range n {
		headers[fmt.Sprintf("X-Header-%d", i)] = "value"
	}
	return headers
}

func manyFilters(n, values int) fields {
	filters := fields{}
	for i := range n {
		filters[fmt.Sprintf("custom_fields.f%d", i)] = strings.Split(strings.Repeat("x ", values-1)+"x", " ")
	}
	return filters
}

func TestAChangeIsCheckedLikeACreate(t *testing.T) {
	f := newFixture(t)
	path := pathOf(f.createEndpoint(t))
	for field, change := range map[string]fields{
		"url":                         {"url": "https://10.0.0.1/hook"},
		"event_types[0]":              {"event_types": []string{"asset.painted"}},
		"headers.Webhook-Delivery-Id": {"headers": fields{"Webhook-Delivery-Id": "mine"}},
		"changed_any[0]":              {"changed_any": []string{"Not a field"}},
	} {
		if answer := f.Must(t, 400, "PATCH", path, change); messageOf(answer, field) == "" {
			t.Errorf("PATCH %v: %s", change, answer.Body)
		}
	}
	for _, other := range []string{"http://127.0.0.1:9/other", "HTTP://127.0.0.1:9/other"} { // the second says the same
		if got := f.Must(t, 200, "PATCH", path, fields{"url": other}).JSON; got["url"] != "http://127.0.0.1:9/other" || got["version"] != 2.0 {
			t.Errorf("the url becomes %v in version %v", got["url"], got["version"])
		}
	}
	if got := f.Must(t, 200, "PATCH", path, fields{"status": "disabled", "failing_since": "2020-01-01T00:00:00Z",
		"secret": nil}).JSON; got["status"] != active || got["failing_since"] != nil || got["secret"] != nil {
		t.Errorf("read-only fields were taken: %v", got)
	}
}

func TestEventTypesOutsideTheKeysReadScopesAreRefused(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		name     string
		scopes   []string
		types    []string
		required string // "" when it may
	}{
		{"what the key may read", []string{"assets:read", "work_orders:read"}, []string{"asset.*", "work_order.completed"}, ""},
		{"a type of another scope", []string{"assets:read"}, []string{"asset.updated", "user.created"}, "users:read"},
		{"a pattern that reaches further", []string{"assets:read"}, []string{"work_order.*"}, "work_orders:read"},
		{"writing is not reading", []string{"assets:write"}, []string{"asset.updated"}, "assets:read"},
		{"everything with some scopes", []string{"sites:read", "assets:read"}, []string{"*"}, "buildings:read"},
		{"everything with every scope", []string{"*:*"}, []string{"*"}, ""},
		{"what happens to everything with some scopes", []string{"sites:read", "assets:read"}, []string{"*.deleted"}, "buildings:read"},
		{"what happens to everything with every scope", []string{"*:*"}, []string{"*.deleted"}, ""},
		{"what happens to one kind of record only", []string{"work_orders:read"}, []string{"*.cost_after_close"}, ""},
		{"imports are of any collection", []string{"sites:read"}, []string{"import.completed"}, "buildings:read"},
		{"the endpoints' own events", []string{"assets:read"}, []string{"webhook_endpoint.failing"}, "webhooks:read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			key := f.otherOrganization().withScopes(append(c.scopes, "webhooks:write")...)
			if c.required == "" {
				key.Must(t, 201, "POST", endpointsPath, f.endpointBody(1, fields{"event_types": c.types}))
				return
			}
			answer := key.Must(t, 403, "POST", endpointsPath, f.endpointBody(1, fields{"event_types": c.types}))
			if answer.JSON["code"] != "scope_missing" || answer.JSON["required_scope"] != c.required ||
				!strings.Contains(answer.JSON["error"].(string), "event_types: to receive ") ||
				!strings.Contains(answer.JSON["error"].(string), c.required) {
				t.Errorf("%s", answer.Body)
			}
		})
	}
	t.Run("by a change as well, and whoever sends elsewhere what others chose", func(t *testing.T) {
		f := f.otherOrganization()
		path := pathOf(f.createEndpoint(t, fields{"event_types": []string{"asset.*"}, "payload": "thin", "site_ids": []string{f.site},
			"changed_any": []string{"name"}, "exclude_origins": []string{"import", "api"}, "filters": fields{"condition_rating": []string{"1"}}}))
		key := f.withScopes("webhooks:read", "webhooks:write", "sites:read")
		key.Must(t, 403, "PATCH", path, fields{"event_types": []string{"asset.updated"}})
		key.Must(t, 403, "PATCH", path, fields{"url": "http://127.0.0.1:9/mine"})
		for _, wider := range []fields{
			{"payload": "full"}, {"site_ids": []string{}}, {"changed_any": []string{}}, {"changed_any": []string{"name", "status"}},
			{"exclude_origins": []string{"import"}}, {"filters": fields{"condition_rating": []string{"1", "2"}}},
			{"filters": fields{"condition_rating": nil}}, {"headers": fields{"Authorization": "Bearer mine"}}, {"format": "cloudevents"},
			{"ca_certificate": newAuthority(t, "Mine", time.Now().Add(time.Hour)).pem},
		} {
			key.Must(t, 403, "PATCH", path, wider)
		}
		// narrower
		key.Must(t, 200, "PATCH", path,
			fields{"exclude_origins": []string{"import", "api", "console"}, "filters": fields{"manufacturer": []string{"Trane"}}})
		key.Must(t, 200, "PATCH", path, fields{"description": "À moi"})
		key.Must(t, 200, "PATCH", path,
			fields{"event_types": []string{"site.*"}, "filters": fields{"condition_rating": nil, "manufacturer": nil}})
	})
	t.Run("a family that the plan does not include", func(t *testing.T) {
		f := f.otherOrganization()
		client := *f.Client
		client.Principal.Features = []string{"api_access"}
		f.Client = &client
		answer := f.Must(t, 403, "POST", endpointsPath, f.endpointBody(1, fields{"event_types": []string{"project.created"}}))
		if answer.JSON["code"] != "feature_not_in_plan" || answer.JSON["feature"] != "Projects" {
			t.Errorf("%s", answer.Body)
		}
		f.Must(t, 201, "POST", endpointsPath, f.endpointBody(1, fields{"event_types": []string{"*"}})) // all that the plan includes
		f.Must(t, 201, "POST", endpointsPath, f.endpointBody(1, fields{"event_types": []string{"*.deleted"}}))
	})
}

func TestOneURLAndSetOfTypesIsOneEndpoint(t *testing.T) {
	f := newFixture(t)
	first := f.createEndpoint(t, fields{"url": "http://127.0.0.1:9/hook", "event_types": []string{"asset.*", "site.*"}})
	for name, change := range map[string]fields{
		"the same":                    {"url": "http://127.0.0.1:9/hook", "event_types": []string{"asset.*", "site.*"}},
		"the types in another order":  {"url": "http://127.0.0.1:9/hook", "event_types": []string{"site.*", "asset.*"}},
		"the URL in another spelling": {"url": "HTTP://127.0.0.1:9/hook", "event_types": []string{"site.*", "asset.*"}},
	} {
		answer := f.Must(t, 409, "POST", endpointsPath, f.endpointBody(1, change))
		if answer.JSON["code"] != "already_exists" || answer.JSON["field"] != "url" || answer.JSON["value"] != first["url"] ||
			answer.JSON["existing_id"] != first["id"] ||
			!strings.Contains(answer.JSON["error"].(string), "already is a webhook endpoint with this url and these event_types") {
			t.Errorf("%s: %s", name, answer.Body)
		}
	}
	second := f.createEndpoint(t, fields{"url": "http://127.0.0.1:9/hook", "event_types": []string{"asset.*"}})
	f.Must(t, 409, "PATCH", pathOf(second), fields{"event_types": []string{"site.*", "asset.*"}})
	f.Must(t, 200, "PATCH", pathOf(first), fields{"event_types": []string{"site.*"}})
	f.Must(t, 200, "PATCH", pathOf(second), fields{"event_types": []string{"site.*", "asset.*"}})
	rows := []any{f.endpointBody(1, fields{"url": "http://127.0.0.1:9/bulk"}), f.endpointBody(2, fields{"url": "http://127.0.0.1:9/bulk"})}
	if answer := f.Must(t, 409, "POST", endpointsPath+"/bulk", fields{"data": rows}); len(answer.JSON["results"].([]any)) != 1 {
		t.Errorf("two of one bulk call: %s", answer.Body)
	}
	f.otherOrganization().createEndpoint(t, fields{"url": "http://127.0.0.1:9/hook", "event_types": []string{"asset.*", "site.*"}})

	// At once, too, and by instances that know nothing of each other.
	statuses := make([]int, 8)
	both := []*fixture{f, f.anotherInstance(t)}
	var at sync.WaitGroup
	for i := range statuses {
		at.Go(func() {
			statuses[i] = both[i%2].Do(t, "POST", endpointsPath, f.endpointBody(1, fields{"url": "http://127.0.0.1:9/race"})).Status
		})
	}
	at.Wait()
	slices.Sort(statuses)
	if !slices.Equal(statuses, []int{201, 409, 409, 409, 409, 409, 409, 409}) {
		t.Errorf("of 8 at once: %v", statuses)
	}
}

func TestAnOrganizationHasTwentyEndpointsAtMost(t *testing.T) {
	f := newFixture(t)
	statuses := make([]int, 26)
	var at sync.WaitGroup
	for i := range statuses {
		at.Go(func() {
			for statuses[i] == 0 || statuses[i] == 503 { // on a busy machine they wait too long for each other
				statuses[i] = f.Do(t, "POST", endpointsPath, f.endpointBody(i)).Status
			}
		})
	}
	at.Wait()
	if slices.Sort(statuses); statuses[19] != 201 || statuses[20] != 409 || statuses[25] != 409 {
		t.Errorf("of 26 at once: %v", statuses)
	}
	answer := f.Must(t, 409, "POST", endpointsPath, f.endpointBody(30))
	if answer.JSON["code"] != "too_many_endpoints" || answer.JSON["field"] != "webhook_endpoints" || answer.JSON["value"] != 20.0 ||
		!strings.Contains(answer.JSON["error"].(string), "20 webhook endpoints") {
		t.Errorf("the 21st: %s", answer.Body)
	}
	bulk := f.Must(t, 200, "POST", endpointsPath+"/bulk?atomic=false", fields{"data": []any{f.endpointBody(31)}})
	if bulk.JSON["summary"].(fields)["failed"] != 1.0 {
		t.Errorf("the 21st by a bulk call: %s", bulk.Body)
	}
	list, _ := f.List(t, endpointsPath)
	f.Must(t, 200, "PATCH", pathOf(list[0]), fields{"url": "http://127.0.0.1:9/moved"})
	f.Must(t, 204, "DELETE", pathOf(list[0]), nil)
	f.Must(t, 201, "POST", endpointsPath, f.endpointBody(32))
	f.otherOrganization().createEndpoint(t)
}
