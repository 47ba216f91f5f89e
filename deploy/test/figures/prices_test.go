package figures

import (
	"fmt"
	"testing"
)

func TestCostsInPricesOfOneYear(t *testing.T) {
	p := newPortfolio(newOrganization(t), 23)
	p.write()
	index := func(name string, standard bool, categories []string, first int) {
		id := p.o.create("/v1/price-indexes", row{"name": name, "source": "invented", "is_default": standard, "service_categories": categories})
		var values []row
		for year := first; year <= 2026; year++ {
			values = append(values, row{"year": year, "value": float64(500_000+p.random.IntN(1_500_000)) / 10_000})
		}
		p.o.bulk("/v1/price-indexes/"+id+"/values", values)
	}
	index("Buildings", true, []string{}, 2012)
	index("Pipes", false, []string{"water", "wastewater"}, 2015)
	r := newRecount(t)
	r.load(p.lists())
	for _, prices := range []int{0, 2013, 2020, 2031} { // this year's; before the second index; a year of both; after the last value
		q := question{day: today(), horizon: 5, prices: prices}
		r.ask(q)
		checkReports(p.o, r, q, groupings...)
		checkSummaries(p.o, r, q, 20)
	}
}

func TestACostOf1990InPricesOf2026(t *testing.T) {
	o := newOrganization(t)
	index := o.create("/v1/price-indexes", row{"name": "Construction", "is_default": true})
	for year, value := range map[int]float64{1990: 52.1, 2026: 168.4} {
		o.create("/v1/price-indexes/"+index+"/values", row{"year": year, "value": value})
	}
	for cost, want := range map[int]string{100000: "323224.57", 1: "3.23"} {
		site := o.create("/v1/sites", row{"name": fmt.Sprint(cost)})
		o.create("/v1/assets", row{"name": "Pump", "site_id": site, "replacement_cost": cost, "replacement_cost_year": 1990})
		for prices, want := range map[int]string{2026: want, 1990: fmt.Sprint(cost)} {
			expect(t, fmt.Sprintf("%d in prices of %d", cost, prices), o.get(fmt.Sprintf("/v1/sites/%s/summary?prices_of=%d", site, prices)),
				map[string]string{"replacement_cost": want, "prices_of": fmt.Sprint(prices), "indexed_through": "2026", "as_recorded.count": "0"})
		}
	}
	site := o.create("/v1/sites", row{"name": "Without a price year"})
	o.create("/v1/assets", row{"name": "Pump", "site_id": site, "replacement_cost": 5000})
	expect(t, "without a price year", o.get("/v1/sites/"+site+"/summary?prices_of=2026"), map[string]string{"replacement_cost": "5000",
		"as_recorded.count": "1", "as_recorded.cost": "5000"})
}
