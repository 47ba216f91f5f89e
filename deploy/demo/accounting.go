package demo

import (
	"context"
	"fmt"
	"net/http"
	"time"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/cmd/amsctl/adoption"
	"ams.internal/libs/calendar"
	"ams.internal/services/accounting/ledger"
)

// books are the ledger of an organization in its first two years, besides what is adopted of the register.
type books struct {
	classes, capitalAssets, entries []record
	links                           parts
	rules                           []adoption.Rule // what is adopted
	threshold                       float64         // of what is adopted
}

// years are the two fiscal years of the ledger: the one before the year of the writing, which is closed in the end, and that one.
type years struct {
	first, second year
	today         time.Time
	state         string // of the first; empty where the ledger is somebody's own
}

type year struct{ start, end time.Time }

// adoptedCodes are what is adopted of the register, by the beginning of the uniformat_code: elevators, heating and
// cooling, electricity, ice.
var adoptedCodes = []string{"D10", "D30", "D50", "F10"}

// books makes them, with an entry of each type.
func (g *generator) books(y years) books {
	b := books{links: parts{}, threshold: 100_000}
	if len(g.data.assets) < 2000 {
		b.threshold = 50_000
	}
	for _, code := range adoptedCodes {
		b.rules = append(b.rules, adoption.Rule{UniformatCode: code, Class: "MEC"})
	}
	b.classes = g.accountingClasses(b.threshold)
	number := 0
	asset := func(french, english, class string, more record) (external string, post func(kind string, on time.Time, more record)) {
		number++
		external = fmt.Sprintf("%s-TCA-%02d", g.prefix, number)
		r := record{"external_id": external, "name": g.text(french, english), "class_external_id": g.prefix + "-TCA-" + class}
		for name, value := range more {
			r[name] = value
		}
		b.capitalAssets = append(b.capitalAssets, r)
		return external, func(kind string, on time.Time, more record) {
			if on.After(y.today) {
				on = y.today
			}
			e := record{"external_id": fmt.Sprintf("%s-TCA-E-%02d", g.prefix, len(b.entries)+1), "capital_asset_external_id": external, "type": kind,
				"effective_on": on.Format(time.DateOnly)}
			for name, value := range more {
				e[name] = value
			}
			b.entries = append(b.entries, e)
		}
	}
	link := func(external, kind string, target any) {
		b.links.add(external, record{"external_id": external + "-L", "target_type": kind, "target_id": target})
	}
	first := func(days int) time.Time { return y.first.start.AddDate(0, 0, days) }
	second := func(days int) time.Time { return y.second.start.AddDate(0, 0, days) }

	land, post := asset("Terrains du centre", "Central lands", "LAND", record{"service_category": "facilities"})
	link(land, "site", g.data.sites[0]["external_id"])
	post("opening", first(0), record{"amount": 1_850_000, "in_service_on": "1998-06-30"})
	post("disposal", second(40),
		record{"share_pct": 10, "proceeds": 240_000, "memo": g.text("Lisière vendue au voisin", "A strip sold to the neighbour")})

	old, post := asset("Bâtiment principal", "Main building", "BLDG", record{"service_category": "facilities"})
	link(old, "building", g.data.buildings[0]["external_id"])
	post("opening", first(0), record{"amount": 4_200_000, "in_service_on": "2004-09-01",
		"accumulated_amortization": y.first.amortized(4_200_000, "2004-09-01", buildingLife)})
	post("betterment", first(200), record{"amount": 380_000, "added_life_years": 5, "memo": g.text("Nouvelle enveloppe", "New envelope")})
	post("adjustment", second(10),
		record{"cost_change": -3_500, "memo": g.text("Taxes récupérées de l'an dernier", "Last year's taxes recovered")})

	wing, post := asset("Agrandissement", "Addition", "BLDG", record{"service_category": "facilities", "acquisition": "constructed"})
	link(wing, "building", g.data.buildings[1]["external_id"])
	post("construction", first(45), record{"amount": 1_200_000, "memo": g.text("Décomptes 1 à 4", "Payments 1 to 4")})
	post("construction", first(150), record{"amount": 850_000, "memo": g.text("Décompte final", "Last payment")})
	post("in_service", first(240), record{"amount": 2_050_000})
	post("betterment", second(25), record{"amount": 16_000, "memo": g.text("Facture tardive", "A late invoice")})

	park, post := asset("Aire de jeux", "Playground", "SITE", record{"service_category": "parks_recreation", "acquisition": "contributed"})
	link(park, "site", g.data.sites[1]["external_id"])
	post("contribution", first(170), record{"amount": 500_000, "memo": g.text("Cédée par le promoteur", "Given by the developer")})

	_, post = asset("Ordinateurs portables", "Laptops", "IT", record{"quantity": 100, "service_category": "facilities"})
	post("acquisition", first(30), record{"amount": 150_000})
	post("disposal", first(270), record{"quantity": 10, "memo": g.text("Volés", "Stolen")})

	_, post = asset("Camion à benne", "Dump truck", "VEH", record{"service_category": "fleet"})
	post("acquisition", first(80), record{"amount": 310_000})
	post("estimate", second(15),
		record{"useful_life_years": 15, "memo": g.text("Dure plus longtemps que prévu", "Lasts longer than expected")})
	post("write_down", second(60), record{"amount": 40_000, "memo": g.text("Accident", "Accident")})

	_, post = asset("Génératrice mobile", "Mobile generator", "VEH", record{"service_category": "facilities"})
	post("acquisition", first(100), record{"amount": 95_000})
	post("transfer", first(220), record{"to_class_external_id": g.prefix + "-TCA-MEC"})
	return b
}

// buildingLife is that of the class of buildings, in years.
const buildingLife = 40

// amortized is what was amortized of a building before the ledger began.
func (y year) amortized(cost int, service string, life int) float64 {
	day, err := time.Parse(time.DateOnly, service)
	if err != nil {
		panic(err)
	}
	asset, err := ledger.Asset{Convention: ledger.HalfYear, Amortized: true, Life: 12 * life}.BroughtForward(ledger.Cents(100*cost), day,
		ledger.Year{First: y.start, Last: y.end})
	if err != nil {
		panic(err)
	}
	return float64(asset.Accumulated()) / 100
}

// accountingClasses are the classes, with their accounts in the general ledger.
func (g *generator) accountingClasses(threshold float64) []record {
	class := func(code, french, english, category string, account int, more record) record {
		r := record{"external_id": g.prefix + "-TCA-" + code, "code": code, "name": g.text(french, english), "category": category,
			"accounts": record{
				"asset": fmt.Sprintf("1-%d0", account), "clearing": "2-2900", "gain_loss": "4-4900"}}
		accounts := r["accounts"].(record)
		if more["method"] == nil {
			accounts["accumulated_amortization"], accounts["amortization_expense"] = fmt.Sprintf("1-%d9", account), fmt.Sprintf("5-6%d", account)
			accounts["work_in_progress"], accounts["write_down"], accounts["contributed_revenue"] = "1-1990", "5-6900", "4-4500"
		}
		for name, value := range more {
			r[name] = value
		}
		return r
	}
	return []record{
		class("LAND", "Terrains", "Land", "land", 150, record{"method": "none"}),
		class("SITE", "Aménagements", "Land improvements", "land_improvements", 151, record{"useful_life_years": 20, "convention": "full_year"}),
		class("BLDG", "Bâtiments", "Buildings", "buildings", 152, record{"useful_life_years": buildingLife, "capitalization_threshold": 10_000}),
		class("MEC", "Équipements mécaniques et électriques", "Mechanical and electrical equipment", "machinery_equipment", 153,
			record{"useful_life_years": 20, "capitalization_threshold": threshold}),
		class("VEH", "Véhicules", "Vehicles", "vehicles", 154, record{"useful_life_years": 12, "capitalization_threshold": 25_000}),
		class("IT", "Informatique", "Information technology", "information_technology", 155,
			record{"useful_life_years": 5, "convention": "month", "pooled": true, "remove_when_amortized": true}),
	}
}

// openYears opens the fiscal year before that of today and that one, and gives them.
func (w *writer) openYears(ctx context.Context, b blueprint) (y years, err error) {
	own := calendar.Calendar{TimeZone: b.timeZone, FiscalYearEndMonth: b.fiscalYearEnd}
	first := own.FiscalYear(own.Today()) - 1
	var list struct {
		Data []struct {
			FiscalYear  int    `json:"fiscal_year"`
			PeriodStart string `json:"period_start"`
			PeriodEnd   string `json:"period_end"`
			State       string `json:"state"`
		} `json:"data"`
	}
	read := func() error {
		return w.api.do(ctx, http.MethodGet, "/v1/accounting/fiscal-years?sort=fiscal_year&per_page=2", nil, &list)
	}
	if err := read(); err != nil {
		return y, err
	}
	if len(list.Data) == 0 {
		opened := []record{{"external_id": fmt.Sprintf("%s-FY-%d", b.prefix, first), "fiscal_year": first},
			{"external_id": fmt.Sprintf("%s-FY-%d", b.prefix, first+1), "fiscal_year": first + 1}}
		if _, err := w.bulk(ctx, "accounting/fiscal-years", opened); err != nil {
			return y, err
		}
		if err := read(); err != nil {
			return y, err
		}
	}
	if len(list.Data) != 2 {
		return y, nil
	}
	y.state = list.Data[0].State
	for i, into := range []*year{&y.first, &y.second} {
		if into.start, err = time.Parse(time.DateOnly, list.Data[i].PeriodStart); err != nil {
			return y, err
		}
		if into.end, err = time.Parse(time.DateOnly, list.Data[i].PeriodEnd); err != nil {
			return y, err
		}
	}
	y.today, err = time.Parse(time.DateOnly, own.Today())
	return y, err
}

// writeBooks begins the ledger with what is adopted of the register, posts what happened in two years, and closes the first of them.
func (w *writer) writeBooks(ctx context.Context, g *generator) error {
	y, err := w.openYears(ctx, g.blueprint)
	switch {
	case err != nil:
		return err
	case y.state == "closing":
		return w.awaitClose(ctx, y.first)
	case y.state != "open": // closing it comes last
		return nil
	}
	b := g.books(y)
	if err := w.bulks(ctx, step{"accounting/classes", b.classes}, step{"accounting/capital-assets", b.capitalAssets}); err != nil {
		return err
	}
	for _, links := range b.links {
		for _, link := range links {
			link["target_id"] = w.id(link["target_id"].(string))
		}
	}
	if err := w.writeParts(ctx, "accounting/capital-assets", part{"links", b.links}); err != nil {
		return err
	}
	if _, err := w.bulk(ctx, "accounting/transactions", b.entries); err != nil {
		return err
	}
	result, err := adoption.Run(ctx, ams.NewClient(w.api.base, w.api.token), adoption.Job{Rules: b.rules, FiscalYear: y.first.number(),
		LeftOut: func(*adoption.Asset, string) error { return nil }, Progress: func(int, int) {}})
	if err == nil && result.Rejected > 0 {
		err = fmt.Errorf("%d assets cannot be adopted", result.Rejected)
	}
	if err != nil {
		return err
	}
	w.written.add("accounting/capital-assets", result.Opened)
	if err := w.api.do(ctx, http.MethodPost, y.first.closePath(), record{}, nil); err != nil {
		return err
	}
	return w.awaitClose(ctx, y.first)
}

// number is the calendar year in which a fiscal year begins.
func (y year) number() int { return y.start.Year() }

// closePath is where a fiscal year is closed.
func (y year) closePath() string {
	return fmt.Sprintf("/v1/accounting/fiscal-years/%d/close", y.number())
}

// awaitClose waits until a fiscal year is closed.
func (w *writer) awaitClose(ctx context.Context, y year) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		var job struct {
			State string `json:"state"`
		}
		if err := w.api.do(ctx, http.MethodGet, y.closePath(), nil, &job); err != nil {
			return err
		}
		switch job.State {
		case "done":
			return nil
		case "failed":
			return fmt.Errorf("the fiscal year %d cannot be closed", y.number())
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
