package catalogue

import (
	"slices"
	"sync"
)

// Product gives the product's catalogue. Whoever adds a collection adds its row here.
var Product = sync.OnceValue(func() *Catalogue {
	c := New(slices.Concat(inventory(), people(), work(), maintenance(), requests(), levelsOfService(), networks(), capital(), planning(),
		accounting(), documents())...)
	c.addTypes(EventType{Name: "import.completed",
		Description: "An import into a collection has ended; the object counts its rows. The record is the import."})
	c.addTypes(EventType{Name: "storage.threshold_reached", Collection: "documents", Scope: "documents",
		Description: "What an organization keeps of documents has reached 80, 95 or 100 % of what its plan grants; " +
			"the object says how much that is. The record is the document by which it did."})
	c.add(integration()...)
	c.paths = paths()
	c.features = features()
	return c
})

// APIAccess is the feature without which an organization's keys do nothing.
const APIAccess = "api_access"

func features() []Feature {
	return []Feature{
		{APIAccess, Words{"API access", "Accès à l’API"}},
		{"los", Words{"Level of Service", "Niveaux de service"}},
		{"infrastructure", Words{"Infrastructure", "Infrastructures"}},
		{"projects", Words{"Projects", "Projets"}},
		{"maintenance", Words{"Maintenance", "Entretien"}},
		{"planning", Words{"Lifecycle Planning", "Planification du cycle de vie"}},
		{"accounting", Words{"Accounting", "Comptabilité"}},
	}
}

// paths are those without a collection of their own.
func paths() []Path {
	return []Path{
		{Prefix: "/v1/reports", Service: "assets", Scope: "assets"},
		{Prefix: "/v1/work_orders", Service: "workorders", Scope: "work_orders"}, // the other spelling of /v1/work-orders
		{Prefix: "/v1/webhook-deliveries", Service: "webhooks", Scope: "webhooks"},
		{Prefix: "/v1/events", Service: "webhooks", Scope: "webhooks", Waits: true},
		{Prefix: "/v1/event-types", Service: "webhooks", Scope: "webhooks"},
		{Prefix: "/v1/uploads", Service: "documents", Scope: "documents", Writes: true}, // to ask how far an upload is belongs to writing
		{Prefix: "/v1/storage", Service: "documents", Scope: "documents"},
		{Prefix: "/v1/search", Service: "search"}, // of all collections that a key may read
	}
}

func inventory() []Collection {
	return []Collection{
		{
			Name: "sites", Singular: "site", Service: "assets", Path: "/v1/sites", Scope: "sites",
			ReferredBy: []string{"accounting", "documents", "forms", "infrastructure", "los", "meters", "projects", "requests", "webhooks",
				"workorders"},
			Words: Words{"site", "site"},
		},
		{
			Name: "buildings", Singular: "building", Service: "assets", Path: "/v1/buildings", Scope: "buildings",
			ReferredBy: []string{"accounting", "documents", "forms", "los", "meters", "projects", "requests", "workorders"},
			Words:      Words{"building", "bâtiment"},
		},
		{
			Name: "systems", Singular: "system", Service: "assets", Path: "/v1/systems", Scope: "systems",
			ReferredBy: []string{"accounting", "documents", "forms", "meters", "projects", "workorders"},
			Words:      Words{"system", "système"},
		},
		{
			Name: "assets", Singular: "asset", Service: "assets", Path: "/v1/assets", Scope: "assets",
			ReferredBy: []string{"accounting", "documents", "forms", "meters", "projects", "requests", "workorders"},
			Events: []Event{
				{"asset.condition_changed", "An asset's condition_rating is another one than before, by an assessment or by hand. Follows " +
					"asset.updated."},
				{"asset.warranty_ending",
					"The warranty of an asset in use ends in 90 days. Once for each warranty_expires_on; the record is not changed by it."},
				{"asset.renewal_due",
					"The year in which an asset in use is to be renewed has begun. Once for each planned_renewal_year; the record is not changed by it."},
			},
			Words: Words{"asset", "actif"},
		},
		{
			Name: "condition_assessments", Singular: "condition_assessment", Service: "assets",
			Path: "/v1/assets/{asset_id}/condition-assessments", Scope: "assets",
			ReferredBy: []string{"documents"},
			Words:      Words{"condition assessment", "évaluation d’état"},
		},
		{
			Name: "deficiencies", Singular: "deficiency", Service: "assets", Path: "/v1/deficiencies", Scope: "deficiencies",
			ReferredBy: []string{"documents", "requests"},
			Events: []Event{
				{"deficiency.corrected", "A deficiency was corrected. Follows deficiency.created or deficiency.updated."},
			},
			Words: Words{"deficiency", "déficience"},
		},
		{
			Name: "price_indexes", Singular: "price_index", Service: "assets", Path: "/v1/price-indexes", Scope: "price_indexes",
			ReferredBy: []string{"planning"},
			Words:      Words{"price index", "indice de prix"},
		},
		{
			Name: "price_index_values", Singular: "price_index_value", Service: "assets",
			Path: "/v1/price-indexes/{price_index_id}/values", Scope: "price_indexes",
			Words: Words{"price index value", "valeur d’indice de prix"},
		},
	}
}

func people() []Collection {
	return []Collection{
		{
			Name: "users", Singular: "user", Service: "users", Path: "/v1/users", Scope: "users",
			ReferredBy: []string{"assets", "infrastructure", "los", "projects", "workorders"},
			Events: []Event{
				{"user.deleted", "A user was removed, by DELETE or by a change of status. Follows user.updated, with the same object: " +
					"the user stays, as removed, and may return."},
			},
			Words: Words{"member", "membre"},
		},
		{
			Name: "teams", Singular: "team", Service: "users", Path: "/v1/teams", Scope: "teams",
			ReferredBy: []string{"requests", "workorders"},
			Words:      Words{"team", "équipe"},
		},
	}
}

func work() []Collection {
	return []Collection{
		{
			Name: "work_orders", Singular: "work_order", Service: "workorders", Path: "/v1/work-orders", Scope: "work_orders",
			ReferredBy: []string{"documents", "forms", "projects", "requests"},
			Events: []Event{
				{"work_order.assigned", "A work order was given to a person, or to another one than before. Follows work_order.created or " +
					"work_order.updated."},
				{"work_order.completed", "A work order was completed. Follows work_order.created or work_order.updated."},
				{"work_order.overdue", "The due_date of a work order that is open, in progress or on hold has passed, where the organization is. " +
					"Once for each due_date; the record is not changed by it."},
				{"work_order.sla_missed", "The time in which a work order had to be begun or completed has passed. Follows work_order.updated."},
				{"work_order.cost_after_close", "A cost was added to a work order that is closed."},
			},
			Words: Words{"work order", "bon de travail"},
		},
		{
			Name: "work_order_comments", Singular: "work_order_comment", Service: "workorders",
			Path: "/v1/work-orders/{work_order_id}/comments", Scope: "work_orders",
			Words: Words{"comment", "commentaire"},
		},
		{
			Name: "work_order_tasks", Singular: "work_order_task", Service: "workorders", Path: "/v1/work-orders/{work_order_id}/tasks",
			Scope:      "work_orders",
			ReferredBy: []string{"documents"},
			Words:      Words{"task", "tâche"},
		},
		{
			Name: "work_order_costs", Singular: "work_order_cost", Service: "workorders", Path: "/v1/work-orders/{work_order_id}/costs",
			Scope: "work_orders",
			Words: Words{"cost", "coût"},
		},
	}
}

func maintenance() []Collection {
	return []Collection{
		{
			Name: "work_order_targets", Singular: "work_order_target", Service: "workorders", Path: "/v1/work-orders/{work_order_id}/targets",
			Scope: "work_orders",
			Words: Words{"target of a work order", "objet d’un bon de travail"},
		},
		{
			Name: "work_order_effects", Singular: "work_order_effect", Service: "workorders", Path: "/v1/work-orders/{work_order_id}/effects",
			Scope: "work_orders",
			Events: []Event{
				{"work_order.effect_refused", "The owner of a record refused what the completion of a work order was to do to it. Follows " +
					"work_order_effect.updated, with the effect as its object."},
			},
			Words: Words{"effect of a work order", "effet d’un bon de travail"},
		},
		{
			Name: "vendors", Singular: "vendor", Service: "workorders", Path: "/v1/vendors", Scope: "vendors",
			ReferredBy: []string{"documents"},
			Words:      Words{"vendor", "fournisseur"},
		},
		{
			Name: "job_plans", Singular: "job_plan", Service: "workorders", Path: "/v1/maintenance/job-plans", Scope: "maintenance",
			Feature:    "maintenance",
			ReferredBy: []string{"documents"},
			Words:      Words{"job plan", "gamme de travail"},
		},
		{
			Name: "pm_plans", Singular: "pm_plan", Service: "workorders", Path: "/v1/maintenance/pm-plans", Scope: "maintenance",
			Feature:    "maintenance",
			ReferredBy: []string{"documents"},
			Events: []Event{
				{"pm_occurrence.generated", "Work was made for an occurrence of a preventive maintenance plan."},
				{"pm_occurrence.missed", "An occurrence of a preventive maintenance plan was not done before the next one."},
				{"pm_occurrence.skipped", "An occurrence of a preventive maintenance plan was skipped."},
			},
			Words: Words{"preventive maintenance plan", "plan d’entretien préventif"},
		},
		{
			Name: "calendars", Singular: "calendar", Service: "workorders", Path: "/v1/maintenance/calendars", Scope: "maintenance",
			Feature: "maintenance",
			Words:   Words{"calendar of working hours", "calendrier de travail"},
		},
		{
			Name: "sla_policies", Singular: "sla_policy", Service: "workorders", Path: "/v1/maintenance/sla-policies", Scope: "maintenance",
			Feature: "maintenance",
			Words:   Words{"service level", "niveau de service convenu"},
		},
		{
			Name: "meters", Singular: "meter", Service: "meters", Path: "/v1/meters", Scope: "meters", Feature: "maintenance",
			ReferredBy: []string{"documents"},
			Events: []Event{
				{"meter.reading_recorded", "Readings of a meter were recorded: one event for each meter and call."},
				{"meter.reading_withdrawn", "A reading of a meter that should not have been there was withdrawn."},
			},
			Words: Words{"meter", "compteur"},
		},
		{
			Name: "form_templates", Singular: "form_template", Service: "forms", Path: "/v1/forms/templates", Scope: "forms",
			Feature:    "maintenance",
			ReferredBy: []string{"workorders"},
			Words:      Words{"form template", "modèle de formulaire"},
		},
		{
			Name: "form_responses", Singular: "form_response", Service: "forms", Path: "/v1/forms/responses", Scope: "forms",
			Feature:    "maintenance",
			ReferredBy: []string{"documents"},
			Events: []Event{
				{"form_response.submitted", "A form was filled in and submitted. Follows form_response.created or form_response.updated."},
				{"form_response.effect_refused", "The owner of a record refused what an item of a submitted form was to do, with the effect as its " +
					"object."},
			},
			Words: Words{"filled-in form", "formulaire rempli"},
		},
	}
}

func requests() []Collection {
	return []Collection{
		{
			Name: "requests", Singular: "request", Service: "requests", Path: "/v1/requests", Scope: "requests",
			ReferredBy: []string{"documents", "workorders"},
			Events: []Event{
				{"request.accepted", "A request was accepted. Follows request.updated."},
				{"request.rejected", "A request was rejected. Follows request.updated."},
				{"request.closed", "What was asked for is done. Follows request.updated."},
				{"request.effect_refused", "What a request was accepted with could not be made: work_order_message says why. Follows " +
					"request.updated."},
			},
			Words: Words{"request", "demande"},
		},
		{
			Name: "request_services", Singular: "request_service", Service: "requests", Path: "/v1/request-services", Scope: "requests",
			Feature: "maintenance",
			Words:   Words{"service that can be asked for", "service offert"},
		},
		{
			Name: "request_links", Singular: "request_link", Service: "requests", Path: "/v1/request-links", Scope: "requests",
			Feature: "maintenance",
			Words:   Words{"request link", "lien de demande"},
		},
	}
}

func levelsOfService() []Collection {
	return []Collection{
		{
			Name: "los_service_areas", Singular: "los_service_area", Service: "los", Path: "/v1/los/service-areas", Scope: "los", Feature: "los",
			ReferredBy: []string{"documents"},
			Words:      Words{"service area", "domaine de service"},
		},
		{
			Name: "los_measures", Singular: "los_measure", Service: "los", Path: "/v1/los/measures", Scope: "los", Feature: "los",
			ReferredBy: []string{"documents"},
			Words:      Words{"measure", "mesure"},
		},
		{
			Name: "los_targets", Singular: "los_target", Service: "los", Path: "/v1/los/targets", Scope: "los", Feature: "los",
			Words: Words{"target", "cible"},
		},
		{
			Name: "los_measurements", Singular: "los_measurement", Service: "los", Path: "/v1/los/measurements", Scope: "los", Feature: "los",
			ReferredBy: []string{"documents"},
			Events: []Event{
				{"los.target_missed", "A measurement was recorded by which a target is missed that was not missed before. Follows " +
					"los_measurement.created or los_measurement.updated, with the measurement as its object."},
			},
			Words: Words{"measurement", "relevé"},
		},
	}
}

func networks() []Collection {
	return []Collection{
		{
			Name: "networks", Singular: "network", Service: "infrastructure", Path: "/v1/infrastructure/networks", Scope: "infrastructure",
			Feature:    "infrastructure",
			ReferredBy: []string{"accounting", "documents", "los", "projects"},
			Words:      Words{"network", "réseau"},
		},
		{
			Name: "segments", Singular: "segment", Service: "infrastructure", Path: "/v1/infrastructure/segments", Scope: "infrastructure",
			Feature:    "infrastructure",
			ReferredBy: []string{"accounting", "documents", "forms", "meters", "projects", "requests", "workorders"},
			Words:      Words{"segment", "tronçon"},
		},
		{
			Name: "inspections", Singular: "inspection", Service: "infrastructure", Path: "/v1/infrastructure/inspections",
			Scope: "infrastructure", Feature: "infrastructure",
			ReferredBy: []string{"documents"},
			Words:      Words{"inspection", "inspection"},
		},
		{
			Name: "infrastructure_deficiencies", Singular: "infrastructure_deficiency", Service: "infrastructure",
			Path: "/v1/infrastructure/deficiencies", Scope: "infrastructure", Feature: "infrastructure",
			ReferredBy: []string{"documents", "requests"},
			Events: []Event{
				{"infrastructure_deficiency.corrected", "A deficiency of a segment was corrected. Follows infrastructure_deficiency.created or " +
					"infrastructure_deficiency.updated."},
			},
			Words: Words{"deficiency of a segment", "déficience d’un tronçon"},
		},
	}
}

func capital() []Collection {
	return []Collection{
		{
			Name: "projects", Singular: "project", Service: "projects", Path: "/v1/projects", Scope: "projects", Feature: "projects",
			ReferredBy: []string{"accounting", "documents", "workorders"},
			Events: []Event{
				{"project.status_changed", "A project moved to another status. Follows project.updated."},
			},
			Words: Words{"project", "projet"},
		},
		{
			Name: "project_phases", Singular: "project_phase", Service: "projects", Path: "/v1/projects/{project_id}/phases",
			Scope: "projects", Feature: "projects",
			ReferredBy: []string{"documents"},
			Words:      Words{"project phase", "phase de projet"},
		},
		{
			Name: "project_funding_sources", Singular: "project_funding_source", Service: "projects",
			Path: "/v1/projects/{project_id}/funding-sources", Scope: "projects", Feature: "projects",
			ReferredBy: []string{"documents"},
			Words:      Words{"funding source", "source de financement"},
		},
		{
			Name: "project_budget_lines", Singular: "project_budget_line", Service: "projects",
			Path: "/v1/projects/{project_id}/budget-lines", Scope: "projects", Feature: "projects",
			Words: Words{"budget line", "poste budgétaire"},
		},
		{
			Name: "project_links", Singular: "project_link", Service: "projects", Path: "/v1/projects/{project_id}/links", Scope: "projects",
			Feature: "projects",
			Words:   Words{"project link", "lien de projet"},
		},
		{
			Name: "project_effects", Singular: "project_effect", Service: "projects", Path: "/v1/projects/{project_id}/effects",
			Scope: "projects", Feature: "projects",
			Events: []Event{
				{"project.effect_refused", "The owner of a record refused what the completion of a project was to do to it. Follows " +
					"project_effect.updated, with the effect as its object."},
			},
			Words: Words{"effect of a project", "effet d’un projet"},
		},
	}
}

func accounting() []Collection {
	return []Collection{
		{
			Name: "capital_asset_classes", Singular: "capital_asset_class", Service: "accounting", Path: "/v1/accounting/classes",
			Scope: "accounting", Feature: "accounting",
			Words: Words{"class of capital assets", "catégorie d’immobilisations"},
		},
		{
			Name: "fiscal_years", Singular: "fiscal_year", Service: "accounting", Path: "/v1/accounting/fiscal-years",
			Scope: "accounting_periods", Feature: "accounting",
			Events: []Event{
				{"fiscal_year.closed", "A fiscal year of the ledger was closed: its figures are fixed. Follows fiscal_year.updated."},
				{"fiscal_year.reopened", "The last closed fiscal year was opened again. Follows fiscal_year.updated."},
			},
			Words: Words{"fiscal year", "exercice"},
		},
		{
			Name: "capital_assets", Singular: "capital_asset", Service: "accounting", Path: "/v1/accounting/capital-assets",
			Scope: "accounting", Feature: "accounting",
			Events: []Event{
				{"capital_asset.disposed", "All of a capital asset has left the ledger. Follows capital_asset.updated."},
			},
			Words: Words{"capital asset", "immobilisation"},
		},
		{
			Name: "capital_asset_links", Singular: "capital_asset_link", Service: "accounting",
			Path: "/v1/accounting/capital-assets/{capital_asset_id}/links", Scope: "accounting", Feature: "accounting",
			Words: Words{"link of a capital asset", "lien d’une immobilisation"},
		},
		{
			Name: "capital_asset_transactions", Singular: "capital_asset_transaction", Service: "accounting", Path: "/v1/accounting/transactions",
			Scope: "accounting", Feature: "accounting", AppendOnly: true,
			Words: Words{"transaction of a capital asset", "opération d’une immobilisation"},
		},
		{
			Name: "retirement_obligations", Singular: "retirement_obligation", Service: "accounting", Path: "/v1/accounting/retirement-obligations",
			Scope: "accounting", Feature: "accounting",
			Events: []Event{
				{"retirement_obligation.settled",
					"A retirement obligation was settled: its liability has gone. Follows retirement_obligation.updated."},
			},
			Words: Words{"retirement obligation", "obligation de mise hors service"},
		},
	}
}

func planning() []Collection {
	return []Collection{
		{
			Name: "deterioration_models", Singular: "deterioration_model", Service: "planning", Path: "/v1/planning/deterioration-models",
			Scope: "planning", Feature: "planning",
			Words: Words{"deterioration model", "modèle de détérioration"},
		},
		{
			Name: "asset_classes", Singular: "asset_class", Service: "planning", Path: "/v1/planning/asset-classes",
			Scope: "planning", Feature: "planning",
			Words: Words{"asset class", "classe d’actifs"},
		},
		{
			Name: "treatments", Singular: "treatment", Service: "planning", Path: "/v1/planning/treatments",
			Scope: "planning", Feature: "planning",
			Words: Words{"treatment", "intervention"},
		},
		{
			Name: "strategies", Singular: "strategy", Service: "planning", Path: "/v1/planning/strategies",
			Scope: "planning", Feature: "planning",
			Words: Words{"strategy", "stratégie"}, //nolint:misspell // French
		},
		{
			Name: "scenarios", Singular: "scenario", Service: "planning", Path: "/v1/planning/scenarios",
			Scope: "planning", Feature: "planning",
			Words: Words{"scenario", "scénario"},
		},
		{
			Name: "planning_inventories", Singular: "planning_inventory", Service: "planning", Path: "/v1/planning/inventories",
			Scope: "planning", Feature: "planning",
			Events: []Event{
				{"planning_inventory.ready", "An inventory was read whole, and can be calculated with. Follows planning_inventory.updated."},
			},
			Words: Words{"planning inventory", "inventaire de planification"},
		},
		{
			Name: "planning_runs", Singular: "planning_run", Service: "planning", Path: "/v1/planning/runs",
			Scope: "planning", Feature: "planning",
			Events: []Event{
				{"planning_run.completed", "All scenarios of a run were calculated. Follows planning_run.updated."},
				{"planning_run.failed", "A run ended without results; problem says why. Follows planning_run.updated."},
				{"planning_run.promoted", "Projects were made of what a run decided. Follows planning_run.updated."},
			},
			Words: Words{"planning run", "calcul de planification"},
		},
	}
}

func documents() []Collection {
	return []Collection{
		{
			Name: "documents", Singular: "document", Service: "documents", Path: "/v1/documents", Scope: "documents",
			OnRecords: true,
			Events: []Event{
				{"document.scanned", "The content of a document was looked through for malware: scan_status says what was found. Follows " +
					"document.updated."},
				{"document.infected", "Malware was found in the content of a document, which cannot be read any more. Follows document.scanned."},
			},
			Words: Words{"document", "document"},
		},
		{
			Name: "document_links", Singular: "document_link", Service: "documents", Path: "/v1/documents/{document_id}/links",
			Scope: "documents", OnRecords: true,
			Words: Words{"document link", "lien de document"},
		},
		{
			Name: "retention_classes", Singular: "retention_class", Service: "documents", Path: "/v1/retention-classes", Scope: "documents",
			Words: Words{"retention class", "délai de conservation"},
		},
		{
			Name: "legal_holds", Singular: "legal_hold", Service: "documents", Path: "/v1/legal-holds", Scope: "legal_holds",
			Words: Words{"legal hold", "obligation de préservation"},
		},
	}
}

func integration() []Collection {
	return []Collection{
		{
			Name: "webhook_endpoints", Singular: "webhook_endpoint", Service: "webhooks", Path: "/v1/webhook-endpoints", Scope: "webhooks",
			Events: []Event{
				{"webhook_endpoint.failing", "Deliveries to an endpoint have failed several times in a row; they are tried less often until one " +
					"succeeds."},
				{"webhook_endpoint.disabled", "An endpoint was disabled, because it answered 410 or had no success for five days."},
				{"webhook_endpoint.recovered", "An endpoint that was failing has taken a delivery again."},
				{"webhook.test", "A test that somebody sent to an endpoint. Only that endpoint receives it."},
			},
			Words: Words{"webhook endpoint", "point de réception"},
		},
	}
}
