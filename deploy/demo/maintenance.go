package demo

import (
	"context"
	"fmt"
	"net/http"
)

// upkeep is what an organization has around its work: who does it, what was found, what residents ask for, what comes again.
type upkeep struct {
	teams, vendors                      []record
	deficiencies, ofSegments            []record
	services, links, requests           []record
	calendars, policies, jobs, plans    []record
	meters, readings, templates, filled []record

	rejected, waived []record // changes of requests and deficiencies
	larger           []record // changes of plans: what they include
	rounds           rounds   // work that has been going on
}

const (
	deficientAssets   = 100
	deficientSegments = 10
	meteredAssets     = 30
	serviceRequests   = 40
)

// maintenance makes it, of the organization's own places.
func (g *generator) maintenance(network lines) upkeep {
	var u upkeep
	g.contractors(&u)
	g.findings(&u, network)
	g.addRequests(&u)
	g.recurring(&u)
	g.filters(&u)
	g.metering(&u)
	g.forms(&u)
	return u
}

// contractors are the teams of the organization's technicians, and who works for it besides.
func (g *generator) contractors(u *upkeep) {
	for i, name := range [][2]string{{"Équipe de jour", "Day crew"}, {"Équipe de garde", "On-call crew"}} {
		team := record{"external_id": fmt.Sprintf("%s-TM-%02d", g.prefix, i+1), "name": g.text(name[0], name[1]), "code": fmt.Sprintf("T%d", i+1)}
		var members []string
		for j, id := range g.technicians {
			if j%2 == i {
				members = append(members, id)
			}
		}
		if team["user_ids"] = members; len(members) > 0 {
			team["lead_user_id"] = members[0]
		}
		u.teams = append(u.teams, team)
	}
	for i, vendor := range []struct{ french, english, trade string }{
		{"Chauffage Boréal inc.", "Boreal Heating Inc.", "heating"}, {"Ascenseurs Montcalm", "Simcoe Elevators Ltd.", "elevators"},
		{"Sécurité Incendie Laurier", "Georgian Fire Protection", "fire_protection"}, {"Électricité Valois", "Huronia Electric", "electrical"},
		{"Toitures Richelieu", "Kempenfelt Roofing", "roofing"}, {"Pavage Champlain", "Essa Paving", "paving"},
		{"Plomberie Duvernay", "Bayfield Plumbing", "plumbing"}, {"Vitrerie des Patriotes", "Barrie Glass & Mirror", "glazing"},
	} {
		u.vendors = append(u.vendors, record{"external_id": fmt.Sprintf("%s-V-%02d", g.prefix, i+1),
			"name": g.text(vendor.french, vendor.english),
			"code": fmt.Sprintf("F-%04d", 2001+17*i), "trades": []string{vendor.trade}, "insurance_expires_on": g.date(30 + 45*i)})
	}
}

// findings break what was put off for some assets and segments down into deficiencies, so that no figure changes by
// them; others do not count.
func (g *generator) findings(u *upkeep, network lines) {
	kinds := [][2]string{{"Corrosion avancée", "Advanced corrosion"}, {"Pièces d'usure à remplacer", "Wearing parts to be replaced"},
		{"Fuite persistante", "Persistent leak"}, {"Protection absente", "Guard missing"}}
	number := 0
	split := func(of record, field, prefix string, counted []string) (found []record) {
		cost, _ := of["deferred_maintenance_cost"].(float64)
		first := round(cost*0.6, 0)
		for i, part := range []float64{first, cost - first} {
			kind := kinds[g.random.IntN(len(kinds))]
			number++
			// Found one after the other over three years. The estimates are in the prices of today.
			found = append(found, record{"found_on": g.date(-20 - 53*number%(3*365)), "cost_year": g.year(),
				"external_id": fmt.Sprintf("%s-%s-%d", of["external_id"], prefix, i+1), field: of["external_id"],
				"title": g.text(kind[0], kind[1]), "category": counted[i], "estimated_cost": part, "cost_class": g.pick("B", "C", "D"),
				"priority": g.pick("low", "medium", "medium", "high")})
		}
		return found
	}
	deficient := 0
	for _, asset := range g.data.assets {
		if asset["deferred_maintenance_cost"] == nil || asset["status"] != "in_service" || deficient == deficientAssets {
			continue
		}
		if deficient++; deficient%5 == 0 {
			r := record{"external_id": fmt.Sprintf("%s-D-3", asset["external_id"]),
				"asset_external_id": asset["external_id"], "category": "accessibility",
				"title": g.text("Commandes hors de portée", "Controls out of reach"), "estimated_cost": float64(500 * (1 + g.random.IntN(8)))}
			u.deficiencies = append(u.deficiencies, r)
			u.waived = append(u.waived, record{"external_id": r["external_id"], "status": "waived",
				"waive_reason": g.text("Refait avec l'appareil", "Renewed with the equipment")})
		}
		u.deficiencies = append(u.deficiencies,
			split(asset, "asset_external_id", "D", []string{"deferred_maintenance", g.pick("code", "deferred_maintenance")})...)
	}
	for _, segment := range network.segments {
		if segment["deferred_maintenance_cost"] != nil && segment["status"] == "in_service" && len(u.ofSegments) < 2*deficientSegments {
			u.ofSegments = append(u.ofSegments, split(segment, "segment_external_id", "D", []string{"deferred_maintenance", "life_safety"})...)
		}
	}
}

// addRequests adds what people can request, where, and what they have requested.
func (g *generator) addRequests(u *upkeep) {
	services := []struct{ code, english, french, priority string }{
		{"HEAT", "Heating", "Chauffage", "high"}, {"LEAK", "Water leak", "Fuite d'eau", "high"}, {"LIGHT", "Lighting", "Éclairage", "medium"},
		{"DOOR", "Doors and locks", "Portes et serrures", "medium"}, {"PLAYGROUND", "Playground", "Aire de jeux", "high"},
		{"GRAFFITI", "Graffiti", "Graffitis", "low"},
	}
	var codes []string
	for i, s := range services {
		codes = append(codes, s.code)
		u.services = append(u.services, record{"external_id": fmt.Sprintf("%s-RS-%02d", g.prefix, i+1), "service_code": s.code, "name": s.english,
			"name_fr": s.french, "priority": s.priority, "public": true, "expected_days": 2 + 3*i, "group": g.text("Immeubles", "Buildings"),
			"team_external_id": u.teams[i%len(u.teams)]["external_id"]})
	}
	for i, site := range g.data.sites[:min(6, len(g.data.sites))] {
		u.links = append(u.links, record{"external_id": fmt.Sprintf("%s-RL-%02d", g.prefix, i+1), "name": site["name"], "name_fr": site["name"],
			"site_external_id": site["external_id"], "service_codes": codes,
			"notice": "Personal information is collected to answer your request, under the law that governs public bodies here. " +
				"Questions: the clerk.", "notice_fr": "Les renseignements sont recueillis pour répondre à votre demande, " +
				"selon la loi sur les organismes publics. Questions : le greffe."})
	}
	for i := range serviceRequests {
		s, site := services[g.random.IntN(len(services))], one(g, g.data.sites)
		r := record{"external_id": fmt.Sprintf("%s-R-%03d", g.prefix, i+1), "title": g.text(s.french, s.english), "service_code": s.code,
			"site_external_id": site["external_id"], "source": g.pick("staff", "import"), "published": g.chance(60),
			"description": g.text("Signalé à l'accueil.", "Reported at the front desk.")}
		if g.chance(40) {
			r["requester_name"], r["requester_email"] = "Camille Roy", "camille.roy@example.ca"
		}
		u.requests = append(u.requests, r)
		if i%8 == 3 {
			u.rejected = append(u.rejected, record{"external_id": r["external_id"], "status": "rejected",
				"reason": g.text("Terrain privé", "Private land")})
		}
	}
}

// recurring is work that comes again, and how soon other work is to be done. These plans begin some weeks from now: the planner makes work
// of its own accord from then on.
func (g *generator) recurring(u *upkeep) {
	u.calendars = []record{{"external_id": g.prefix + "-CA-1", "name": g.text("Heures de bureau", "Office hours"), "time_zone": g.timeZone,
		"week": workingWeek(), "holidays": []record{{"name": g.text("Noël", "Christmas"), "rrule": "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25"}}}}
	for i, priority := range []string{"urgent", "high", "medium", "low"} {
		policy := record{"external_id": fmt.Sprintf("%s-SL-%d", g.prefix, i+1), "priority": priority, "respond_minutes": 60 << (2 * i),
			"complete_minutes": 480 << (2 * i)}
		if priority != "urgent" { // an emergency does not wait for the morning
			policy["calendar_external_id"] = u.calendars[0]["external_id"]
		}
		u.policies = append(u.policies, policy)
	}
	schools := record{"collection": "buildings", "query": "status=active&building_type=" + g.text("administration,arena,pool", "school")}
	for i, p := range []struct {
		french, english, rule, obligation string
		hours                             float64
		lead, supersedes                  int // supersedes: the plan of that number
	}{
		{"Extincteurs, tous les mois", "Extinguishers, monthly", "FREQ=MONTHLY;BYMONTHDAY=1", "NFPA 10", 0.5, 7, 0},
		{"Alarme incendie, tous les mois", "Fire alarm, monthly", "FREQ=MONTHLY;BYMONTHDAY=15", "CAN/ULC-S536", 1, 7, 0},
		{"Alarme incendie, tous les ans", "Fire alarm, annual", "FREQ=YEARLY;BYMONTH=9;BYMONTHDAY=15", "CAN/ULC-S536", 6, 30, 2},
		{"Éclairage d'urgence, tous les mois", "Emergency lighting, monthly", "FREQ=MONTHLY;BYDAY=1MO", "", 0.5, 7, 0},
		{"Toitures, au printemps", "Roofs, in spring", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=1", "", 3, 30, 0},
		{"Chauffage, avant l'hiver", "Heating, before winter", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=1", "", 4, 30, 0},
	} {
		job, plan := fmt.Sprintf("%s-JP-%02d", g.prefix, i+1), fmt.Sprintf("%s-PM-%02d", g.prefix, i+1)
		u.jobs = append(u.jobs, record{"external_id": job, "name": g.text(p.french, p.english), "code": fmt.Sprintf("JP-%02d", i+1),
			"type": "inspection", "estimated_hours": p.hours, "estimated_cost": p.hours * 75, "tasks": []record{
				{"title": g.text("Vérifier sur place", "Check on site"), "required": true},
				{"title": g.text("Inscrire au registre", "Enter in the log book")}}})
		r := record{"external_id": plan, "name": g.text(p.french, p.english), "job_plan_external_id": job, "basis": "fixed",
			"starts_on": g.day.AddDate(0, 2, 1-g.day.Day()).Format("2006-01-02"), "trigger": record{"rrule": p.rule}, "lead_days": p.lead,
			"target_filter": schools, "window": record{"calendar": "month"}, "team_external_id": u.teams[i%len(u.teams)]["external_id"]}
		if p.obligation != "" {
			r["obligation"] = p.obligation
		}
		u.plans = append(u.plans, r)
		if p.supersedes > 0 { // its id is known when the other one is there
			u.larger = append(u.larger, record{"external_id": plan, "supersedes": u.plans[p.supersedes-1]["external_id"]})
		}
	}
}

func workingWeek() []record {
	var week []record
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday"} {
		week = append(week, record{"day": day, "from": "08:30", "to": "16:30"})
	}
	return week
}

// metering is a year of hours of generators and boilers, and the pressure of a boiler now and then.
func (g *generator) metering(u *upkeep) {
	for _, asset := range g.data.assets {
		code, _ := asset["uniformat_code"].(string)
		if len(u.meters) == meteredAssets || asset["status"] != "in_service" || code != "D5090" && code != "D302001" {
			continue
		}
		id := fmt.Sprintf("%s-M", asset["external_id"])
		u.meters = append(u.meters, record{"external_id": id, "asset_external_id": asset["external_id"], "name": g.text("Heures", "Hours"),
			"kind": "counter", "unit": "h", "rollover_at": 100000})
		hours := float64(1000 + g.random.IntN(9000))
		for month := -12; month <= -1; month++ {
			hours += g.between(10, 200)
			u.readings = append(u.readings, record{"meter_external_id": id, "read_at": g.moment(30*month, 0), "value": round(hours, 1)})
		}
	}
}

// forms are those of an inspection, some of them filled in.
func (g *generator) forms(u *upkeep) {
	id := g.prefix + "-F-01"
	u.templates = []record{{"external_id": id, "name": g.text("Ronde mensuelle", "Monthly round"), "status": "published", "items": []record{
		{"key": "exits", "type": "pass_fail", "label": "Exits are clear", "label_fr": "Les issues sont dégagées", "required": true},
		{"key": "lights", "type": "pass_fail", "label": "Emergency lighting works", "label_fr": "L'éclairage d'urgence fonctionne",
			"required": true},
		{"key": "remarks", "type": "text", "label": "Remarks", "label_fr": "Remarques"}}}}
	for i, building := range g.data.buildings[:min(20, len(g.data.buildings))] {
		u.filled = append(u.filled, record{"external_id": fmt.Sprintf("%s-FR-%03d", g.prefix, i+1), "template_external_id": id,
			"building_external_id": building["external_id"],
			"answers":              record{"exits": g.pick("pass", "pass", "pass", "fail"), "lights": g.pick("pass", "pass", "na")}})
	}
}

// writeUpkeep writes what the organization's plan has room for.
func (w *writer) writeUpkeep(ctx context.Context, b blueprint, u upkeep) error {
	steps := []step{{"teams", u.teams}, {"vendors", u.vendors}, {"deficiencies", u.deficiencies}}
	if b.has("infrastructure") {
		steps = append(steps, step{"infrastructure/deficiencies", u.ofSegments})
	}
	if !b.has("maintenance") {
		return w.bulks(ctx, steps...)
	}
	w.begin(u)
	steps = append(steps, step{"request-services", u.services}, step{"request-links", u.links}, step{"requests", u.requests},
		step{"maintenance/calendars", u.calendars}, step{"maintenance/sla-policies", u.policies}, step{"maintenance/job-plans", u.jobs},
		step{"maintenance/pm-plans", u.plans}, step{"meters", u.meters}, step{"forms/templates", u.templates}, step{"forms/responses", u.filled})
	if err := w.bulks(ctx, steps...); err != nil {
		return err
	}
	if err := w.update(ctx, "deficiencies", u.waived); err != nil {
		return err
	}
	if err := w.update(ctx, "requests", u.rejected); err != nil {
		return err
	}
	if len(u.readings) > 0 {
		if _, err := w.bulk(ctx, "meters/readings", u.readings); err != nil {
			return err
		}
	}
	for _, response := range u.filled {
		if err := w.submit(ctx, fmt.Sprint(response["external_id"])); err != nil {
			return err
		}
	}
	if err := w.activate(ctx, u); err != nil {
		return err
	}
	return w.goThrough(ctx, u.rounds)
}

// submit submits a form that was filled in, unless it has been.
func (w *writer) submit(ctx context.Context, external string) error {
	path := "/v1/forms/responses/" + w.id(external)
	var response struct{ Status string }
	if err := w.api.do(ctx, http.MethodGet, path, nil, &response); err != nil || response.Status != "in_progress" {
		return err
	}
	return w.api.do(ctx, http.MethodPost, path+"/submit", record{}, nil)
}

// activate lets the plans begin, the larger ones with what they include.
func (w *writer) activate(ctx context.Context, u upkeep) error {
	for _, larger := range u.larger {
		larger["supersedes"] = []string{w.id(fmt.Sprint(larger["supersedes"]))}
	}
	var active []record
	for _, plan := range u.plans {
		active = append(active, record{"external_id": plan["external_id"], "status": "active"})
	}
	if err := w.update(ctx, "maintenance/pm-plans", u.larger); err != nil {
		return err
	}
	return w.update(ctx, "maintenance/pm-plans", active)
}
