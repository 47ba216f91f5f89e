package mcp

import (
	"fmt"
	"strings"
	"time"
)

// tasks are those that were reported first, and what cities, boards and owners of property ask besides.
var tasks = []task{
	{
		name: "FCI of buildings before and since 1970",
		asks: [2]string{"What is the FCI of our buildings built before 1970, and of those since?",
			"Quel est l'IVF de nos bâtiments construits avant 1970, et depuis ?"},
		answers: func(a *asker) string {
			return sorted(rowsOf(a.call("state_of_assets",
				object{"group_by": "year_built", "built_since": 1970, "fields": list{"fci_pct", "need"}})["data"], func(row object) string {
				if row["key"] == nil { // what stands outside of buildings
					return ""
				}
				return fmt.Sprint(row["key"]) + " " + money(row["need"]) + " " + money(row["fci_pct"])
			}))
		},
		sql: `WITH ` + needOfBuildings + `, g AS (SELECT CASE WHEN year_built < 1970 THEN '-1969' ELSE '1970-' END AS key, sum(need) AS need,
			sum(value) AS value
			FROM b GROUP BY 1) SELECT string_agg(line, '; ' ORDER BY line) FROM (SELECT '' AS line UNION ALL
			SELECT key || ' ' || need::numeric(15,2) || ' ' || round(100 * need / value, 2) FROM g) l`,
	},
	{
		name: "Projects with money in 2028",
		asks: [2]string{"Which projects have money in 2028?", "Quels projets ont de l'argent en 2028 ?"},
		answers: func(a *asker) string {
			found := a.call("search_projects", object{"spending_year": 2028, "fields": list{"code"}, "limit": 50})
			if note, _ := found["note"].(string); !strings.Contains(note, "fiscal_year") {
				a.t.Errorf("nothing says that a year can be read in other ways: %v", found)
			}
			return sorted(rowsOf(found["data"], func(row object) string { return row["code"].(string) }))
		},
		sql: `SELECT string_agg(code, '; ' ORDER BY code COLLATE "C") FROM projects.project p WHERE organization_id = $1 AND EXISTS (
			SELECT FROM projects.project_budget_line l WHERE l.organization_id = $1 AND l.project_id = p.id AND l.fiscal_year = 2028
			AND (budget_amount <> 0 OR forecast_amount <> 0 OR committed_amount <> 0 OR actual_amount <> 0)) OR organization_id = $1
				AND fiscal_year = 2028
			AND coalesce(budget_amount, estimate_amount) > 0 AND NOT EXISTS (SELECT FROM projects.project_budget_line l WHERE l.project_id = p.id)`,
	},
	{
		name: "Equipment made by Trane",
		asks: [2]string{"How many assets are made by Trane?", "Combien d'équipements sont de marque trane ?"},
		answers: func(a *asker) string { // by a filter, as people write it, and by words
			return count(a.call("search_assets", object{"filters": object{"manufacturer": a.say("Trane", "trane")}, "fields": list{"name"},
				"limit": 1})) + " " + count(a.call("search_assets", object{"q": "trane", "fields": list{"name"}, "limit": 1}))
		},
		sql: `SELECT count(*) || ' ' || count(*) FROM assets.asset WHERE organization_id = $1 AND manufacturer = 'Trane'`,
	},
	{
		name: "Warranties that end in the next 90 days",
		asks: [2]string{"Which warranties end in the next 90 days?", "Quelles garanties se terminent dans les 90 prochains jours ?"},
		answers: func(a *asker) string {
			today := a.call("get_context", object{})["today"].(string)
			day, err := time.Parse(time.DateOnly, today)
			if err != nil {
				a.t.Fatal(err)
			}
			found := a.call("search_assets", object{"filters": object{"warranty_expires_on_from": today,
				"warranty_expires_on_to": day.AddDate(0, 0, 90).Format(time.DateOnly)}, "sort": "warranty_expires_on",
				"fields": list{"asset_tag", "warranty_expires_on"}, "limit": 3})
			return count(found) + " " + sorted(rowsOf(found["data"], func(row object) string { return row["warranty_expires_on"].(string) }))
		},
		sql: `SELECT count(*) || ' ' || array_to_string((array_agg(warranty_expires_on::text ORDER BY warranty_expires_on))[:3], '; ')
			FROM assets.asset a
			JOIN gateway.organization o USING (organization_id) WHERE organization_id = $1
				AND warranty_expires_on BETWEEN ` + localDay + ` AND ` + localDay + ` + 90`,
	},
	{
		name: "A place typed without its accent",
		asks: [2]string{"Which schools have a main building?", "Où sont les bâtiments appelés arena ?"},
		answers: func(a *asker) string {
			found := a.call("find", object{"text": a.say("main building", "arena"), "kinds": list{"building"}, "limit": 25})
			lines := rowsOf(found["data"], func(row object) string { return fmt.Sprint(row["code"], " ", row["place"]) })
			return sorted(lines)
		},
		sql: `SELECT string_agg(line, '; ' ORDER BY line COLLATE "C") FROM (SELECT b.code || ' ' || s.name AS line FROM assets.building b
			JOIN assets.site s ON s.organization_id = $1 AND s.id = b.site_id WHERE b.organization_id = $1 AND b.name IN ('Aréna', 'Main building')
			ORDER BY b.position DESC LIMIT 25) l`,
	},
	{
		name: "A work order assigned to a person by name",
		asks: [2]string{"Make a work order for Jason: the lights of the gym flicker.",
			"Créez un bon de travail pour Marie : la lumière du gymnase clignote."},
		answers: func(a *asker) string {
			person := a.found(a.say("jason", "marie"), "user")
			made := a.call("create_work_order", object{"title": a.say("Lights of the gym flicker", "Lumière du gymnase qui clignote"),
				"assignee_id": person["id"], "priority": "high", "idempotency_key": a.t.Name()})
			assignee, _ := made["assignee"].(object)
			if link, _ := made["link"].(string); !strings.Contains(link, "/settings/audit?record=") {
				a.t.Errorf("there is no link in %v", made)
			}
			a.kept["number"] = made["number"]
			return fmt.Sprint(made["number"], " ", assignee["name"])
		},
		matters: func(a *asker) any { return a.kept["number"] },
		sql: `SELECT w.number || ' ' || u.name FROM workorders.work_order w JOIN users.user_account u ON u.organization_id = $1
			AND u.id = w.assignee_id
			WHERE w.organization_id = $1 AND w.number = $2`,
	},
	{
		name: "Assets without a condition",
		asks: [2]string{"How many assets have no condition rating, by category?", "Combien d'actifs sont sans cote d'état, par catégorie ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_assets", object{"filters": object{"condition_rating": nil}, "group_by": "category"}))
		},
		sql: grouped(`coalesce(category, 'null')`, "", "assets.asset", "condition_rating IS NULL"),
	},
	{
		name: "Assets in poor condition, with their value",
		asks: [2]string{"What are our assets in poor or very poor condition worth, by category?",
			"Combien valent nos actifs en mauvais état, par catégorie ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_assets",
				object{"status": list{"in_service"}, "filters": object{"condition_rating_min": 4}, "group_by": "category"}), "replacement_cost")
		},
		sql: grouped(`coalesce(category, 'null')`, "replacement_cost", "assets.asset", "condition_rating >= 4 AND status = 'in_service'"),
	},
	{
		name: "The oldest buildings",
		asks: [2]string{"Which buildings are from before 1960?", "Quels bâtiments datent d'avant 1960 ?"},
		answers: func(a *asker) string {
			return sorted(rowsOf(a.call("list_records",
				object{"kind": "building", "filters": object{"year_built_max": 1959}, "fields": list{"code", "year_built"},
					"limit": 100})["data"], func(row object) string { return fmt.Sprint(row["code"], " ", number(row["year_built"])) }))
		},
		sql: `SELECT string_agg(code || ' ' || year_built, '; ' ORDER BY code COLLATE "C") FROM assets.building
			WHERE organization_id = $1 AND year_built < 1960`,
	},
	{
		name: "Overdue urgent work orders by team",
		asks: [2]string{"How many overdue work orders of high or urgent priority does each team have?",
			"Combien de bons de travail en retard, urgents ou prioritaires, a chaque équipe ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_work_orders", object{"overdue": true, "priority": list{"high", "urgent"}, "group_by": "team"}))
		},
		sql: `SELECT string_agg(line, '; ' ORDER BY line COLLATE "C") FROM (SELECT coalesce(t.name, 'No team') || ' ' || count(*) AS line
			FROM workorders.work_order w
			JOIN gateway.organization o USING (organization_id) LEFT JOIN users.team t ON t.organization_id = $1 AND t.id = w.team_id
			WHERE w.organization_id = $1 AND w.due_date < ` + localDay + ` AND w.status IN ('open', 'in_progress', 'on_hold')
				AND w.priority IN ('high', 'urgent')
			GROUP BY t.name) l`,
	},
	{
		name: "Cost of last year's closed work orders by type",
		asks: [2]string{"What did the work orders cost that were closed in 2025, by type?",
			"Combien ont coûté les bons de travail fermés en 2025, par type ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_work_orders", object{"status": "closed",
				"filters": object{"closed_at_from": "2025-01-01", "closed_at_to": "2025-12-31"}, "group_by": "type"}), "actual_cost")
		},
		sql: grouped("type", "actual_cost",
			"workorders.work_order", `status = 'closed' AND (closed_at AT TIME ZONE (SELECT time_zone FROM gateway.organization o
			WHERE o.organization_id = $1))::date BETWEEN '2025-01-01' AND '2025-12-31'`),
	},
	{
		name: "Statistics of work orders",
		asks: [2]string{"How many work orders are there by status, with hours and cost?",
			"Combien de bons de travail par statut, avec heures et coûts ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_work_orders", object{"group_by": "status"}), "actual_hours", "actual_cost")
		},
		sql: `SELECT string_agg(line, '; ' ORDER BY line COLLATE "C")
			FROM (SELECT status || ' ' || count(*) || ' ' || round(sum(actual_hours)::numeric, 2) || ' ' ||
			sum(actual_cost) AS line FROM workorders.work_order WHERE organization_id = $1 GROUP BY status) l`,
	},
	{
		name: "The buildings with most deferred maintenance",
		asks: [2]string{"Which five buildings have the most deferred maintenance?", "Quels cinq bâtiments ont le plus d'entretien différé ?"},
		answers: func(a *asker) string {
			return strings.Join(rowsOf(a.call("state_of_assets", object{"group_by": "building", "sort": "-deferred_maintenance_cost", "limit": 5,
				"fields": list{"deferred_maintenance_cost"}})["data"],
				func(row object) string { return money(row["deferred_maintenance_cost"]) }), "; ")
		},
		sql: `WITH ` + needOfBuildings + ` SELECT string_agg(deferred, '; ' ORDER BY n DESC)
			FROM (SELECT deferred::numeric(15,2)::text AS deferred, deferred AS n FROM b
			ORDER BY b.deferred DESC LIMIT 5) l`,
	},
	{
		name: "Open deficiencies and what they cost",
		asks: [2]string{"What do the open deficiencies cost, by priority?", "Combien coûtent les défaillances non corrigées, par priorité ?"},
		answers: func(a *asker) string {
			return groups(a.call("list_findings",
				object{"kind": "deficiency", "status": list{"open", "planned", "in_work"}, "group_by": "priority"}), "estimated_cost")
		},
		sql: grouped("priority", "estimated_cost", "assets.deficiency", openDeficiency),
	},
	{
		name: "High-risk assets in a building",
		asks: [2]string{"Which assets in building BLD-0104 are a high risk?", "Quels actifs du bâtiment BLD-0018 présentent un risque élevé ?"},
		answers: func(a *asker) string {
			building := a.found(a.say("BLD-0104", "BLD-0018"), "building")
			found := a.call("search_assets", object{"building_id": building["id"], "filters": object{"risk_score_min": 10},
				"fields": list{"asset_tag", "risk_score"}, "sort": "-risk_score,asset_tag", "limit": 5})
			return count(found) + " " + sorted(rowsOf(found["data"], func(row object) string {
				return fmt.Sprint(row["asset_tag"], " ", number(row["risk_score"]))
			}))
		},
		sql: `SELECT n || ' ' || string_agg(asset_tag || ' ' || risk_score, '; ' ORDER BY asset_tag COLLATE "C")
			FROM (SELECT asset_tag, risk_score, count(*) OVER () AS n
			FROM assets.asset WHERE organization_id = $1 AND risk_score >= 10 AND building_id = (SELECT id FROM assets.building
				WHERE organization_id = $1 AND code = $2)
			ORDER BY risk_score DESC, asset_tag COLLATE "C" LIMIT 5) a GROUP BY n`,
		matters: func(a *asker) any { return a.say("BLD-0104", "BLD-0018") },
	},
	{
		name: "Renewals due within five years",
		asks: [2]string{"What renewals are due from 2027 to 2031, by category?",
			"Quels renouvellements sont prévus de 2027 à 2031, par catégorie ?"},
		answers: func(a *asker) string {
			return groups(a.call("search_assets", object{"status": list{"in_service"},
				"filters": object{"planned_renewal_year_min": 2027, "planned_renewal_year_max": 2031}, "group_by": "category"}), "replacement_cost")
		},
		sql: grouped(`coalesce(category, 'null')`, "replacement_cost", "assets.asset",
			"planned_renewal_year BETWEEN 2027 AND 2031 AND status = 'in_service'"),
	},
	{
		name: "State of the pavement",
		asks: [2]string{"How much of our pavement is in which condition?", "Dans quel état sont nos chaussées ?"},
		answers: func(a *asker) string {
			network := a.found(a.say("driveways", "chaussees"), "network")
			summary := a.call("get_summary", object{"kind": "network", "id": network["id"]})
			var lines []string
			for grade, of := range summary["condition_distribution"].(object) {
				if n := number(of.(object)["segments"]); n != "0" {
					lines = append(lines, grade+" "+n+" "+money(of.(object)["length_km"]))
				}
			}
			return sorted(lines)
		},
		sql: `SELECT string_agg(line, '; ' ORDER BY line COLLATE "C") FROM (SELECT (ARRAY['very_good', 'good',
			'fair', 'poor', 'very_poor'])[condition_rating] || ' ' || count(*) || ' ' || round((sum(length_m) / 1000)::numeric, 2) AS line
			FROM infrastructure.segment s JOIN infrastructure.network n ON n.organization_id = $1 AND n.id = s.network_id
			WHERE s.organization_id = $1 AND n.code = 'NET-0001' AND s.status IN ('in_service', 'out_of_service') AND condition_rating IS NOT NULL
			GROUP BY condition_rating) l`,
	},
	{
		name: "Old pipes of a material",
		asks: [2]string{"How long are our vitrified clay pipes from before 1980, in which condition?",
			"Combien de mètres de conduites de grès vitrifié d'avant 1980, et dans quel état ?"},
		answers: func(a *asker) string { // typed without accents and in another case
			found := a.call("search_segments", object{
				"filters": object{"material": a.say("Vitrified Clay", "gres vitrifie"), "install_year_max": 1979}, "group_by": "condition_rating",
			})
			return groups(found, "length_m")
		},
		sql: grouped(`coalesce(condition_rating::text, 'No condition rating')`, "length_m::numeric",
			"infrastructure.segment", `material IN ('vitrified clay', 'grès vitrifié')
			AND install_year < 1980`),
	},
	{
		name: "Measures of service that are missed",
		asks: [2]string{"Which levels of service do we miss?", "Quels niveaux de service ne sont pas atteints ?"},
		answers: func(a *asker) string {
			return sorted(rowsOf(a.call("list_records", object{"kind": "measure", "filters": object{"attainment": "missed"}, "fields": list{"name"},
				"limit": 50})["data"], func(row object) string { return row["name"].(string) }))
		},
		sql: `SELECT string_agg(name, '; ' ORDER BY name COLLATE "C")
			FROM (SELECT m.name, m.direction, m.tolerance_pct AS p, l.value AS v, (SELECT t.target_value FROM los.target t
			WHERE t.organization_id = $1 AND t.measure_id = m.id AND t.kind = 'current'
				AND t.year <= extract(year FROM l.period_end - make_interval(months => o.fiscal_year_end_month % 12))
			ORDER BY t.year DESC LIMIT 1) AS t FROM los.measure m JOIN gateway.organization o USING (organization_id)
			CROSS JOIN LATERAL (SELECT value, period_end FROM los.measurement x WHERE x.organization_id = $1 AND x.measure_id = m.id
				ORDER BY period_end DESC, period_start DESC LIMIT 1) l
			WHERE m.organization_id = $1) m WHERE CASE direction WHEN 'higher_is_better' THEN v < t - abs(t) * p / 100
				WHEN 'lower_is_better' THEN v > t + abs(t) * p / 100
			ELSE abs(v - t) > 2 * abs(t) * p / 100 END`,
	},
	{
		name: "Capital plan and funding of a year",
		asks: [2]string{"What does the capital plan cost in 2030?", "Combien coûte le plan d'investissement en 2030 ?"},
		answers: func(a *asker) string {
			sum := a.call("capital_plan", object{"from_year": 2030, "years": 1})["sum"].(object)
			return number(sum["projects"]) + " " + money(sum["cost"])
		},
		sql: `WITH counted AS (SELECT * FROM projects.project WHERE organization_id = $1 AND status NOT IN ('deferred', 'cancelled')),
			cost AS (SELECT l.project_id, sum(l.budget_amount) AS cost FROM projects.project_budget_line l JOIN counted c ON c.id = l.project_id
				WHERE l.organization_id = $1 AND l.fiscal_year = 2030 GROUP BY 1 UNION ALL
				SELECT c.id, coalesce(c.budget_amount, c.estimate_amount) FROM counted c WHERE c.fiscal_year = 2030 AND NOT EXISTS (
				SELECT FROM projects.project_budget_line l WHERE l.organization_id = $1 AND l.project_id = c.id))
			SELECT (SELECT count(*) FROM (SELECT project_id FROM cost WHERE cost <> 0 UNION SELECT s.project_id
				FROM projects.project_funding_source s JOIN counted c ON c.id = s.project_id
				WHERE s.fiscal_year = 2030 AND s.status <> 'declined' AND s.amount <> 0) p) || ' ' || sum(cost)::numeric(15,2) FROM cost`,
	},
	{
		name: "Net book value of the last closed year by class",
		asks: [2]string{"What is the closing net book value of 2025, by class?",
			"Quelle est la valeur comptable nette de 2025 à la fermeture, par catégorie ?"},
		answers: func(a *asker) string {
			return sorted(rowsOf(a.call("tca_schedule", object{"fiscal_year": 2025, "limit": 100})["data"], func(row object) string {
				net, _ := row["net_book_value"].(object)
				return fmt.Sprint(row["code"]) + " " + money(net["closing"])
			}))
		},
		sql: `SELECT string_agg(line, '; ' ORDER BY line COLLATE "C")
			FROM (SELECT k.code || ' ' || sum(y.cost_closing - y.accumulated_closing) AS line
			FROM accounting.capital_asset_year y JOIN accounting.class k ON k.organization_id = $1 AND k.id = y.class_id
			WHERE y.organization_id = $1 AND y.fiscal_year = 2025 AND y.last GROUP BY k.code) l`,
	},
	{
		name: "Meters and where they are",
		asks: [2]string{"Which meters do we have, in which unit?", "Quels compteurs avons-nous, et en quelle unité ?"},
		answers: func(a *asker) string {
			return sorted(rowsOf(a.call("list_records", object{"kind": "meter", "fields": list{"name", "unit"}, "limit": 100})["data"],
				func(row object) string { return fmt.Sprint(row["name"], " ", row["unit"]) }))
		},
		sql: `SELECT string_agg(name || ' ' || unit, '; ' ORDER BY (name || ' ' || unit) COLLATE "C") FROM meters.meter
			WHERE organization_id = $1`,
	},
	{
		name: "Quality of the data",
		asks: [2]string{"How many assets lack a renewal year, a useful life or a condition?",
			"À combien d'actifs manque-t-il l'année de renouvellement, la durée de vie ou la cote d'état ?"},
		answers: func(a *asker) string {
			quality := a.call("state_of_assets", object{"fields": list{"data_quality"}, "limit": 1})["sum"].(object)["data_quality"].(object)
			return number(quality["without_planned_renewal_year"]) + " " + number(quality["without_expected_useful_life"]) + " " +
				number(quality["without_condition_rating"])
		},
		sql: `SELECT count(*) FILTER (WHERE planned_renewal_year IS NULL) || ' ' || count(*)
			FILTER (WHERE expected_useful_life_years IS NULL) || ' ' || count(*) FILTER (WHERE condition_rating IS NULL) FROM assets.asset
			WHERE organization_id = $1 AND status NOT IN ('planned', 'decommissioned', 'disposed')`,
	},
	{
		name: "A condition is recorded",
		asks: [2]string{"The first of our boilers was looked at on 2 November: poor.",
			"La première de nos chaudières a été inspectée le 2 novembre : mauvais état."},
		answers: func(a *asker) string {
			asset := a.call("search_assets", object{"q": a.say("boiler", "chaudiere"), "sort": "asset_tag", "limit": 1})["data"].(list)[0].(object)
			made := a.call("record_condition", object{"asset_id": asset["id"], "assessed_on": "2026-11-02", "condition_rating": 4,
				"method": "visual", "notes": a.say("Bearing is loud", "Palier bruyant"), "idempotency_key": a.t.Name()})
			of, _ := made["asset"].(object)
			a.kept["id"] = made["id"]
			return fmt.Sprint(asset["asset_tag"], " ", of["name"], " ", number(made["condition_rating"]), " ", made["assessed_on"], " ",
				made["notes"])
		},
		matters: func(a *asker) any { return a.kept["id"] },
		sql: `SELECT a.asset_tag || ' ' || a.name || ' ' || a.condition_rating || ' ' || c.assessed_on || ' ' || c.notes
			FROM assets.condition_assessment c
			JOIN assets.asset a ON a.organization_id = $1 AND a.id = c.asset_id WHERE c.organization_id = $1 AND c.id = $2`,
	},
	{
		name: "Who is responsible, and a word to them",
		asks: [2]string{"Who has the oldest work order in progress? Tell them that the part has arrived.",
			"Qui a le plus ancien bon en cours ? Dites-lui que la pièce est arrivée."},
		answers: func(a *asker) string {
			order := a.call("search_work_orders", object{"status": list{"in_progress"}, "filters": object{"created_at_to": "2030-01-01"},
				"sort": "created_at", "fields": list{"number", "assignee"}, "limit": 1})["data"].(list)[0].(object)
			assignee, _ := order["assignee"].(object)
			made := a.call("add_comment",
				object{"work_order_id": order["id"], "body": a.say("The part has arrived.", "La pièce est arrivée."), "idempotency_key": a.t.Name()})
			a.kept["id"] = made["id"]
			return fmt.Sprint(order["number"], " ", assignee["name"], " ", made["body"])
		},
		matters: func(a *asker) any { return a.kept["id"] },
		sql: `SELECT w.number || ' ' || coalesce(u.name, '<nil>') || ' ' || c.body FROM workorders.work_order_comment c
			JOIN workorders.work_order w ON w.organization_id = $1 AND w.id = c.work_order_id
			LEFT JOIN users.user_account u ON u.organization_id = $1 AND u.id = w.assignee_id WHERE c.organization_id = $1 AND c.id = $2`,
	},
}

// grouped is the SQL of groups with their count and, if it is named, the sum of a column.
func grouped(by, sum, table, where string) string {
	if sum != "" {
		sum = " || ' ' || coalesce(sum(" + sum + "), 0)::numeric(15,2)"
	}
	return `SELECT string_agg(line, '; ' ORDER BY line COLLATE "C") FROM (SELECT ` + by + ` || ' ' || count(*)` + sum + ` AS line
		FROM ` + table + ` WHERE organization_id = $1 AND ` + where + ` GROUP BY ` + by + `) l`
}

// needOfBuildings gives b: what each building is worth in prices of this year, its deferred maintenance, and what it needs now. It is
// written out here from what docs/domain.md says, so that it can be wrong in other ways than the services.
const needOfBuildings = `today AS (SELECT extract(year FROM ` + localDay + `)::int AS year FROM gateway.organization o
	WHERE o.organization_id = $1),
a AS (SELECT building_id, system_id, coalesce(replacement_cost, 0) AS v, coalesce(deferred_maintenance_cost, 0) AS d,
	coalesce(planned_renewal_year <= today.year, false) AS due FROM assets.asset, today WHERE organization_id = $1
		AND status NOT IN ('planned', 'decommissioned', 'disposed')),
inside AS (SELECT system_id, sum(v) AS v, sum(d) AS d, sum(CASE WHEN due THEN greatest(v, d) ELSE d END) AS need,
	coalesce(sum(greatest(v, d)) FILTER (WHERE due), 0) AS renewals, coalesce(sum(d) FILTER (WHERE due), 0) AS relieved FROM a
		WHERE system_id IS NOT NULL GROUP BY 1),
system AS (SELECT s.building_id, s.replacement_cost AS own, s.deferred_maintenance_cost AS typed,
	coalesce(s.planned_renewal_year <= today.year, false) AS due, coalesce(i.v, 0) AS v, coalesce(i.d, 0) AS d, coalesce(i.need, 0) AS need,
	coalesce(i.renewals, 0) AS renewals, coalesce(i.relieved, 0) AS relieved
	FROM today, assets.system s LEFT JOIN inside i ON i.system_id = s.id WHERE s.organization_id = $1
		AND s.status NOT IN ('planned', 'decommissioned', 'disposed')),
part AS (SELECT building_id, coalesce(own, v) AS v, coalesce(typed, d) AS d, CASE WHEN due THEN greatest(coalesce(own, v),
	coalesce(typed, d), parts) ELSE parts END AS need
	FROM (SELECT *, CASE WHEN typed IS NULL THEN need ELSE renewals + greatest(typed - relieved, 0) END AS parts FROM system) s
	UNION ALL SELECT building_id, v, d, CASE WHEN due THEN greatest(v, d) ELSE d END FROM a WHERE system_id IS NULL),
price AS (SELECT i.id, i.service_categories, i.is_default, v.year, v.value FROM assets.price_index i
	JOIN assets.price_index_value v ON v.organization_id = $1 AND v.price_index_id = i.id WHERE i.organization_id = $1),
b AS (SELECT b.id, b.year_built, coalesce((SELECT round(b.replacement_cost * p.value / f.value, 2) FROM today, price p
	JOIN price f USING (id)
		WHERE p.year = today.year AND f.year = b.replacement_cost_year AND (p.service_categories ? b.service_category OR p.is_default)
			ORDER BY p.is_default LIMIT 1), b.replacement_cost, (SELECT sum(v) FROM part WHERE building_id = b.id), 0) AS value,
	coalesce((SELECT sum(need) FROM part WHERE building_id = b.id), 0) AS need, coalesce((SELECT sum(d) FROM part WHERE building_id = b.id),
		0) AS deferred
	FROM assets.building b WHERE b.organization_id = $1 AND b.status NOT IN ('planned', 'demolished'))`
