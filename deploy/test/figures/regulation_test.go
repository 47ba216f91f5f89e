package figures

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"testing"
)

//go:embed regulation.sql
var regulationSQL string

// regulation is a database of its own in which the tables of O. Reg. 588/17 of a run are computed a second time.
type regulation struct {
	*recount
	town *organization
	path string // of the run
}

func newRegulation(t *testing.T, town *organization, path string, scenarios []string) *regulation {
	t.Helper()
	r := &regulation{newRecount(t), town, path}
	r.exec(regulationSQL)
	for _, code := range scenarios {
		r.fill("intervention", town.stream(path+"/interventions/export?scenario="+code), map[string]any{"scenario": code})
	}
	r.fill("class", town.stream("/v1/planning/asset-classes"), nil)
	return r
}

// fill adds lines of JSON to a table, by the names of its columns, with values that are in each.
func (r *regulation) fill(table string, lines []string, values map[string]any) {
	r.t.Helper()
	more, err := json.Marshal(values)
	if err != nil {
		r.t.Fatal(err)
	}
	if values == nil {
		more = []byte("{}")
	}
	r.exec("INSERT INTO "+table+" SELECT r.* FROM unnest($1::text[]) line, jsonb_populate_record(NULL::"+table+", line::jsonb || $2::jsonb) r",
		lines, string(more))
}

// check holds a section's tables against what they are computed to be.
func (r *regulation) check(section int, levels, funded string) {
	r.t.Helper()
	query := "current=" + levels
	if section == 6 {
		query = "proposed=" + levels + "&funded=" + funded
	}
	tables := r.town.get(fmt.Sprintf("%s/regulation?section=%d&%s", r.path, section, query))
	r.exec("TRUNCATE asked_tables, fund, available")
	r.exec("INSERT INTO asked_tables VALUES ($1, $2, $3)", int(tables["levels_of"].(float64)), levels, funded)
	r.compare(tables, "years", []string{"category", "year"}, "years WHERE split_part(key, ' ', 2)::int > (SELECT first FROM asked_tables)")
	r.compare(tables, "first_year", []string{"category", "year"},
		"years WHERE split_part(key, ' ', 2)::int = (SELECT first FROM asked_tables)")
	r.compare(tables, "options", []string{"scenario"}, "options")
	if section == 5 {
		return
	}
	scenario := found(r.t, r.town.get("/v1/planning/scenarios?code=" + funded)["data"].([]any), "code", funded)
	for _, each := range scenario["funds"].([]any) {
		fund := each.(map[string]any)
		first := fund["amounts"].([]any)[0].(map[string]any)
		categories, err := json.Marshal(fund["categories"])
		if err != nil {
			r.t.Fatal(err)
		}
		r.exec("INSERT INTO fund VALUES ($1, $2, coalesce(nullif($3::jsonb, 'null'), '[]'), $4, $5, $6)",
			fund["code"], fund["source_type"], string(categories), shown(fund, "growth_pct"), int(first["year"].(float64)), shown(first, "amount"))
	}
	r.checkCarried(tables, scenario)
	r.compare(tables, "funds", []string{"fund", "year"}, "money")
	r.compare(tables, "totals", []string{"year"}, "totals")
	r.compare(tables, "not_done", []string{"category", "risk"}, "not_done")
}

// checkCarried follows each fund from year to year: what is carried is what the year before has left, and all spend what the scenario does.
func (r *regulation) checkCarried(tables, scenario row) {
	r.t.Helper()
	left, spent := map[string]*big.Rat{}, map[string]*big.Rat{}
	for _, each := range tables["funds"].([]any) {
		fund := each.(map[string]any)
		code, year := fund["fund"].(string), shown(fund, "year")
		available := new(big.Rat).Add(exact(r.t, shown(fund, "amount")), exact(r.t, shown(fund, "carried")))
		carries := found(r.t, scenario["funds"].([]any), "code", code)["carry_over"] == true
		if want := left[code]; available.Cmp(exact(r.t, shown(fund, "available"))) != 0 ||
			want != nil && want.Cmp(exact(r.t, shown(fund, "carried"))) != 0 {
			r.t.Errorf("the year before left %v of %v", want, fund)
		}
		left[code] = new(big.Rat)
		if carries {
			left[code].Sub(available, exact(r.t, shown(fund, "spent")))
		}
		if spent[year] == nil {
			spent[year] = new(big.Rat)
		}
		spent[year].Add(spent[year], exact(r.t, shown(fund, "spent")))
		r.exec("INSERT INTO available VALUES ($1, $2, $3)", code, int(fund["year"].(float64)), shown(fund, "available"))
	}
	given := map[string]*big.Rat{}
	for _, each := range tables["years"].([]any) {
		year := shown(each, "year")
		if given[year] == nil {
			given[year] = new(big.Rat)
		}
		given[year].Add(given[year], exact(r.t, shown(each, "given")))
	}
	for year, amount := range spent {
		if given[year] == nil || amount.Cmp(given[year]) != 0 {
			r.t.Errorf("%s: the funds spend %s, the categories are given %v", year, amount.FloatString(2), given[year])
		}
	}
}

// compare holds a table of the answer, whose rows are known by some fields, against what a view gives for each.
func (r *regulation) compare(tables row, name string, by []string, view string) {
	r.t.Helper()
	want := r.figures(view)
	rows := tables[name].([]any)
	if len(rows) != len(want) || len(rows) == 0 {
		r.t.Errorf("%s: %d rows, %d are computed", name, len(rows), len(want))
	}
	for _, each := range rows {
		key := ""
		for i, field := range by {
			if i > 0 {
				key += " "
			}
			key += shown(each, field)
		}
		for field, computed := range want[key] {
			got := shown(each, field)
			if _, err := strconv.ParseFloat(computed, 64); err == nil && got != "null" {
				if exact(r.t, got).Cmp(exact(r.t, computed)) != 0 {
					r.t.Errorf("%s, %s: %s is %s, computed %s", name, key, field, got, computed)
				}
			} else if got != computed {
				r.t.Errorf("%s, %s: %s is %s, computed %s", name, key, field, got, computed)
			}
		}
		if want[key] == nil {
			r.t.Errorf("%s: %v is not computed", name, each)
		}
	}
}
