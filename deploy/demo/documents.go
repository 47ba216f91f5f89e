package demo

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// document is a file on a record: a photo, a manual.
type document struct {
	fields   record
	on       record   // in the collection that fields names
	also     []record // assets that it is on besides
	file     string
	contents [][]byte // the oldest first
	revised  string   // why there are later ones
	held     bool     // under a legal hold
}

// photographed is how many deficiencies have a photo.
const photographed = 5

// documents are photos and papers of the organization's places, and of what was found and done there.
func (g *generator) documents(done work, maintained upkeep) []document {
	var all []document
	// What put gives is valid until it is called again.
	put := func(collection string, on record, file string, fields record, contents ...[]byte) *document {
		fields["external_id"], fields["collection"] = fmt.Sprintf("%s-D-%03d", g.prefix, len(all)+1), collection
		all = append(all, document{fields: fields, on: on, file: file, contents: contents})
		return &all[len(all)-1]
	}
	photo := func(collection string, on record, title, captionFR, captionEN string, content []byte) {
		put(collection, on, fmt.Sprintf("photo-%d.jpg", len(all)+1), record{"kind": "photo", "language": "zxx", "title": title,
			"caption_fr": captionFR, "caption_en": captionEN, "is_primary": true}, content)
	}
	for _, building := range g.data.buildings[:3] {
		photo("buildings", building, fmt.Sprint(building["name"]), "Façade principale, vue de la rue",
			"Main elevation from the street", g.facade())
	}
	units := g.unitsOfOneModel()
	for _, asset := range units[:2] {
		photo("assets", asset, g.text("Plaque signalétique", "Nameplate"), "Plaque avec le numéro de série", "Nameplate with the serial number",
			g.nameplate())
	}
	found := func(finding record) {
		title := fmt.Sprint(finding["title"])
		photo("deficiencies", finding, title, "Constaté sur place", "As found on site", g.finding(title))
	}
	found(maintained.deficiencies[0])
	order := done.orders[0]
	photo("work_orders", order, g.text("Après les travaux", "After the work"), "Après la réparation", "After the repair", g.nameplate())

	paper := func(collection string, on record, kind, title, captionFR, captionEN string, lines ...string) *document {
		return put(collection, on, kind+".pdf", record{"kind": kind, "language": g.text("fr", "en"), "title": title, "caption_fr": captionFR,
			"caption_en": captionEN}, pdf(title, lines...))
	}
	unit, building := units[0], g.data.buildings[0]
	model := fmt.Sprint(unit["manufacturer"], " ", unit["model"])
	manual := paper("assets", unit, "manual", g.text("Manuel d'entretien, ", "Maintenance manual, ")+model, "Manuel d'entretien du fabricant",
		"Maintenance manual of the maker", g.text("Nettoyer et inspecter une fois par an.", "Clean and inspect once a year."))
	manual.also = units[1:]
	warranty := paper("assets", unit, "warranty", g.text("Garantie de cinq ans", "Five-year warranty"), "Pièces et main-d'œuvre",
		"Parts and labour", model, fmt.Sprint(unit["serial_number"]))
	warranty.fields["issued_on"], warranty.fields["expires_on"] = g.date(-600), g.date(1226)
	warranty.fields["retention_class_external_id"] = g.prefix + "-RC-01"
	floor := g.text("Plan du rez-de-chaussée", "Ground floor plan")
	plan := paper("buildings", building, "drawing", floor, "Rez-de-chaussée, relevé", "Ground floor, as built",
		g.text("Révision 1", "Revision 1"))
	plan.fields["document_number"] = g.prefix + "-ARC-DR-0001"
	plan.revised = g.text("Relevé après travaux", "Survey after the work")
	plan.contents = append(plan.contents, pdf(floor, g.text("Révision 2", "Revision 2"), plan.revised))
	report := paper("buildings", building, "inspection_report", g.text("Rapport après un dégât d'eau", "Report after water damage"),
		"Constats après un dégât d'eau", "Findings after water damage", fmt.Sprint(building["name"]))
	report.fields["issued_on"], report.held = g.date(-200), true
	for _, finding := range maintained.deficiencies[1:photographed] {
		found(finding)
	}
	return all
}

// unitsOfOneModel are a few assets for which there is one manual.
func (g *generator) unitsOfOneModel() []record {
	const few = 4
	units := map[any][]record{}
	for _, asset := range g.data.assets {
		model := asset["model"]
		if model == nil || asset["status"] != "in_service" {
			continue
		}
		if units[model] = append(units[model], asset); len(units[model]) == few {
			return units[model]
		}
	}
	panic("demo: " + g.name + " has too few assets of any model")
}

// writeDocuments writes documents and the contents that they do not have yet.
func (w *writer) writeDocuments(ctx context.Context, b blueprint, all []document) error {
	var drafts []record
	for _, d := range all {
		d.fields["record_id"] = w.id(fmt.Sprint(d.on["external_id"]))
		drafts = append(drafts, d.fields)
	}
	if err := w.bulks(ctx, step{"retention-classes", []record{{"external_id": b.prefix + "-RC-01", "code": "G-05", "name": "Warranties",
		"name_fr": "Garanties", "trigger": "expires", "years": 5}}}, step{"documents", drafts}); err != nil {
		return err
	}
	links, held := parts{}, []string{}
	for _, d := range all {
		external := fmt.Sprint(d.fields["external_id"])
		if err := w.upload(ctx, "/v1/documents/"+w.id(external), d); err != nil {
			return err
		}
		if d.held {
			held = append(held, w.id(external))
		}
		for _, asset := range d.also {
			links.add(external, record{"external_id": external, "collection": "assets", "record_id": w.id(fmt.Sprint(asset["external_id"]))})
		}
	}
	if err := w.writeParts(ctx, "documents", part{"links", links}); err != nil {
		return err
	}
	return w.bulks(ctx, step{"legal-holds", []record{{"external_id": b.prefix + "-LH-01", "name": b.text("Réclamation pour dégât d'eau",
		"Water damage claim"), "reason": b.text("L'assureur demande le rapport.", "The insurer asks for the report."), "document_ids": held}}})
}

// upload sends the contents that a document does not have yet, each as a revision.
func (w *writer) upload(ctx context.Context, path string, d document) error {
	var existing struct {
		Status   string `json:"status"`
		Revision int    `json:"revision"`
	}
	if err := w.api.do(ctx, http.MethodGet, path, nil, &existing); err != nil || existing.Status == "trashed" {
		return err
	}
	header := http.Header{"Content-Disposition": {`attachment; filename="` + d.file + `"`}}
	for i := existing.Revision; i < len(d.contents); i++ {
		query := ""
		if i > 0 {
			query = "?comment=" + url.QueryEscape(d.revised)
		}
		if err := w.api.send(ctx, http.MethodPost, path+"/revisions"+query, header, d.contents[i], nil); err != nil {
			return err
		}
	}
	return nil
}
