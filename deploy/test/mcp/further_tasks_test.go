package mcp

import (
	"fmt"
	"strings"
)

// furtherTasks ask for the same in other words, and for what people ask besides: the first of many, what nobody has, one place, the other
// language's word.
var furtherTasks = []task{
	{
		name: "Open work orders of nobody",
		asks: [2]string{"How many open work orders are not assigned?", "Combien de bons de travail ouverts ne sont assignés à personne ?"},
		answers: func(a *asker) string {
			return count(a.call("search_work_orders", object{"status": list{"open"}, "assignee_id": nil, "fields": list{"number"}, "limit": 1}))
		},
		sql: `SELECT count(*)::text FROM workorders.work_order WHERE organization_id = $1 AND status = 'open' AND assignee_id IS NULL`,
	},
	{
		name: "The same by priority, said otherwise",
		asks: [2]string{"Who has the open work? Show me what is unassigned, by priority.",
			"Montrez les bons ouverts sans responsable, par priorité."},
		answers: func(a *asker) string {
			return groups(a.call("search_work_orders", object{"filters": object{"assignee_id": nil, "status": "open"}, "group_by": "priority"}))
		},
		sql: grouped("priority", "", "workorders.work_order", "status = 'open' AND assignee_id IS NULL"),
	},
	{
		name: "The two dearest types of work of a year",
		asks: [2]string{"On which two types of work did we spend most in 2025?", "Quels deux types de travaux ont coûté le plus cher en 2025 ?"},
		answers: func(a *asker) string {
			return inOrder(a.call("search_work_orders", object{"status": "closed", "closed_at_from": "2025-01-01", "closed_at_to": "2025-12-31",
				"group_by": "type", "sort": "-actual_cost", "limit": 2}), "actual_cost")
		},
		sql: first(2, "type", "type", "actual_cost", "workorders.work_order t", `status = 'closed' AND (closed_at AT TIME ZONE (SELECT time_zone
			FROM gateway.organization o WHERE o.organization_id = $1))::date BETWEEN '2025-01-01' AND '2025-12-31'`),
	},
	{
		name: "Buildings with most work under way",
		asks: [2]string{"Which three buildings have the most work orders that are not done?",
			"Quels trois bâtiments ont le plus de bons à terminer ?"},
		answers: func(a *asker) string {
			return inOrder(a.call("search_work_orders",
				object{"status": list{"open", "in_progress", "on_hold"}, "group_by": "building", "limit": 3}))
		},
		sql: first(3, placeName("b", "building"), "t.building_id", "", "workorders.work_order t "+buildingOf,
			"t.status IN ('open', 'in_progress', 'on_hold')"),
	},
	{
		name: "Buildings whose equipment is worth most",
		asks: [2]string{"In which three buildings is the most valuable equipment?",
			"Dans quels trois bâtiments sont les équipements qui valent le plus ?"},
		answers: func(a *asker) string {
			return inOrder(a.call("search_assets", object{"group_by": "building_id", "sort": "-replacement_cost", "limit": 3}), "replacement_cost")
		},
		sql: first(3, placeName("b", "building"), "t.building_id", "t.replacement_cost", "assets.asset t "+buildingOf, "true"),
	},
	{
		name: "Sites whose deficiencies cost most",
		asks: [2]string{"Which three sites have the dearest open deficiencies?", "Quels trois sites ont les défaillances les plus coûteuses ?"},
		answers: func(a *asker) string {
			return inOrder(a.call("list_findings", object{"kind": "deficiency", "status": list{"open", "planned", "in_work"}, "group_by": "site",
				"sort": "-estimated_cost", "limit": 3}), "estimated_cost")
		},
		sql: first(3, placeName("p", "site"), "p.id", "t.estimated_cost", "assets.deficiency t "+placesOfDeficiency, "t."+openDeficiency),
	},
	{
		name: "Open deficiencies by building",
		asks: [2]string{"How many deficiencies are open in each building?", "Combien de défaillances restent à corriger dans chaque bâtiment ?"},
		answers: func(a *asker) string {
			return inOrder(a.call("list_findings",
				object{"kind": "deficiency", "status": list{"open", "planned", "in_work"}, "group_by": "building"}))
		},
		sql: first(100, placeName("b", "building"), "b.id", "", "assets.deficiency t "+placesOfDeficiency, "t."+openDeficiency),
	},
	{
		name: "Deficiencies at one place",
		asks: [2]string{"How many deficiencies were found at Bear Creek?", "Combien de défaillances a-t-on trouvées à l'hôtel de ville ?"},
		answers: func(a *asker) string {
			site := a.found(a.say("bear creek secondary", "hotel de ville"), "site")
			return count(a.call("list_findings", object{"kind": "deficiency", "site_id": site["id"], "fields": list{"number"}, "limit": 1}))
		},
		sql:     `SELECT count(*)::text FROM assets.deficiency t ` + placesOfDeficiency + ` WHERE t.organization_id = $1 AND p.name = $2`,
		matters: func(a *asker) any { return a.say("Bear Creek Secondary School", "Hôtel de ville") },
	},
	{
		name: "Requests by status",
		asks: [2]string{"What became of the requests of residents?", "Où en sont les demandes des citoyens ?"},
		answers: func(a *asker) string {
			return groups(a.call("list_findings", object{"kind": "request", "group_by": "status"}))
		},
		sql: grouped("status", "", "requests.request", "true"),
	},
	{
		name: "Places with most requests",
		asks: [2]string{"About which three sites do people ask most?", "De quels trois lieux viennent le plus de demandes ?"},
		answers: func(a *asker) string {
			return inOrder(a.call("list_findings", object{"kind": "request", "group_by": "site", "limit": 3}))
		},
		sql: first(3, placeName("p", "site"), "t.site_id", "", `requests.request t
			LEFT JOIN assets.site p ON p.organization_id = $1 AND p.id = t.site_id`, "true"),
	},
	{
		name: "Urgent requests that wait",
		asks: [2]string{"How many requests of high priority has nobody accepted yet?",
			"Combien de demandes prioritaires attendent une réponse ?"},
		answers: func(a *asker) string {
			return count(a.call("list_findings", object{"kind": "request", "status": "submitted", "filters": object{"priority": "high"},
				"fields": list{"number"}, "limit": 1}))
		},
		sql: `SELECT count(*)::text FROM requests.request WHERE organization_id = $1 AND status = 'submitted' AND priority = 'high'`,
	},
	{
		name: "Deficiencies of roads and pipes by priority",
		asks: [2]string{"What is wrong with our roads and pipes, by priority?", "Quelles défaillances ont nos rues et conduites, par priorité ?"},
		answers: func(a *asker) string {
			return groups(a.call("list_findings", object{"kind": "infrastructure_deficiency", "group_by": "priority"}), "estimated_cost")
		},
		sql: grouped("priority", "estimated_cost", "infrastructure.deficiency", "true"),
	},
	{
		name: "Pumps, in the other language",
		asks: [2]string{"Combien de pompes avons-nous ?", "How many pumps do we have?"},
		answers: func(a *asker) string {
			return count(a.call("search_assets", object{"q": a.say("pompes", "pumps"), "fields": list{"name"}, "limit": 1}))
		},
		sql: assetsCalled("pumps?|pompes?"),
	},
	{
		name: "Boilers, in the other language",
		asks: [2]string{"Combien de chaudières avons-nous ?", "How many boilers do we have?"},
		answers: func(a *asker) string {
			return count(a.call("search_assets", object{"q": a.say("chaudière", "boiler"), "fields": list{"name"}, "limit": 1}))
		},
		sql: assetsCalled("boilers?|chaudières?"),
	},
	{
		name: "Doors and panels, in the other language",
		asks: [2]string{"Où sont les portes extérieures ?", "Where are the distribution panels?"},
		answers: func(a *asker) string {
			found := a.call("search_assets", object{"q": a.say("porte", "distribution panel"), "fields": list{"name"}, "limit": 1})
			return count(found)
		},
		sql: `SELECT count(*)::text FROM assets.asset WHERE organization_id = $1 AND CASE (SELECT name FROM gateway.organization WHERE
			organization_id = $1)
			WHEN '` + board + `' THEN concat_ws(' ', name, location, manufacturer, model) ~* '\mdoors?\M'
			ELSE concat_ws(' ', name, location, manufacturer, model) ~* '\m(panneaux?|panels?)\M' AND name ~* 'distribution' END`,
	},
	{
		name: "A thing and its place in one breath",
		asks: [2]string{"How many boilers are at Bear Creek Secondary?", "Combien de chaudières à l'hôtel de ville ?"},
		answers: func(a *asker) string {
			return count(a.call("search_assets",
				object{"q": a.say("boiler bear creek secondary", "chaudière hôtel de ville"), "fields": list{"name"}, "limit": 1}))
		},
		sql:     boilersAt,
		matters: func(a *asker) any { return a.say("%Bear Creek Secondary%", "%Hôtel de ville%") },
	},
	{
		name: "The same, in the other language",
		asks: [2]string{"Trouvez les chaudières de l'école Bear Creek.", "Find the boilers of the Hôtel de ville."},
		answers: func(a *asker) string {
			rows := a.call("find", object{"text": a.say("chaudières bear creek", "hôtel de ville boiler"), "kinds": list{"asset"},
				"limit": 25})["data"]
			return fmt.Sprint(len(rows.(list)))
		},
		sql:     boilersAt,
		matters: func(a *asker) any { return a.say("%Bear Creek%", "%Hôtel de ville%") },
	},
	{
		name: "What was changed today",
		asks: [2]string{"Give the first open work order 7.5 hours, and show what was changed since this morning.",
			"Prévoyez 7,5 heures pour le premier bon ouvert, et montrez ce qui a changé depuis ce matin."},
		answers: func(a *asker) string {
			order := a.call("search_work_orders",
				object{"status": "open", "sort": "number", "fields": list{"number"}, "limit": 1})["data"].(list)[0].(object)
			a.kept["id"] = order["id"]
			a.call("update_work_order", object{"id": order["id"], "estimated_hours": 7.5})
			today := a.call("get_context", object{})["today"]
			changes := a.call("get_history", object{"kind": "work_order", "id": order["id"], "since": today})
			rows := changes["data"].(list)
			return count(changes) + " " + fmt.Sprint(rows[len(rows)-1].(object)["changes"].(object)["estimated_hours"].(object)["new"])
		},
		matters: func(a *asker) any { return a.kept["id"] },
		sql: `SELECT count(*) || ' 7.5' FROM workorders.history h JOIN gateway.organization o USING (organization_id)
			WHERE organization_id = $1 AND record_id = $2 AND (at AT TIME ZONE o.time_zone)::date = ` + localDay,
	},
	{
		name: "Sites of a ward",
		asks: [2]string{"How many sites are in the North ward?", "Combien de sites y a-t-il au centre-ville ?"},
		answers: func(a *asker) string {
			return count(a.call("list_records",
				object{"kind": "site", "filters": object{"ward": a.say("North", "Centre-ville")}, "fields": list{"name"}, "limit": 1}))
		},
		sql:     `SELECT count(*)::text FROM assets.site WHERE organization_id = $1 AND ward = $2`,
		matters: func(a *asker) any { return a.say("North", "Centre-ville") },
	},
	{
		name: "Buildings of a kind",
		asks: [2]string{"How many school buildings do we have?", "Combien d'arénas avons-nous ?"},
		answers: func(a *asker) string {
			return count(a.call("list_records",
				object{"kind": "building", "building_type": a.say("school", "arena"), "fields": list{"name"}, "limit": 1}))
		},
		sql:     `SELECT count(*)::text FROM assets.building WHERE organization_id = $1 AND building_type = $2`,
		matters: func(a *asker) any { return a.say("school", "arena") },
	},
	{
		name: "Overdue preventive maintenance",
		asks: [2]string{"How many preventive work orders are late?", "Combien de bons d'entretien préventif sont en retard ?"},
		answers: func(a *asker) string {
			return count(a.call("search_work_orders", object{"overdue": true, "type": list{"preventive"}, "fields": list{"number"}, "limit": 1}))
		},
		sql: `SELECT count(*)::text FROM workorders.work_order w JOIN gateway.organization o USING (organization_id) WHERE organization_id = $1
			AND due_date < ` + localDay + ` AND status IN ('open', 'in_progress', 'on_hold') AND type = 'preventive'`,
	},
	{
		name: "Work that was completed in a month",
		asks: [2]string{"How many work orders were completed in October 2026?", "Combien de bons ont été terminés en octobre 2026 ?"},
		answers: func(a *asker) string {
			return count(a.call("search_work_orders", object{"filters": object{"completed_at_from": "2026-10-01", "completed_at_to": "2026-10-31"},
				"fields": list{"number"}, "limit": 1}))
		},
		sql: `SELECT count(*)::text FROM workorders.work_order w JOIN gateway.organization o USING (organization_id) WHERE organization_id = $1
			AND (completed_at AT TIME ZONE o.time_zone)::date BETWEEN '2026-10-01' AND '2026-10-31'`,
	},
	{
		name: "The makers of most equipment",
		asks: [2]string{"Who made most of our equipment? The first three.", "Quels sont nos trois principaux fabricants ?"},
		answers: func(a *asker) string {
			return inOrder(a.call("search_assets", object{"group_by": "manufacturer", "sort": "-count", "limit": 3}))
		},
		sql: first(3, "coalesce(manufacturer, 'No manufacturer')", "manufacturer", "", "assets.asset t", "true"),
	},
	{
		name: "The longest networks",
		asks: [2]string{"Which three networks are longest?", "Quels sont nos trois plus longs réseaux ?"},
		answers: func(a *asker) string {
			return inOrder(a.call("search_segments", object{"group_by": "network", "sort": "-length_m", "limit": 3}), "length_m")
		},
		sql: first(3, "n.name", "n.id", "t.length_m", "infrastructure.segment t "+networkOf, "true"),
	},
	{
		name: "Water mains in poor condition",
		asks: [2]string{"How many metres of water main are in poor or very poor condition?",
			"Combien de mètres d'aqueduc sont en mauvais état ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_segments", object{"filters": object{"asset_class": "water_main", "condition_rating_min": 4},
				"group_by": "condition_rating", "sort": "key"}), "length_m")
		},
		sql: `SELECT string_agg(line, '; ' ORDER BY line COLLATE "C") FROM (SELECT t.condition_rating || ' ' || count(*) || ' ' ||
			sum(t.length_m)::numeric(15,2) AS line FROM infrastructure.segment t ` + networkOf + ` WHERE t.organization_id = $1
			AND n.asset_class = 'water_main' AND t.condition_rating >= 4 GROUP BY t.condition_rating) l`,
	},
	{
		name: "Segments to be renewed",
		asks: [2]string{"What will renewing roads and pipes until 2031 cost, by network?",
			"Combien coûtera le renouvellement des réseaux d'ici 2031, par réseau ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_segments", object{"planned_renewal_year_max": 2031, "group_by": "network"}), "replacement_cost")
		},
		sql: `SELECT string_agg(line, '; ' ORDER BY line COLLATE "C") FROM (SELECT n.name || ' ' || count(*) || ' ' ||
			coalesce(sum(t.replacement_cost), 0)::numeric(15,2) AS line FROM infrastructure.segment t ` + networkOf + ` WHERE t.organization_id = $1
			AND t.planned_renewal_year <= 2031 GROUP BY n.name) l`,
	},
	{
		name: "Projects by status",
		asks: [2]string{"How many projects are there by status, with which budget?", "Combien de projets par statut, et quels budgets ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_projects", object{"group_by": "status"}), "budget_amount")
		},
		sql: grouped("status", "budget_amount", "projects.project", "true"),
	},
	{
		name: "The largest budgets",
		asks: [2]string{"Which are the three largest budgets of our projects?", "Quels sont les trois plus gros budgets de nos projets ?"},
		answers: func(a *asker) string {
			return strings.Join(rowsOf(a.call("search_projects",
				object{"sort": "-budget_amount", "fields": list{"budget_amount"}, "limit": 3})["data"],
				func(row object) string { return money(row["budget_amount"]) }), "; ")
		},
		sql: `SELECT string_agg(budget_amount::text, '; ' ORDER BY budget_amount DESC) FROM (SELECT budget_amount FROM projects.project
			WHERE organization_id = $1 ORDER BY budget_amount DESC NULLS LAST LIMIT 3) l`,
	},
	{
		name: "Projects of a year by kind",
		asks: [2]string{"Which kinds of projects does 2028 bring?", "Quels genres de projets prévoit-on pour 2028 ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_projects", object{"filters": object{"fiscal_year": 2028}, "group_by": "project_type"}))
		},
		sql: grouped("project_type", "", "projects.project", "fiscal_year = 2028"),
	},
	{
		name: "Equipment of a building",
		asks: [2]string{"How much equipment is in BLD-0104?", "Combien d'équipements y a-t-il au BLD-0018 ?"},
		answers: func(a *asker) string {
			building := a.found(a.say("bld 104", "bld0018"), "building")
			return count(a.call("search_assets", object{"building_id": building["id"], "fields": list{"name"}, "limit": 1}))
		},
		sql: `SELECT count(*)::text FROM assets.asset WHERE organization_id = $1
			AND building_id = (SELECT id FROM assets.building WHERE organization_id = $1 AND code = $2)`,
		matters: func(a *asker) any { return a.say("BLD-0104", "BLD-0018") },
	},
	{
		name: "Overdue urgent work orders, said otherwise",
		asks: [2]string{"Which team is behind with what is urgent?", "Quelle équipe accuse du retard dans ce qui presse ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_work_orders",
				object{"filters": object{"overdue": true, "priority": list{"urgent", "high"}}, "group_by": "team_id",
					"sort": "-count", "limit": 10}))
		},
		sql: `SELECT string_agg(line, '; ' ORDER BY line COLLATE "C") FROM (SELECT coalesce(t.name, 'No team') || ' ' || count(*) AS line FROM
			workorders.work_order w
			JOIN gateway.organization o USING (organization_id) LEFT JOIN users.team t ON t.organization_id = $1 AND t.id = w.team_id
			WHERE w.organization_id = $1 AND w.due_date < ` + localDay +
			` AND w.status IN ('open', 'in_progress', 'on_hold') AND w.priority IN ('high', 'urgent')
			GROUP BY t.name) l`,
	},
	{
		name: "Assets in poor condition, said otherwise",
		asks: [2]string{"What is in bad shape, and what would it cost to replace?",
			"Qu'est-ce qui est en piteux état, et combien coûterait le remplacement ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_assets",
				object{"filters": object{"condition_rating": list{4, 5}, "status": "in_service"}, "group_by": "category",
					"sort": "-replacement_cost"}), "replacement_cost")
		},
		sql: grouped(`coalesce(category, 'null')`, "replacement_cost", "assets.asset", "condition_rating >= 4 AND status = 'in_service'"),
	},
	{
		name: "Assets without a condition, said otherwise",
		asks: [2]string{"What has never been assessed?", "Qu'est-ce qui n'a jamais été évalué ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_assets", object{"condition_rating": "null", "group_by": "category", "sort": "key"}))
		},
		sql: grouped(`coalesce(category, 'null')`, "", "assets.asset", "condition_rating IS NULL"),
	},
	{
		name: "Equipment of a make, said otherwise",
		asks: [2]string{"Do we own anything by TRANE, and what is it worth?", "Avons-nous du Trane, et combien vaut-il ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_assets", object{"manufacturer": "TRANE", "group_by": "manufacturer"}), "replacement_cost")
		},
		sql: grouped("manufacturer", "replacement_cost", "assets.asset", "manufacturer = 'Trane'"),
	},
	{
		name: "The dearest work order and its costs",
		asks: [2]string{"What made our most expensive work order so expensive?", "Qu'est-ce qui a fait le prix de notre bon le plus cher ?"},
		answers: func(a *asker) string {
			order := a.call("search_work_orders", object{"sort": "-actual_cost", "fields": list{"number"}, "limit": 1})["data"].(list)[0].(object)
			costs := a.call("get_work_order", object{"number": order["number"], "include": list{"costs"}, "fields": list{"number"}})["costs"]
			return fmt.Sprint(order["number"], " ",
				sorted(rowsOf(costs, func(row object) string { return fmt.Sprint(row["kind"], " ", money(row["amount"])) })))
		},
		sql: `SELECT w.number || ' ' || (SELECT string_agg(line, '; ' ORDER BY line COLLATE "C") FROM (SELECT kind || ' ' || amount AS line
			FROM workorders.work_order_cost c WHERE c.organization_id = $1 AND c.work_order_id = w.id) l) FROM workorders.work_order w
			WHERE w.organization_id = $1 ORDER BY actual_cost DESC NULLS LAST, number LIMIT 1`,
	},
}

const (
	buildingOf = "LEFT JOIN assets.building b ON b.organization_id = $1 AND b.id = t.building_id"
	networkOf  = "JOIN infrastructure.network n ON n.organization_id = $1 AND n.id = t.network_id"

	// placesOfDeficiency are where deficiencies t are: building b and site p.
	placesOfDeficiency = `LEFT JOIN assets.asset a ON a.organization_id = $1 AND a.id = t.asset_id
		LEFT JOIN assets.system s ON s.organization_id = $1 AND s.id = coalesce(t.system_id, a.system_id)
		LEFT JOIN assets.building b ON b.organization_id = $1 AND b.id = coalesce(t.building_id, a.building_id, CASE WHEN a.id IS NULL THEN
			s.building_id END)
		LEFT JOIN assets.site p ON p.organization_id = $1 AND p.id = coalesce(t.site_id, a.site_id, b.site_id, CASE WHEN a.id IS NULL THEN
			s.site_id END)`

	boilersAt = `SELECT count(*)::text FROM assets.asset a JOIN assets.site s ON s.organization_id = $1 AND s.id = a.site_id
		WHERE a.organization_id = $1 AND s.name ILIKE $2 AND a.name ~* '\m(boilers?|chaudières?)\M'`
)

// placeName is what the group of a place is called, which may have none.
func placeName(alias, kind string) string { return "coalesce(" + alias + ".name, 'No " + kind + "')" }

// assetsCalled is the SQL of how many assets have one of some words.
func assetsCalled(words string) string {
	return `SELECT count(*)::text FROM assets.asset WHERE organization_id = $1 AND concat_ws(' ', name, location, manufacturer, model) ~*
		'\m(` + words + `)\M'`
}

// first is the SQL of the first n groups: those of the largest sum or, where none is named, of most records.
func first(n int, name, by, sum, table, where string) string {
	order, shown := "count(*)", ""
	if sum != "" {
		order = "coalesce(sum(" + sum + "), 0)"
		shown = " || ' ' || " + order + "::numeric(15,2)"
	}
	return fmt.Sprintf(`SELECT string_agg(line, '; ' ORDER BY n) FROM (SELECT %s || ' ' || count(*)%s AS line, row_number() OVER (ORDER BY
		%s DESC, %s) AS n
		FROM %s WHERE t.organization_id = $1 AND %s GROUP BY %s, %s) l WHERE n <= %d`, name, shown, order, by, table, where, by, name, n)
}

// inOrder are the groups of a result in their order, with their count and the sum that they are sorted by.
func inOrder(result object, sum ...string) string {
	return strings.Join(rowsOf(result["groups"], func(row object) string {
		line := fmt.Sprint(row["key"])
		if name, named := row["name"].(string); named {
			line = name
		}
		if line += " " + number(row["count"]); len(sum) > 0 {
			line += " " + money(row[sum[0]])
		}
		return line
	}), "; ")
}
