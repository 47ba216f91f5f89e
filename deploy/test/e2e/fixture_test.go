package e2e

import (
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ams.internal/libs/domain/catalogue"
)

// kind is one collection: where its records are written, what a record needs, and which fields refer to which others.
type kind struct {
	name       string // as a reference calls it: asset
	collection string // of the catalogue
	needs      map[string]any
	references map[string]string // field → name of the kind; a list of ids ends in _ids
	required   []string          // the references without which there is no such record
	path       string            // with the parent's parameter: /v1/work-orders/{work_order_id}/costs
}

// appendOnly says whether records of the kind are never changed or deleted.
func (k kind) appendOnly() bool { return catalogue.Product().Must(k.collection).AppendOnly }

// lasts says whether what records of the kind are about stays for good, because something is posted for it.
func (k kind) lasts() bool { return k.appendOnly() || k.name == "retirement_obligation" }

var parameter = regexp.MustCompile(`\{([a-z_]+)\}`)

// kinds are all collections, each after those that it refers to.
var kinds = withPaths([]kind{
	{"user", "users", map[string]any{"status": "active"}, nil, nil, ""},
	{"team", "teams", nil, map[string]string{"user_ids": "user", "lead_user_id": "user"}, nil, ""},
	{"site", "sites", nil, map[string]string{"manager_user_id": "user"}, nil, ""},
	{"building", "buildings", nil, map[string]string{"site_id": "site"}, []string{"site_id"}, ""},
	{"system", "systems", nil, map[string]string{"site_id": "site", "building_id": "building"}, nil, ""},
	{"asset", "assets", nil, map[string]string{"site_id": "site", "building_id": "building", "system_id": "system", "parent_asset_id": "asset",
		"responsible_user_id": "user"}, nil, ""},
	{"assessment", "condition_assessments", map[string]any{"assessed_on": "2024-05-01", "condition_rating": 3}, nil, nil, ""},
	{"deficiency", "deficiencies", map[string]any{"estimated_cost": 4200}, map[string]string{"asset_id": "asset"}, []string{"asset_id"}, ""},
	{"price_index", "price_indexes", nil, nil, nil, ""},
	{"price_index_value", "price_index_values", map[string]any{"year": 2026, "value": 168.4}, nil, nil, ""},
	{"network", "networks", map[string]any{"asset_class": "road"}, nil, nil, ""},
	{"segment", "segments", map[string]any{"geometry": map[string]any{"type": "LineString",
		"coordinates": [][2]float64{{-72.55, 46.34}, {-72.54, 46.35}}}}, map[string]string{"network_id": "network", "site_id": "site"},
		[]string{"network_id"}, ""},
	{"inspection", "inspections", map[string]any{"inspected_on": "2024-05-01", "index_type": "pci", "index_value": 71},
		map[string]string{"segment_id": "segment"}, []string{"segment_id"}, ""},
	{"infrastructure_deficiency", "infrastructure_deficiencies", map[string]any{"estimated_cost": 1300},
		map[string]string{"segment_id": "segment"}, []string{"segment_id"}, ""},
	{"project", "projects", nil, map[string]string{"site_id": "site", "building_id": "building", "network_id": "network",
		"manager_user_id": "user"}, nil, ""},
	{"vendor", "vendors", nil, nil, nil, ""},
	{"form_template", "form_templates", map[string]any{"status": "published",
		"items": []any{map[string]any{"key": "runs", "type": "pass_fail", "label": "It runs"}}}, nil, nil, ""},
	{"job_plan", "job_plans", nil, map[string]string{"form_template_id": "form_template"}, nil, ""},
	{"calendar", "calendars", map[string]any{"time_zone": "America/Toronto",
		"week": []any{map[string]any{"day": "monday", "from": "08:30", "to": "16:30"}}}, nil, nil, ""},
	{"sla_policy", "sla_policies", map[string]any{"complete_minutes": 1440}, map[string]string{"calendar_id": "calendar"}, nil, ""},
	{"pm_plan", "pm_plans", map[string]any{"basis": "fixed", "starts_on": "2099-01-01", "trigger": map[string]any{"rrule": "FREQ=YEARLY"},
		"target_filter": map[string]any{"collection": "assets", "query": "tags=told"}},
		map[string]string{"job_plan_id": "job_plan", "team_id": "team", "calendar_id": "calendar"},
		[]string{"job_plan_id"}, ""},
	{"work_order", "work_orders", nil, map[string]string{"team_id": "team", "vendor_id": "vendor", "job_plan_id": "job_plan",
		"site_id": "site", "building_id": "building", "system_id": "system",
		"asset_id": "asset", "segment_id": "segment", "project_id": "project", "assignee_id": "user"}, nil, ""},
	{"comment", "work_order_comments", map[string]any{"body": "Part on order"}, nil, nil, ""},
	{"task", "work_order_tasks", map[string]any{"title": "Check the pressure"}, nil, nil, ""},
	{"cost", "work_order_costs", map[string]any{"kind": "labour", "hours": 2, "unit_cost": 61.5},
		map[string]string{"user_id": "user", "vendor_id": "vendor"}, nil, ""},
	{"work_order_target", "work_order_targets", map[string]any{"target_type": "asset"}, map[string]string{"target_id": "asset"},
		[]string{"target_id"}, ""},
	{"work_order_effect", "work_order_effects", map[string]any{"kind": "rate"}, nil, nil, ""},
	{"phase", "project_phases", nil, nil, nil, ""},
	{"funding_source", "project_funding_sources", map[string]any{"source_type": "reserve", "amount": 1000}, nil, nil, ""},
	{"budget_line", "project_budget_lines", map[string]any{"fiscal_year": 2027, "category": "design", "budget_amount": 1000}, nil, nil, ""},
	{"link", "project_links", map[string]any{"target_type": "asset"}, map[string]string{"target_id": "asset"}, []string{"target_id"}, ""},
	{"project_effect", "project_effects", map[string]any{"kind": "rate"}, nil, nil, ""},
	{"request_service", "request_services", nil, map[string]string{"team_id": "team"}, nil, ""},
	{"request_link", "request_links", map[string]any{"notice": "Under the Municipal Act, 2001.", "notice_fr": "En vertu de la Loi de 2001."},
		map[string]string{"building_id": "building"}, []string{"building_id"}, ""},
	{"request", "requests", nil, map[string]string{"site_id": "site", "building_id": "building", "asset_id": "asset",
		"segment_id": "segment"}, nil, ""},
	{"meter", "meters", map[string]any{"kind": "counter", "unit": "h"}, map[string]string{"asset_id": "asset"}, []string{"asset_id"}, ""},
	{"form_response", "form_responses", nil, map[string]string{"template_id": "form_template", "asset_id": "asset",
		"work_order_id": "work_order"}, []string{"template_id", "asset_id"}, ""},
	{"service_area", "los_service_areas", map[string]any{"category": "roads"},
		map[string]string{"owner_user_id": "user", "site_ids": "site", "building_ids": "building", "network_ids": "network"}, nil, ""},
	{"measure", "los_measures", map[string]any{"measure_type": "technical"}, map[string]string{"service_area_id": "service_area"},
		[]string{"service_area_id"}, ""},
	{"target", "los_targets", map[string]any{"year": 2027, "target_value": 70}, map[string]string{"measure_id": "measure"},
		[]string{"measure_id"}, ""},
	{"measurement", "los_measurements", map[string]any{"period_start": "2025-01-01", "period_end": "2025-12-31", "value": 68},
		map[string]string{"measure_id": "measure"}, []string{"measure_id"}, ""},
	{"deterioration_model", "deterioration_models", map[string]any{"kind": "curve"}, nil, nil, ""},
	{"asset_class", "asset_classes", map[string]any{"service_category": "roads", "applies_to": "segment"},
		map[string]string{"model_id": "deterioration_model", "price_index_id": "price_index"}, nil, ""},
	{"treatment", "treatments", map[string]any{"kind": "replacement", "cost_basis": "pct_of_replacement", "cost": 100},
		map[string]string{"asset_class_id": "asset_class", "price_index_id": "price_index"}, []string{"asset_class_id"}, ""},
	{"strategy", "strategies", nil, map[string]string{"asset_class_id": "asset_class", "treatment_ids": "treatment"},
		[]string{"asset_class_id"}, ""},
	{"scenario", "scenarios", map[string]any{"kind": "do_nothing", "starts_on": "2027-01-01", "years": 10}, nil, nil, ""},
	{"planning_inventory", "planning_inventories", nil, nil, nil, ""},
	{"planning_run", "planning_runs", nil, map[string]string{"scenario_ids": "scenario", "inventory_id": "planning_inventory"},
		[]string{"scenario_ids"}, ""},
	{"capital_asset_class", "capital_asset_classes", map[string]any{"category": "buildings", "useful_life_years": 25}, nil, nil, ""},
	{"fiscal_year", "fiscal_years", map[string]any{"fiscal_year": 2025}, nil, nil, ""},
	{"capital_asset", "capital_assets", nil, map[string]string{"class_id": "capital_asset_class", "project_id": "project"},
		[]string{"class_id"}, ""},
	{"capital_asset_link", "capital_asset_links", map[string]any{"target_type": "asset"}, map[string]string{"target_id": "asset"},
		[]string{"target_id"}, ""},
	// in 2025 wherever fiscal years begin
	{"capital_asset_transaction", "capital_asset_transactions", map[string]any{"type": "acquisition", "effective_on": "2025-12-15",
		"amount": 120000}, map[string]string{"capital_asset_id": "capital_asset"}, []string{"capital_asset_id"}, ""},
	{"retirement_obligation", "retirement_obligations", map[string]any{"kind": "asbestos",
		"estimated_cost": 50000, "recognized_on": "2025-12-31", "settlement_on": "2045-12-31", "discount_rate_pct": 4},
		map[string]string{"capital_asset_id": "capital_asset"}, []string{"capital_asset_id"}, ""},
	{"retention_class", "retention_classes", map[string]any{"trigger": "created", "years": 0}, nil, nil, ""},
	{"document", "documents", map[string]any{"collection": "assets"},
		map[string]string{"record_id": "asset", "retention_class_id": "retention_class"}, []string{"record_id"}, ""},
	{"document_link", "document_links", map[string]any{"collection": "buildings"}, map[string]string{"record_id": "building"},
		[]string{"record_id"}, ""},
	{"legal_hold", "legal_holds", map[string]any{"reason": "A claim", "collection": "sites"}, map[string]string{"record_id": "site"},
		[]string{"record_id"}, ""},
	{"webhook_endpoint", "webhook_endpoints", map[string]any{"event_types": []string{"los.target_missed"}}, nil, nil, ""},
})

// withPaths completes kinds by the catalogue. A collection of it that no kind has is a mistake.
func withPaths(kinds []kind) []kind {
	for row := range catalogue.Product().Collections() {
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.collection == row.Name })
		if i < 0 {
			panic("these tests have no record of " + row.Name)
		}
		kinds[i].path = row.Path
	}
	return kinds
}

// either are the further places of kinds whose records are at one place: field → name of the kind. The one that fixtures have is among
// the references that they require.
var either = map[string]map[string]string{
	"deficiency":   {"site_id": "site", "building_id": "building", "system_id": "system"},
	"meter":        {"site_id": "site", "building_id": "building", "system_id": "system", "segment_id": "segment"},
	"request_link": {"site_id": "site", "asset_id": "asset"},
}

// parts are what belongs to a record of some kind without being a collection of its own: where it is read → its name in a fixture.
var parts = map[string]string{"/v1/webhook-deliveries": "webhook_delivery"}

func kindOf(t testing.TB, name string) kind {
	t.Helper()
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	t.Fatalf("there is no kind %s", name)
	return kind{}
}

// nameless collections have no name of their own.
var nameless = []string{"inspection", "comment", "task", "cost", "assessment", "funding_source", "budget_line", "link", "target",
	"measurement", "work_order", "webhook_endpoint", "price_index_value", "work_order_target", "work_order_effect", "project_effect",
	"sla_policy", "form_response", "deficiency", "infrastructure_deficiency", "request", "document", "document_link", "fiscal_year",
	"capital_asset_link", "capital_asset_transaction"}

// shared are kinds of which all fixtures of an organization have the same record: a ledger has no second year 2025.
var shared = []string{"fiscal_year"}

// policies counts the service levels that were made.
var policies atomic.Int64

// fixture is one record of every collection of an organization: the name of the kind → id.
type fixture map[string]string

// record is a body for a kind with what it needs; its references are the fixture's.
func (f fixture) record(k kind, name string, references []string) map[string]any {
	record := map[string]any{}
	for field, value := range k.needs {
		record[field] = value
	}
	switch {
	case slices.Contains([]string{"work_order", "deficiency", "infrastructure_deficiency", "request", "document"}, k.name):
		record["title"] = name
	case k.name == "work_order_effect" || k.name == "project_effect":
		record["payload"] = map[string]any{"asset_id": f["asset"], "condition_rating": 3}
	case k.name == "retention_class":
		record["name"], record["code"] = name, strings.ReplaceAll(name, " ", "-")
	case k.name == "request_service":
		record["name"], record["service_code"] = name, strings.ReplaceAll(name, " ", "-")
	case k.name == "sla_policy": // an organization has one for each priority and type
		n := policies.Add(1)
		record["priority"] = []string{"low", "medium", "high", "urgent"}[n%4]
		record["type"] = []any{"corrective", "preventive", "inspection", "emergency", "other", nil}[n/4%6] // nil: of all types
	case k.name == "webhook_endpoint":
		record["url"] = "http://127.0.0.1:9/" + strings.ReplaceAll(name, " ", "-") // the port of discard: nobody listens
	case k.name == "user":
		record["name"], record["email"] = name, strings.ToLower(strings.ReplaceAll(name, " ", "-"))+"@example.ca"
	default:
		record["name"] = name
		if slices.Contains(nameless, k.name) {
			delete(record, "name")
		}
	}
	for _, field := range references {
		f.refer(record, field, f[k.references[field]])
	}
	return record
}

func (f fixture) refer(record map[string]any, field, id string) {
	if strings.HasSuffix(field, "_ids") {
		record[field] = []string{id}
	} else {
		record[field] = id
	}
}

// at puts the fixture's ids into a path: {work_order_id} is the work order, {id} the record of the collection itself.
func (f fixture) at(path string) string {
	return parameter.ReplaceAllStringFunc(path, func(found string) string {
		name := strings.TrimSuffix(strings.Trim(found, "{}"), "_id")
		if name == "id" {
			collection, _, _ := strings.Cut(path, "/{id}")
			for _, k := range kinds {
				if k.path == collection {
					return f[k.name]
				}
			}
			if part := parts[collection]; part != "" {
				return f[part]
			}
			return "no-such-kind"
		}
		return f[name]
	})
}

// newFixture makes one record of every collection, with every reference that it can have.
func newFixture(t testing.TB, c caller, name string) fixture {
	t.Helper()
	f := fixture{}
	for _, k := range kinds {
		var references []string
		for field, to := range k.references {
			if to != k.name { // no asset is a part of itself
				references = append(references, field)
			}
		}
		switch {
		case k.lasts():
			f[k.name] = lasting(t, c, k, name+" for good, "+k.name)
		case slices.Contains(shared, k.name):
			f[k.name] = theOne(t, c, k)
		default:
			f[k.name] = c.create(t, f.at(k.path), f.record(k, name+" "+k.name, references))
		}
	}
	return f
}

// lasting makes a record with records of its own that it requires. What is never deleted keeps what it is about, which a fixture's
// other records are not to be.
func lasting(t testing.TB, c caller, k kind, name string) string {
	t.Helper()
	own := fixture{}
	for _, field := range k.required {
		own[k.references[field]] = lasting(t, c, kindOf(t, k.references[field]), name)
	}
	if k.name == "retirement_obligation" { // of what is in service
		entry := kindOf(t, "capital_asset_transaction")
		c.create(t, entry.path, own.record(entry, "", entry.required))
	}
	return c.create(t, k.path, own.record(k, name+" "+k.name, k.required))
}

// theOne is the record of a shared kind, which the first who asks for it makes.
func theOne(t testing.TB, c caller, k kind) string {
	t.Helper()
	there := c.must(t, 200, "GET", k.path+"?per_page=1", nil).object["data"].([]any)
	if len(there) == 0 {
		return c.create(t, k.path, fixture{}.record(k, "", nil))
	}
	return there[0].(map[string]any)["id"].(string)
}
