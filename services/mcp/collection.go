package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
)

// collection describes one collection of the API to the tools.
type collection struct {
	kind       string // singular, as in the tools' arguments: "work_order"
	singular   string // as in the API
	path       string
	scope      string // needed to read it
	feature    string
	label      string          // the field with the name that people use
	code       string          // the field with its number or tag
	detail     []string        // fields that distinguish records of the same name
	brief      []string        // fields of a list, unless the argument fields names others
	references []nameReference // what expand can show
}

// nameReference is a reference that the API returns as {id, name}, or a list that another service has of the record. The key needs the
// scope and the plan the feature of the collection that is shown.
type nameReference struct {
	field, scope, feature string
	list                  bool // no field of the record has it
}

// referenceTo is a reference in a field to a collection of the catalogue.
func referenceTo(field, collection string) nameReference {
	row := catalogue.Product().Must(collection)
	return nameReference{field: field, scope: row.Scope + ":read", feature: row.Feature}
}

// column is the field of the record.
func (n nameReference) column() string {
	if n.list {
		return n.field
	}
	return n.field + "_id"
}

// bookValues are those of the capital assets that stand for a record.
var bookValues = func() nameReference {
	n := referenceTo("capital_assets", "capital_assets")
	n.list = true
	return n
}()

// newCollection completes a collection with its path, scope and feature in the catalogue.
func newCollection(row string, c collection) *collection {
	found := catalogue.Product().Must(row)
	c.singular, c.path, c.scope, c.feature = found.Singular, found.Path, found.Scope+":read", found.Feature
	return &c
}

var (
	siteName     = referenceTo("site", "sites")
	buildingName = referenceTo("building", "buildings")
	systemName   = referenceTo("system", "systems")
	networkName  = referenceTo("network", "networks")
)

var collections = []*collection{
	sites, buildings, systems, assets, workOrders, users, networks, segments, projects, serviceAreas, measures,
	deficiencies, segmentDeficiencies, requests, pmPlans, meters, vendors, teams,
}

var sites = newCollection("sites", collection{
	kind: "site", label: "name", code: "code", detail: []string{"address_line1", "city"},
	brief:      []string{"id", "name", "code", "site_type", "status", "address_line1", "city", "ward"},
	references: []nameReference{referenceTo("manager_user", "users"), bookValues},
})

var buildings = newCollection("buildings", collection{
	kind: "building", label: "name", code: "code", detail: []string{"address_line1", "city"},
	brief: []string{"id", "name", "code", "building_type", "status", "site_id", "address_line1", "city", "year_built",
		"gross_floor_area_m2", "replacement_cost"},
	references: []nameReference{siteName, bookValues},
})

var systems = newCollection("systems", collection{
	kind: "system", label: "name", code: "code", detail: []string{"category"},
	brief: []string{"id", "name", "code", "category", "status", "building_id", "site_id", "condition_rating", "install_year",
		"planned_renewal_year", "replacement_cost"},
	references: []nameReference{buildingName, siteName, bookValues},
})

var assets = newCollection("assets", collection{
	kind: "asset", label: "name", code: "asset_tag", detail: []string{"category", "location"},
	brief: []string{"id", "name", "asset_tag", "category", "status", "site_id", "building_id", "location", "condition_rating", "risk_score",
		"install_year", "remaining_life_years", "planned_renewal_year", "replacement_cost"},
	references: []nameReference{siteName, buildingName, systemName, referenceTo("parent_asset", "assets"),
		referenceTo("responsible_user", "users"), bookValues},
})

var workOrders = newCollection("work_orders", collection{
	kind: "work_order", label: "title", code: "number", detail: []string{"status", "due_date"},
	brief: []string{"id", "number", "title", "type", "priority", "status", "site_id", "building_id", "asset_id", "assignee_id", "due_date",
		"is_overdue", "created_at", "completed_at"},
	references: []nameReference{siteName, buildingName, systemName, referenceTo("asset", "assets"), referenceTo("segment", "segments"),
		referenceTo("project", "projects"), referenceTo("assignee", "users"), referenceTo("team", "teams"), referenceTo("vendor", "vendors"),
		referenceTo("job_plan", "job_plans"), referenceTo("pm_plan", "pm_plans"), referenceTo("form_template", "form_templates"),
		referenceTo("request", "requests")},
})

var users = newCollection("users", collection{
	kind: "user", label: "name", code: "email", detail: []string{"job_title"},
	brief: []string{"id", "name", "email", "role", "status", "job_title", "department"},
})

var networks = newCollection("networks", collection{
	kind: "network", label: "name", code: "code", detail: []string{"asset_class"},
	brief: []string{"id", "name", "code", "asset_class", "segment_count", "length_km", "replacement_cost"},
})

var segments = newCollection("segments", collection{
	kind: "segment", label: "name", code: "segment_code", detail: []string{"from_description", "to_description"},
	brief: []string{"id", "name", "segment_code", "network_id", "status", "from_description", "to_description", "length_m", "material",
		"condition_rating", "risk_score", "install_year", "planned_renewal_year", "replacement_cost"},
	references: []nameReference{networkName, siteName, bookValues},
})

var projects = newCollection("projects", collection{
	kind: "project", label: "name", code: "code", detail: []string{"status", "fiscal_year"},
	brief: []string{"id", "name", "code", "project_type", "lifecycle_activity", "status", "health", "fiscal_year", "site_id", "building_id",
		"budget_amount", "estimate_amount", "funding_gap", "percent_complete", "priority_score"},
	references: []nameReference{siteName, buildingName, networkName, referenceTo("manager_user", "users")},
})

var serviceAreas = newCollection("los_service_areas", collection{
	kind: "service_area", label: "name", code: "code", detail: []string{"category"},
	brief:      []string{"id", "name", "code", "category", "is_core", "status", "owner_user_id"},
	references: []nameReference{referenceTo("owner_user", "users")},
})

var measures = newCollection("los_measures", collection{
	kind: "measure", label: "name", code: "code", detail: []string{"unit"},
	brief:      []string{"id", "name", "code", "service_area_id", "unit", "attainment"},
	references: []nameReference{referenceTo("service_area", "los_service_areas")},
})

// collectionOf returns the collection of a kind that an enum allows.
func collectionOf(kind string) *collection {
	i := slices.IndexFunc(collections, func(c *collection) bool { return c.kind == kind })
	return collections[i]
}

// readable reports whether the caller may read the collection.
func (c *collection) readable(who caller) bool { return permitted(who, c.scope, c.feature) }

func permitted(who caller, scope, feature string) bool {
	p := principal.Principal{Scopes: who.Scopes, Features: who.Features}
	return p.Has(feature) && p.Allows(scope)
}

// addSelection adds the parameters fields and expand to query. No fields means all of them. References are expanded as
// far as the caller may read them.
func (c *collection) addSelection(query url.Values, who caller, fields []string) {
	chosen := map[string]bool{}
	if len(fields) > 0 {
		list := []string{"id"}
		for _, field := range fields {
			n, isReference := c.reference(field)
			if isReference { // a result has a reference under the name that expand uses
				field = n.column()
			}
			if chosen[field] = true; !n.list {
				list = append(list, field)
			}
		}
		query.Set("fields", strings.Join(list, ","))
	}
	var expand []string
	for _, n := range c.references {
		if (len(fields) == 0 || chosen[n.column()]) && permitted(who, n.scope, n.feature) {
			expand = append(expand, n.field)
		}
	}
	if expand != nil {
		query.Set("expand", strings.Join(expand, ","))
	}
}

// reference returns the reference of that name.
func (c *collection) reference(field string) (nameReference, bool) {
	i := slices.IndexFunc(c.references, func(n nameReference) bool { return n.field == field })
	if i < 0 {
		return nameReference{}, false
	}
	return c.references[i], true
}

// getSelected reads what addSelection has selected. Where that is unavailable, it is read without the lists of other services:
// missing says of each why.
func (r *restClient) getSelected(ctx context.Context, c *collection, path string, query url.Values, out any) (missing record, err error) {
	err = r.get(ctx, path, query, out)
	var refused *apiError
	if !errors.As(err, &refused) || refused.status != http.StatusServiceUnavailable {
		return nil, err
	}
	missing = record{}
	expand := slices.DeleteFunc(strings.Split(query.Get("expand"), ","), func(name string) bool {
		n, _ := c.reference(name)
		if n.list {
			missing[name] = "They could not be read: " + explain(ctx, err)
		}
		return n.list
	})
	if len(missing) == 0 {
		return nil, err
	}
	if query.Del("expand"); len(expand) > 0 {
		query.Set("expand", strings.Join(expand, ","))
	}
	return missing, r.get(ctx, path, query, out)
}

// present turns a record into a tool result: without empty members, and with {id, name} in place of each id.
func (c *collection) present(r record) record {
	for _, n := range c.references {
		if n.list {
			continue
		}
		id := r[n.field+"_id"]
		delete(r, n.field+"_id")
		if id != nil && r[n.field] == nil {
			r[n.field] = record{"id": id}
		}
	}
	return withoutEmpty(r)
}

// withoutEmpty removes members that are null, and empty lists and objects.
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

// apiList is a list response of the API.
type apiList struct {
	Data       []record `json:"data"`
	Pagination struct {
		Total      int    `json:"total"`
		NextCursor string `json:"next_cursor"` // "" on the last page, and of lists without cursors
	} `json:"pagination"`
	Totals record `json:"totals"` // with group_by
}

// search reads one page of a collection.
func (call *toolCall) search(ctx context.Context, c *collection, query url.Values, p pageArguments) (*listPage, error) {
	fields := p.Fields
	if len(fields) == 0 {
		fields = c.brief
	}
	c.addSelection(query, call.caller, fields)
	query.Set("per_page", strconv.Itoa(p.perPage()))
	return call.list(ctx, c.path, query, p, c.present)
}

// list reads one page of any list response.
func (call *toolCall) list(ctx context.Context, path string, query url.Values, p pageArguments,
	tidy func(record) record) (*listPage, error) {
	var found apiList
	if err := call.get(ctx, path, query, &found); err != nil {
		return nil, err
	}
	l := &listPage{Data: make([]record, 0, len(found.Data)), Page: p.pageNumber(), Limit: p.perPage(), Total: found.Pagination.Total,
		NextCursor: found.Pagination.NextCursor}
	for _, r := range found.Data {
		l.Data = append(l.Data, tidy(r))
	}
	l.setMore()
	return l, nil
}

// read reads one record by its id.
func (call *toolCall) read(ctx context.Context, c *collection, id string, fields []string) (record, error) {
	query := url.Values{}
	c.addSelection(query, call.caller, fields)
	var found record
	missing, err := call.getSelected(ctx, c, c.path+"/"+id, query, &found)
	if err != nil {
		return nil, err
	}
	maps.Copy(found, missing)
	call.link(c, found)
	return c.present(found), nil
}

// readByFilter reads the one record that matches a filter. No match and several matches are errors for the assistant.
func (call *toolCall) readByFilter(ctx context.Context, c *collection, filter, value string, fields []string) (record, error) {
	query := url.Values{filter: {schema.ListOf(value)}, "per_page": {"5"}}
	if len(fields) > 0 {
		fields = append([]string{filter}, fields...)
	}
	c.addSelection(query, call.caller, fields)
	var found apiList
	missing, err := call.getSelected(ctx, c, c.path, query, &found)
	if err != nil {
		return nil, err
	}
	found.Data = slices.DeleteFunc(found.Data, func(r record) bool { return schema.UniqueKey(textOf(r, filter)) != schema.UniqueKey(value) })
	kind := strings.ReplaceAll(c.kind, "_", " ")
	switch len(found.Data) {
	case 0:
		return nil, problemf("There is no %s with %s %q in this organization. Look it up with find, or search by a part of its name.", kind,
			filter, shorten(value, 100))
	case 1:
		maps.Copy(found.Data[0], missing)
		call.link(c, found.Data[0])
		return c.present(found.Data[0]), nil
	}
	var candidates []string
	for _, r := range found.Data[:min(len(found.Data), 3)] {
		candidates = append(candidates, "- "+shorten(textOf(r, c.label)+" "+textOf(r, c.code), 50)+": id "+textOf(r, "id"))
	}
	if more := len(found.Data) - len(candidates); more > 0 {
		candidates = append(candidates, fmt.Sprintf("- and %d more", more))
	}
	return nil, problemf("Several %ss have %s %q. Call again with the id of the one you mean:\n%s", kind, filter, shorten(value, 50),
		strings.Join(candidates, "\n"))
}

func textOf(r record, field string) string {
	value, _ := r[field].(string)
	return value
}
