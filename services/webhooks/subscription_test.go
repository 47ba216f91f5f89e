package webhooks

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatASubscriptionWants(t *testing.T) {
	const site, other = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11", "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12"
	event := attributes{eventType: "work_order.completed", siteIDs: []string{site}, changed: []string{"status", "completed_at"}, origin: "api"}
	for name, row := range map[string]struct {
		s    subscription
		want bool
	}{
		"the type itself":      {subscription{EventTypes: []string{"work_order.completed"}}, true},
		"another type":         {subscription{EventTypes: []string{"work_order.created"}}, false},
		"one of several types": {subscription{EventTypes: []string{"asset.*", "work_order.completed"}}, true},
		"all of its family":    {subscription{EventTypes: []string{"work_order.*"}}, true},
		"a family whose name only begins alike": {subscription{EventTypes: []string{"work.*", "work_order_task.*", "work_orde.*"}},
			false},
		"everything":                  {subscription{EventTypes: []string{"*"}}, true},
		"nothing":                     {subscription{}, false},
		"its site":                    {subscription{EventTypes: []string{"*"}, SiteIDs: []string{other, site}}, true},
		"another site":                {subscription{EventTypes: []string{"*"}, SiteIDs: []string{other}}, false},
		"a field that changed":        {subscription{EventTypes: []string{"*"}, ChangedAny: []string{"name", "status"}}, true},
		"a field that did not change": {subscription{EventTypes: []string{"*"}, ChangedAny: []string{"name"}}, false},
		"changes by others than its origin": {subscription{EventTypes: []string{"*"}, ExcludeOrigins: []string{"import", "api"}},
			false},
		"changes by others than another origin": {subscription{EventTypes: []string{"*"}, ExcludeOrigins: []string{"import"}}, true},
		"everything fits but the site": {subscription{EventTypes: []string{"work_order.*"}, SiteIDs: []string{other},
			ChangedAny: []string{"status"}}, false},
		"everything fits but the field": {subscription{EventTypes: []string{"work_order.*"}, SiteIDs: []string{site},
			ChangedAny: []string{"name"}}, false},
		"a pattern that stands for nothing we can know": {subscription{EventTypes: []string{"work_*", "*.complete", ".*", "*.*", "*."}}, false},
		"what happens to any record":                    {subscription{EventTypes: []string{"*.deleted", "*.completed"}}, true},
		"something else that happens to any record":     {subscription{EventTypes: []string{"*.deleted", "*completed"}}, false},
	} {
		if got := row.s.matches(event); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if (subscription{EventTypes: []string{"*"}, SiteIDs: []string{site}}).matches(attributes{eventType: "user.updated"}) {
		t.Error("an event of no site is about a site")
	}
	if (subscription{EventTypes: []string{"*"}, ChangedAny: []string{"name"}}).matches(attributes{eventType: "import.completed"}) {
		t.Error("an event without changed fields has a field that changed")
	}
}

// Each custom field that changed is named, beside the field that holds them.
func TestTheCustomFieldsThatChanged(t *testing.T) {
	for name, row := range map[string]struct{ before, now, want string }{
		"one of two, one new, one gone": {`{"a":1,"b":"x","c":true}`, `{"a":1,"b":"y","d":null}`, "b c d"},
		"of a new record":               {`null`, `{"a":1}`, "a"},
		"of a deleted record":           {`{"a":1,"b":[2]}`, `{"a":1,"b":[2]}`, "a b"},
		"what is no object":             {`7`, `[]`, ""},
	} {
		got, err := attributesOf("asset.updated", "assets", newID(), []byte(`{"data":{"object":{"custom_fields":`+row.now+
			`},"previous":{"custom_fields":`+row.before+`},"changed":["custom_fields","name"]},"origin":"api"}`))
		want := []string{"custom_fields", "name"}
		for _, key := range strings.Fields(row.want) {
			want = append(want, "custom_fields."+key)
		}
		if slices.Sort(got.changed); err != nil {
			t.Error(err)
		}
		if slices.Sort(want); !slices.Equal(got.changed, want) {
			t.Errorf("%s: %v, want %v", name, got.changed, want)
		}
	}
	unchanged, _ := attributesOf("asset.updated", "assets", newID(),
		[]byte(`{"data":{"object":{"custom_fields":{"a":1}},"previous":{"name":null},"changed":["name"]}}`))
	if !slices.Equal(unchanged.changed, []string{"name"}) {
		t.Errorf("of a change of something else: %v", unchanged.changed)
	}
}

func TestTheSitesThatAnEventIsAbout(t *testing.T) {
	const a, b, c = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11", "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12", "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e13"
	for name, row := range map[string]struct{ collection, data, want string }{
		"where the record is":            {"assets", `{"object":{"site_id":"` + a + `"}}`, a},
		"and where it was":               {"assets", `{"object":{"site_id":"` + a + `"},"previous":{"site_id":"` + b + `"}}`, a + " " + b},
		"a site itself":                  {"sites", `{"object":{}}`, c},
		"several":                        {"webhook_endpoints", `{"object":{"site_ids":["` + a + `","` + b + `"]}}`, a + " " + b},
		"none":                           {"users", `{"object":{"name":"Ada"}}`, ""},
		"none yet":                       {"assets", `{"object":{"site_id":null},"previous":{"site_id":"` + b + `"}}`, b},
		"no object at all":               {"assets", `{"object":null,"previous":null}`, ""},
		"what is called so and is no id": {"assets", `{"object":{"site_id":7,"site_ids":"all"}}`, ""},
		"the same twice":                 {"assets", `{"object":{"site_id":"` + a + `"},"previous":{"site_id":"` + a + `"}}`, a},
		"an object with much more about it": {"assets",
			`{"object":{"building_id":"` + b + `","site_id":"` + a + `","custom_fields":{"site_id":"` + c + `"}},"changed":["name"]}`, a},
	} {
		f, err := attributesOf("asset.updated", row.collection, c, []byte(`{"data":`+row.data+`,"origin":null}`))
		if got := strings.Join(f.siteIDs, " "); err != nil || got != row.want {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	f, err := attributesOf("asset.updated", "assets", a, []byte(`{"data":{"changed":["name","status"]},"origin":"import"}`))
	if err != nil || f.origin != "import" || !slices.Equal(f.changed, []string{"name", "status"}) {
		t.Errorf("%+v %v", f, err)
	}
	if _, err := attributesOf("asset.updated", "assets", a, []byte(`[]`)); err == nil {
		t.Error("a payload that is no object is read")
	}
}

// What a service has kept is taken, whatever its JSON is like: refused, it would wait in its outbox for ever.
func TestAttributesAreReadFromWhateverAServiceKept(t *testing.T) {
	payload := `{"data":{"object":{"site_id":"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11","custom":{"a":1,"a":2},"text":"` + "\xff" +
		`"},"changed":["name"]},"origin":"api"}`
	got, err := attributesOf("asset.created", "assets", "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12", []byte(payload))
	if err != nil || got.origin != "api" || len(got.changed) != 1 || len(got.siteIDs) != 1 {
		t.Errorf("read %+v, %v", got, err)
	}
}
