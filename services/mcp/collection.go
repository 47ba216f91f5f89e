package main

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
)

// collection is what tools know about one collection of the API.
type collection struct {
	kind    string // what tools call one of its records: "work_order"
	path    string
	scope   string // that reads it
	feature string
	label   string   // the field that people know a record by
	code    string   // the number or tag beside it
	detail  []string // what tells two of the same name apart
	brief   []string // what lists show, unless fields says otherwise
	names   []name   // what expand shows names of
}

// name is a reference that the API shows as {id, name}: the key must be allowed to read what it refers to.
type name struct{ field, scope, feature string }

func nameOf(field, collection string) name {
	row := catalogue.Product().Must(collection)
	return name{field, row.Scope + ":read", row.Feature}
}

// of completes what the tools know of a collection by its row of the catalogue.
func of(row string, c collection) *collection {
	found := catalogue.Product().Must(row)
	c.path, c.scope, c.feature = found.Path, found.Scope+":read", found.Feature
	return &c
}

var (
	siteName     = nameOf("site", "sites")
	buildingName = nameOf("building", "buildings")
	systemName   = nameOf("system", "systems")
	networkName  = nameOf("network", "networks")
)

var collections = []*collection{
	sites, buildings, systems, assets, workOrders, users, networks, segments, projects, serviceAreas, measures,
}

var sites = of("sites", collection{
	kind: "site", label: "name", code: "code", detail: []string{"address_line1", "city"},
	brief: []string{"id", "name", "code", "site_type", "status", "address_line1", "city", "ward"},
	names: []name{nameOf("manager_user", "users")},
})

var buildings = of("buildings", collection{
	kind: "building", label: "name", code: "code", detail: []string{"address_line1", "city"},
	brief: []string{"id", "name", "code", "building_type", "status", "site_id", "address_line1", "city", "year_built", "gross_floor_area_m2", "replacement_cost"},
	names: []name{siteName},
})

var systems = of("systems", collection{
	kind: "system", label: "name", code: "code", detail: []string{"category"},
	brief: []string{"id", "name", "code", "category", "status", "building_id", "site_id", "condition_rating", "install_year", "planned_renewal_year", "replacement_cost"},
	names: []name{buildingName, siteName},
})

var assets = of("assets", collection{
	kind: "asset", label: "name", code: "asset_tag", detail: []string{"category", "location"},
	brief: []string{"id", "name", "asset_tag", "category", "status", "site_id", "building_id", "location", "condition_rating", "risk_score", "install_year", "remaining_life_years", "planned_renewal_year", "replacement_cost"},
	names: []name{siteName, buildingName, systemName, nameOf("parent_asset", "assets"), nameOf("responsible_user", "users")},
})

var workOrders = of("work_orders", collection{
	kind: "work_order", label: "title", code: "number", detail: []string{"status", "due_date"},
	brief: []string{"id", "number", "title", "type", "priority", "status", "site_id", "building_id", "asset_id", "assignee_id", "due_date", "is_overdue", "created_at", "completed_at"},
	names: []name{siteName, buildingName, systemName, nameOf("asset", "assets"), nameOf("segment", "segments"), nameOf("project", "projects"), nameOf("assignee", "users")},
})

var users = of("users", collection{
	kind: "user", label: "name", code: "email", detail: []string{"job_title"},
	brief: []string{"id", "name", "email", "role", "status", "job_title", "department"},
})

var networks = of("networks", collection{
	kind: "network", label: "name", code: "code", detail: []string{"asset_class"},
	brief: []string{"id", "name", "code", "asset_class", "segment_count", "length_km", "replacement_cost"},
})

var segments = of("segments", collection{
	kind: "segment", label: "name", code: "segment_code", detail: []string{"from_description", "to_description"},
	brief: []string{"id", "name", "segment_code", "network_id", "status", "from_description", "to_description", "length_m", "material", "condition_rating", "risk_score", "install_year", "planned_renewal_year", "replacement_cost"},
	names: []name{networkName, siteName},
})

var projects = of("projects", collection{
	kind: "project", label: "name", code: "code", detail: []string{"status", "fiscal_year"},
	brief: []string{"id", "name", "code", "project_type", "lifecycle_activity", "status", "health", "fiscal_year", "site_id", "building_id", "budget_amount", "estimate_amount", "funding_gap", "percent_complete", "priority_score"},
	names: []name{siteName, buildingName, networkName, nameOf("manager_user", "users")},
})

var serviceAreas = of("los_service_areas", collection{
	kind: "service_area", label: "name", code: "code", detail: []string{"category"},
	brief: []string{"id", "name", "code", "category", "is_core", "status", "owner_user_id"},
	names: []name{nameOf("owner_user", "users")},
})

var measures = of("los_measures", collection{
	kind: "measure", label: "name", code: "code", detail: []string{"unit"},
	brief: []string{"id", "name", "code", "service_area_id", "unit", "attainment"},
	names: []name{nameOf("service_area", "los_service_areas")},
})

// collectionOf gives the collection of a kind that an enumeration has.
func collectionOf(kind string) *collection {
	i := slices.IndexFunc(collections, func(c *collection) bool { return c.kind == kind })
	return collections[i]
}

// readable says whether the caller may read a collection.
func (c *collection) readable(who caller) bool { return may(who, c.scope, c.feature) }

func may(who caller, scope, feature string) bool {
	p := principal.Principal{Scopes: who.Scopes, Features: who.Features}
	return p.Has(feature) && p.Allows(scope)
}

// show puts into query what is to be seen: the fields, or all where there are none, and the names of what they refer to,
// as far as the key may read those.
func (c *collection) show(query url.Values, who caller, fields []string) {
	chosen := map[string]bool{}
	if len(fields) > 0 {
		list := []string{"id"}
		for _, field := range fields {
			if c.refers(field) { // tools show references under the name that expand has for them
				field += "_id"
			}
			list, chosen[field] = append(list, field), true
		}
		query.Set("fields", strings.Join(list, ","))
	}
	var expand []string
	for _, n := range c.names {
		if (len(fields) == 0 || chosen[n.field+"_id"]) && may(who, n.scope, n.feature) {
			expand = append(expand, n.field)
		}
	}
	if expand != nil {
		query.Set("expand", strings.Join(expand, ","))
	}
}

func (c *collection) refers(field string) bool {
	return slices.ContainsFunc(c.names, func(n name) bool { return n.field == field })
}

// tidy makes a record as tools show it: nothing empty in it, and {id, name} in the place of each id.
func (c *collection) tidy(r record) record {
	for _, n := range c.names {
		id := r[n.field+"_id"]
		delete(r, n.field+"_id")
		if id != nil && r[n.field] == nil {
			r[n.field] = record{"id": id}
		}
	}
	return withoutEmpty(r)
}

// withoutEmpty takes out what is null, and lists and objects without anything in them.
func withoutEmpty(r map[string]any) record {
	for field, value := range r {
		switch v := value.(type) {
		case nil:
			delete(r, field)
		case map[string]any:
			if len(withoutEmpty(v)) == 0 {
				delete(r, field)
			}
		case []any:
			if len(v) == 0 {
				delete(r, field)
			}
			for _, entry := range v {
				if members, isObject := entry.(map[string]any); isObject {
					withoutEmpty(members)
				}
			}
		}
	}
	return r
}

// envelope is what a list of the API answers.
type envelope struct {
	Data       []record `json:"data"`
	Pagination struct {
		Page       int `json:"page"`
		Total      int `json:"total"`
		TotalPages int `json:"total_pages"`
	} `json:"pagination"`
}

// search reads one page of a collection.
func (u *use) search(ctx context.Context, c *collection, query url.Values, p page) (*listing, error) {
	fields := p.Fields
	if len(fields) == 0 {
		fields = c.brief
	}
	c.show(query, u.caller, fields)
	query.Set("per_page", strconv.Itoa(p.size()))
	return u.list(ctx, c.path, query, p, c.tidy)
}

// list reads one page of whatever answers a list.
func (u *use) list(ctx context.Context, path string, query url.Values, p page, tidy func(record) record) (*listing, error) {
	var found envelope
	if err := u.get(ctx, path, query, &found); err != nil {
		return nil, err
	}
	l := &listing{Data: make([]record, 0, len(found.Data)), Page: p.number(), Limit: p.size(), Total: found.Pagination.Total}
	for _, r := range found.Data {
		l.Data = append(l.Data, tidy(r))
	}
	l.next()
	return l, nil
}

// read reads one record by its id.
func (u *use) read(ctx context.Context, c *collection, id string, fields []string) (record, error) {
	query := url.Values{}
	c.show(query, u.caller, fields)
	var found record
	if err := u.get(ctx, c.path+"/"+id, query, &found); err != nil {
		return nil, err
	}
	return c.tidy(found), nil
}

// only reads the one record that a filter finds. Several, or none, are told to the assistant.
func (u *use) only(ctx context.Context, c *collection, filter, value string, fields []string) (record, error) {
	query := url.Values{filter: {value}, "per_page": {"5"}}
	if len(fields) > 0 {
		fields = append([]string{filter}, fields...)
	}
	c.show(query, u.caller, fields)
	var found envelope
	if err := u.get(ctx, c.path, query, &found); err != nil {
		return nil, err
	}
	// To the API, a comma stands between several values and null for none.
	found.Data = slices.DeleteFunc(found.Data, func(r record) bool { return schema.UniqueKey(textOf(r, filter)) != schema.UniqueKey(value) })
	kind := strings.ReplaceAll(c.kind, "_", " ")
	switch len(found.Data) {
	case 0:
		return nil, problemf("There is no %s with %s %q in this organization. Look it up with find, or search by a part of its name.", kind, filter, value)
	case 1:
		return c.tidy(found.Data[0]), nil
	}
	var candidates []string
	for _, r := range found.Data {
		candidates = append(candidates, "- "+textOf(r, c.label)+" "+textOf(r, c.code)+": id "+textOf(r, "id"))
	}
	return nil, problemf("Several %ss have %s %q. Call again with the id of the one you mean:\n%s", kind, filter, value, strings.Join(candidates, "\n"))
}

func textOf(r record, field string) string {
	value, _ := r[field].(string)
	return value
}
