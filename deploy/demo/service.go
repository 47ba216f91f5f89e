package demo

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
)

// writeService writes levels of service: areas, the regulation's measures from its templates and the organization's
// own, targets, and what was measured over five years.
func (w *writer) writeService(ctx context.Context, g *generator, network lines) error {
	areas := make([]record, len(g.areas))
	for i, a := range g.areas {
		areas[i] = g.area(a, i, w, network)
	}
	if err := w.bulks(ctx, step{"los/service-areas", areas}); err != nil {
		return err
	}
	var own, targets, measurements []record
	for i, a := range g.areas {
		id := areas[i]["external_id"].(string)
		if a.regulated {
			found, err := w.applyTemplate(ctx, w.id(id), g.text("fr", "en"))
			if err != nil {
				return err
			}
			for _, m := range found {
				t, v := g.regulated(m)
				targets, measurements = append(targets, t...), append(measurements, v...)
			}
		}
		for j, m := range a.measures {
			r := g.measure(m, id, j)
			own = append(own, r)
			t, v := g.values(r["external_id"].(string), "measure_external_id", r["external_id"], m)
			targets, measurements = append(targets, t...), append(measurements, v...)
		}
	}
	return w.bulks(ctx, step{"los/measures", own}, step{"los/targets", targets}, step{"los/measurements", measurements})
}

func (g *generator) area(a area, index int, w *writer, network lines) record {
	r := record{
		"external_id": fmt.Sprintf("%s-Q-%02d", g.prefix, index+1), "name": g.text(a.french, a.english),
		"code":     fmt.Sprintf("%s-%02d", g.text("NS", "LOS"), index+1),
		"category": a.category, "service_statement_fr": a.promise[0], "service_statement": a.promise[1],
	}
	if a.connected > 0 {
		r["properties_connected"] = a.connected
	}
	if a.approach[0] != "" {
		r["condition_approach_fr"], r["condition_approach"] = a.approach[0], a.approach[1]
	}
	if len(g.managers) > 0 {
		r["owner_user_id"] = g.managers[index%len(g.managers)]
	}
	r["site_ids"] = idsWhere(w, g.data.sites, "site_type", a.siteTypes)
	r["building_ids"] = idsWhere(w, g.data.buildings, "building_type", a.buildingTypes)
	r["network_ids"] = idsWhere(w, network.networks, "asset_class", a.networks)
	return r
}

// idsWhere gives the ids of the records whose field has one of the values.
func idsWhere(w *writer, records []record, field string, values []string) []string {
	ids := []string{}
	for _, r := range records {
		if slices.Contains(values, fmt.Sprint(r[field])) {
			ids = append(ids, w.id(r["external_id"].(string)))
		}
	}
	return ids
}

func (g *generator) measure(m measure, area string, index int) record {
	r := record{
		"external_id": fmt.Sprintf("%s-M-%02d", area, index+1), "service_area_external_id": area, "name": g.text(m.french, m.english),
		"measure_type": "technical",
		"value_kind":   m.kind, "unit": m.unit, "direction": m.direction, "attribute": m.attribute, "weight": 1 + g.random.IntN(3),
	}
	if m.metric != "" {
		r["data_source"], r["computed_metric"] = "computed", m.metric
	}
	return r
}

// templateMeasure is a measure that a template has put into an area, now or at an earlier start.
type templateMeasure struct {
	ID            string `json:"id"`
	RegulationRef string `json:"regulation_ref"`
}

func (w *writer) applyTemplate(ctx context.Context, area, language string) ([]templateMeasure, error) {
	var applied struct {
		Data    []templateMeasure `json:"data"`
		Skipped []templateMeasure `json:"skipped_measures"`
	}
	err := w.api.do(ctx, http.MethodPost, "/v1/los/service-areas/"+area+"/apply-template", record{"language": language}, &applied)
	return append(applied.Data, applied.Skipped...), err
}

// regulated gives the targets and measurements of one of the regulation's measures.
func (g *generator) regulated(m templateMeasure) (targets, measurements []record) {
	_, place, _ := strings.Cut(m.RegulationRef, "588/17, ")
	key := g.prefix + "-R-" + strings.NewReplacer(", ", "-", " ", "-").Replace(strings.ToLower(place))
	if values, technical := regulatedValues[place]; technical {
		return g.values(key, "measure_id", m.ID, values)
	}
	text := g.text("Décrit au plan de gestion des actifs, section 4; cartes en annexe.",
		"Described in the asset management plan, section 4; maps in its appendix.")
	return nil, []record{{
		"external_id": key + "-V", "measure_id": m.ID, "period_start": fmt.Sprintf("%d-01-01", g.year()-1),
		"period_end": fmt.Sprintf("%d-12-31", g.year()-1),
		"value_text": text, "evidence_url": "https://" + g.domain() + "/" + g.text("plan-gestion-actifs", "asset-management-plan") + ".pdf",
	}}
}

// domain is that of the organization's e-mail addresses.
func (g *generator) domain() string {
	_, domain, _ := strings.Cut(g.administrator.email, "@")
	return domain
}

// values gives a target for each year, a proposed one ahead, and five years of measurements that move from one value to
// the other.
func (g *generator) values(key, reference string, id any, m measure) (targets, measurements []record) {
	decimals := 1
	switch {
	case m.kind == "count":
		decimals = 0
	case math.Abs(m.to) < 0.01:
		decimals = 5
	case math.Abs(m.to) < 1:
		decimals = 3
	}
	for i := range 6 {
		year := g.year() - 4 + i
		targets = append(targets, record{
			"external_id": fmt.Sprintf("%s-T%d", key, year), reference: id, "year": year, "kind": "current", "target_value": m.target,
			"rationale": g.text("Niveau que le budget de renouvellement permet de maintenir.", "The level that the renewal budget can keep."),
		})
	}
	better := 1.0
	if m.to < m.from && m.target < m.to {
		better = -1
	}
	targets = append(targets, record{"external_id": key + "-TP", reference: id, "year": g.year() + 5, "kind": "proposed",
		"target_value": round(m.target*(1+0.05*better), decimals)})
	for i := range 5 {
		year := g.year() - 5 + i
		value := m.from + (m.to-m.from)*float64(i)/4
		if i > 0 && i < 4 {
			value += (m.to - m.from) * 0.12 * g.random.NormFloat64()
		}
		measurements = append(measurements, record{
			"external_id": fmt.Sprintf("%s-V%d", key, year), reference: id, "period_start": fmt.Sprintf("%d-01-01", year),
			"period_end": fmt.Sprintf("%d-12-31", year), "value": round(value, decimals),
		})
	}
	return targets, measurements
}
