package console

import "strings"

// allScopes is the scope that includes all others.
const allScopes = "*:*"

// scopeGroup is a group of resources in the form. Each resource can be read or written.
type scopeGroup struct {
	Name      string // part of the message keys
	Resources []string
}

var scopeGroups = []scopeGroup{
	{"inventory", []string{"sites", "buildings", "systems", "assets", "deficiencies", "price_indexes"}},
	{"work", []string{"work_orders", "vendors", "requests"}},
	{"maintenance", []string{"maintenance", "meters", "forms"}},
	{"planning", []string{"projects", "los", "planning"}},
	{"accounting", []string{"accounting", "accounting_periods"}},
	{"networks", []string{"infrastructure"}},
	{"documents", []string{"documents", "legal_holds"}},
	{"people", []string{"users", "teams"}},
	{"integration", []string{"webhooks"}},
}

// preset selects the scopes for a common purpose.
type preset struct {
	Name   string // part of the message keys
	scopes []string
}

var presets = []preset{
	{"bi", []string{"sites:read", "buildings:read", "systems:read", "assets:read", "deficiencies:read", "price_indexes:read",
		"work_orders:read", "vendors:read", "projects:read", "los:read", "planning:read", "accounting:read", "accounting_periods:read",
		"infrastructure:read", "maintenance:read", "meters:read", "forms:read", "documents:read"}},
	{"import", []string{"sites:read", "sites:write", "buildings:read", "buildings:write", "systems:read", "systems:write",
		"assets:read", "assets:write", "deficiencies:read", "deficiencies:write", "price_indexes:read", "price_indexes:write"}},
	{"work_orders", []string{"sites:read", "buildings:read", "systems:read", "assets:read", "deficiencies:read", "work_orders:read",
		"work_orders:write", "vendors:read", "teams:read"}},
	{"requests",
		[]string{"sites:read", "buildings:read", "assets:read", "requests:read", "requests:write", "work_orders:read", "work_orders:write"}},
	{"meters", []string{"assets:read", "meters:read", "meters:write"}},
	{"gis", []string{"sites:read", "infrastructure:read", "infrastructure:write"}},
	{"webhooks", []string{"webhooks:read", "webhooks:write"}},
}

func presetScopes(name string) []string {
	for _, p := range presets {
		if p.Name == name {
			return p.scopes
		}
	}
	return nil
}

// scopeBox is the checkbox of a scope.
type scopeBox struct {
	ID, Name string
	Chosen   bool
}

func newScopeBox(f *form, name string) scopeBox {
	id := "scope-" + strings.NewReplacer(":", "-", "*", "all", "_", "-").Replace(name)
	return scopeBox{id, name, f.Has("scopes", name)}
}
