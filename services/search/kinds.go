package search

import (
	"slices"
	"strings"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// kind is a collection whose records are found.
type kind struct {
	catalogue.Collection
	atSite bool // its records are at sites, and its list has the filter site_id

	inBuilding bool // they are in buildings, and its list has the filter building_id
}

// kinds are all of them: of records that fit equally well, those of the first kind come first.
var kinds = []kind{
	{of("sites"), false, false}, {of("buildings"), true, false}, {of("systems"), true, true}, {of("projects"), true, true},
	{of("networks"), false, false},
	{of("los_service_areas"), false, false}, {of("assets"), true, true}, {of("segments"), true, false}, {of("deficiencies"), true, true},
	{of("infrastructure_deficiencies"), false, false}, {of("work_orders"), true, true}, {of("requests"), true, true},
	{of("pm_plans"), false, false},
	{of("meters"), false, false}, {of("los_measures"), false, false}, {of("vendors"), false, false}, {of("teams"), false, false},
	{of("users"), false, false},
}

func of(collection string) catalogue.Collection { return catalogue.Product().Must(collection) }

// wanted gives the kinds that a request is about: the named ones, or all; with a site, those only whose records are at sites.
func wanted(names []string, site bool) ([]kind, error) {
	var wanted []kind
	for _, k := range kinds {
		if (len(names) == 0 || slices.Contains(names, k.Singular)) && (k.atSite || !site) {
			wanted = append(wanted, k)
		}
	}
	if wanted == nil {
		return nil, fault.InvalidFields(fault.Field{Field: "site_id",
			Message: "does not go with kinds=" + strings.Join(names, ",") + ", whose records are at no site; leave one of them out"})
	}
	return wanted, nil
}

// readable parts the kinds into those that the caller may read and the others. Where he may read none, the error says what that takes.
func readable(p principal.Principal, wanted []kind) (shown []kind, hidden []string, err error) {
	hidden = []string{}
	var scopes []string
	for _, k := range wanted {
		scope := k.Scope + ":read"
		switch {
		case !p.Allows(scope):
			hidden = append(hidden, k.Singular)
			if !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		case !p.Has(k.Feature):
			hidden = append(hidden, k.Singular)
		default:
			shown = append(shown, k)
		}
	}
	switch {
	case shown != nil:
		return shown, hidden, nil
	case scopes == nil:
		return nil, nil, endpoint.NotInPlan(wanted[0].Feature)
	}
	e := fault.Forbidden("scope_missing", "Searching shows what a key may read, and this key may read none of it; it needs the scope %s.",
		strings.Join(scopes, " or "))
	if e.Scopes = p.Scopes; len(scopes) == 1 {
		e.Required = scopes[0]
	}
	return nil, nil, e
}
