package main

import "context"

// measureOData compares pages in OData with the same pages of the API, by turns in one run: the first thousand
// assets, and those of a filter.
func (b *bench) measureOData(ctx context.Context) error {
	if err := b.awaitFold(ctx); err != nil {
		return err
	}
	for _, pair := range []struct{ name, rest, odata string }{
		{"a page of 1000", "/v1/assets?per_page=1000", "/odata/v4/assets?$top=1000"},
		{"a page of 1000, counted", "/v1/assets?per_page=1000", "/odata/v4/assets?$top=1000&$count=true"},
		{"a page of 1000 of a category", "/v1/assets?category=hvac&per_page=1000", "/odata/v4/assets?$filter=category%20eq%20'hvac'&$top=1000"},
	} {
		var measures []func() (metrics, error)
		for name, path := range map[string]string{"API": pair.rest, "OData": pair.odata} {
			measures = append(measures, load{name: pair.name + ", " + name, url: b.description.BaseURL,
				requests: b.keyed(request{method: "GET", path: path}), callers: 2, seconds: b.seconds, cpu: b.processors()}.in(b.folder))
		}
		results, err := medians(b.rounds, measures...)
		if err != nil {
			return err
		}
		found := map[string]metrics{}
		for _, f := range results {
			found[f.Name] = f
			b.logf("%s: %.0f a second", f.Name, f.PerSecond)
		}
		b.report.add(results...)
		list, odata := found[pair.name+", API"], found[pair.name+", OData"]
		b.report.noFailures(odata)
		b.report.atMost("time of "+pair.name+", in OData ÷ of the API", list.PerSecond/odata.PerSecond, "times", 1.3)
	}
	return nil
}
