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
	for name, want := range map[string]string{"asset": "An asset was created.", "inspection": "An inspection was created.",
		"user": "A user was created.", "work_order_cost": "A work order cost was created."} {
		if found, _ := catalogue.Product().FindEventType(name + ".created"); found.Description != want {
			t.Errorf("%s: %s", name, found.Description)
		}
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
