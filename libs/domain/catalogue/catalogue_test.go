package catalogue_test

import (
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
)

// Every type says who may receive it, and no name stands there twice.
func TestTheCatalogueIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for of := range catalogue.Product().EventTypes() {
		if seen[of.Name] || of.Description == "" || (of.Scope == "" || of.Collection == "") && of.Name != "import.completed" {
			t.Errorf("%+v", of)
		}
		seen[of.Name] = true
	}
	for name, want := range map[[2]string][2]string{
		{"site.created", "sites"}:               {"sites", ""},
		{"inspection.updated", "inspections"}:   {"infrastructure", "infrastructure"},
		{"import.completed", "networks"}:        {"infrastructure", "infrastructure"},
		{"work_order.completed", "work_orders"}: {"work_orders", ""},
	} {
		if scope, feature, known := catalogue.Product().Access(name[0], name[1]); !known || [2]string{scope, feature} != want {
			t.Errorf("%v may be seen with %s and %s", name, scope, feature)
		}
	}
	for _, name := range [][2]string{{"import.completed", ""}, {"import.completed", "secrets"}, {"site.painted", "sites"}} {
		if scope, _, known := catalogue.Product().Access(name[0], name[1]); known || scope != "" {
			t.Errorf("%v may be seen with %q", name, scope)
		}
	}
	if found, _ := catalogue.Product().FindEventType("user.deleted"); !strings.Contains(found.Description, "removed") ||
		found.Scope != "users" {
		t.Errorf("a collection has no word on its own events: %+v", found)
	}
	for name, want := range map[string]string{"asset": "An asset was created.", "inspection": "An inspection was created.",
		"user": "A user was created.", "work_order_cost": "A work order cost was created."} {
		if found, _ := catalogue.Product().FindEventType(name + ".created"); found.Description != want {
			t.Errorf("%s: %s", name, found.Description)
		}
	}
}

// What a reference calls a collection means no other one.
func TestACollectionIsFoundByItsNameAndByItsSingular(t *testing.T) {
	named := map[string]string{}
	for row := range catalogue.Product().Collections() {
		for _, value := range []string{row.Name, row.Singular} {
			if of, taken := named[value]; taken {
				t.Errorf("%q means %s and %s", value, of, row.Name)
			}
			named[value] = row.Name
			if found, known := catalogue.Product().Named(value); !known || found.Name != row.Name {
				t.Errorf("%q means %q, want %s", value, found.Name, row.Name)
			}
		}
	}
	if row, known := catalogue.Product().Named("secrets"); known {
		t.Errorf("secrets are %+v", row)
	}
}

// A path that any key may use adds no scope.
func TestSearchingIsForEveryKey(t *testing.T) {
	product := catalogue.Product()
	found := false
	for _, route := range product.Routes() {
		if route.Prefix == "/v1/search" {
			found = route.Service == "search" && route.Scope == "" && route.Feature == ""
		}
	}
	if !found {
		t.Error("/v1/search has no route, or not one for every key")
	}
	for _, scope := range product.Scopes() {
		if scope == ":read" || scope == ":write" || strings.HasPrefix(scope, "search") {
			t.Errorf("there is a scope %q", scope)
		}
	}
}

// Every kind of effect changes records of collections that there are, and a payload says which.
func TestAPayloadNamesWhatAnEffectChanges(t *testing.T) {
	for _, kind := range catalogue.EffectKinds() {
		for _, target := range kind.Targets {
			if _, found := catalogue.Product().Find(target.Collection); !found {
				t.Errorf("%s changes %s, which is no collection", kind.Name, target.Collection)
			}
		}
	}
	for name, c := range map[string]struct {
		kind    string
		payload map[string]any
		want    string // the collection and the id, or the field that is wrong
	}{
		"a deficiency":     {"close_deficiency", map[string]any{"deficiency_id": "d"}, "deficiencies d"},
		"one of a segment": {"close_deficiency", map[string]any{"infrastructure_deficiency_id": "d"}, "infrastructure_deficiencies d"},
		"both": {"close_deficiency", map[string]any{"deficiency_id": "d", "infrastructure_deficiency_id": "d"},
			"infrastructure_deficiency_id"},
		"nothing":             {"close_deficiency", map[string]any{"paint": 1}, ""},
		"no text":             {"read_meter", map[string]any{"meter_id": 7}, "meter_id"},
		"a record to be made": {"create_deficiency", map[string]any{"deficiency": map[string]any{"asset_id": "a"}}, "deficiencies "},
		"one of a segment, too": {"create_deficiency", map[string]any{"deficiency": map[string]any{"segment_id": "s"}},
			"infrastructure_deficiencies "},
		"a body that is none":       {"create_work_order", map[string]any{"work_order": "x"}, "work_order"},
		"a body that names nothing": {"create_work_order", map[string]any{"work_order": map[string]any{}}, "work_orders "},
	} {
		kind, known := catalogue.FindEffectKind(c.kind)
		target, id, field, problem := kind.Target(c.payload)
		got := target.Collection + " " + id
		if problem != "" {
			got = field
		}
		if !known || got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// "a asset" is no English.
func TestEveryRecordHasItsArticle(t *testing.T) {
	for row := range catalogue.Product().Collections() {
		noun := row.One()
		article, rest, _ := strings.Cut(catalogue.A(noun), " ")
		soundsVowel := strings.Contains("aeio", noun[:1]) // of those with u, all begin as "user" does
		if rest != noun || article != map[bool]string{true: "an", false: "a"}[soundsVowel] || noun[0] == 'u' && !strings.HasPrefix(noun, "use") {
			t.Errorf("%s", catalogue.A(noun))
		}
	}
}
