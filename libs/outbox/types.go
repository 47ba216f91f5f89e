package outbox

import (
	"slices"
	"strings"
)

// Type is one type of event that an organization can subscribe to.
type Type struct {
	Name        string // "site.created"
	Collection  string // of the records that it tells about; empty where each event names its own (import.completed)
	Scope       string // who has it with ":read" may receive it; empty: the scope of the event's collection
	Feature     string // of the plan; "" for what every plan has
	Description string
}

// Types is the catalogue of event types, the only one in the product. A resource that is not in it cannot be mounted, so
// nothing is written that nobody could subscribe to.
var Types = slices.Concat(
	Of("site", "sites", "sites", ""),
	Of("building", "buildings", "buildings", ""),
	Of("system", "systems", "systems", ""),
	Of("asset", "assets", "assets", ""),
	[]Type{{"asset.condition_changed", "assets", "assets", "", "An asset's condition_rating is another one than before, by an assessment or by hand. Follows asset.updated."}},
	Of("condition_assessment", "condition_assessments", "assets", ""),

	Of("user", "users", "users", ""),

	Of("work_order", "work_orders", "work_orders", ""),
	[]Type{
		{"work_order.assigned", "work_orders", "work_orders", "", "A work order was given to a person, or to another one than before. Follows work_order.created or work_order.updated."},
		{"work_order.completed", "work_orders", "work_orders", "", "A work order was completed. Follows work_order.created or work_order.updated."},
	},
	Of("work_order_comment", "work_order_comments", "work_orders", ""),
	Of("work_order_task", "work_order_tasks", "work_orders", ""),
	Of("work_order_cost", "work_order_costs", "work_orders", ""),

	Of("los_service_area", "los_service_areas", "los", "los"),
	Of("los_measure", "los_measures", "los", "los"),
	Of("los_target", "los_targets", "los", "los"),
	Of("los_measurement", "los_measurements", "los", "los"),
	[]Type{{"los.target_missed", "los_measurements", "los", "los", "A measurement was recorded by which a target is missed that was not missed before. Follows los_measurement.created or los_measurement.updated, with the measurement as its object."}},

	Of("network", "networks", "infrastructure", "infrastructure"),
	Of("segment", "segments", "infrastructure", "infrastructure"),
	Of("inspection", "inspections", "infrastructure", "infrastructure"),

	Of("project", "projects", "projects", "projects"),
	[]Type{{"project.status_changed", "projects", "projects", "projects", "A project moved to another status. Follows project.updated."}},
	Of("project_phase", "project_phases", "projects", "projects"),
	Of("project_funding_source", "project_funding_sources", "projects", "projects"),
	Of("project_budget_line", "project_budget_lines", "projects", "projects"),
	Of("project_link", "project_links", "projects", "projects"),

	[]Type{{"import.completed", "", "", "", "An import into a collection has ended; the object counts its rows. The record is the import."}},

	Of("webhook_endpoint", "webhook_endpoints", "webhooks", ""),
	[]Type{
		{"webhook_endpoint.failing", "webhook_endpoints", "webhooks", "", "Deliveries to an endpoint have failed several times in a row; they are tried less often until one succeeds."},
		{"webhook_endpoint.disabled", "webhook_endpoints", "webhooks", "", "An endpoint was disabled, because it answered 410 or had no success for five days."},
		{"webhook_endpoint.recovered", "webhook_endpoints", "webhooks", "", "An endpoint that was failing has taken a delivery again."},
		{"webhook.test", "webhook_endpoints", "webhooks", "", "A test that somebody sent to an endpoint. Only that endpoint receives it."},
	},
)

// Of gives the three types of event that every resource has.
func Of(singular, collection, scope, feature string) []Type {
	one := strings.ReplaceAll(singular, "_", " ")
	one = "A " + one
	if strings.ContainsAny(one[2:3], "aeio") {
		one = "An " + one[2:]
	}
	return []Type{
		{singular + ".created", collection, scope, feature, one + " was created."},
		{singular + ".updated", collection, scope, feature, one + " was changed; changed and previous say what."},
		{singular + ".deleted", collection, scope, feature, one + " was deleted; the object is what it was last."},
	}
}

// Find gives the type of that name.
func Find(name string) (Type, bool) {
	i := slices.IndexFunc(Types, func(t Type) bool { return t.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return Types[i], true
}

// Access gives scope and feature of who may see an event of a type about a record of a collection. Nobody may see what is
// not in the catalogue: then known is false.
func Access(name, collection string) (scope, feature string, known bool) {
	t, known := Find(name)
	if known && t.Scope == "" {
		i := slices.IndexFunc(Types, func(t Type) bool { return t.Collection == collection && collection != "" })
		if known = i >= 0; known {
			t = Types[i]
		}
	}
	return t.Scope, t.Feature, known
}
