package demo

import "testing"

func TestPriceIndexesHaveEveryYearAndRise(t *testing.T) {
	for _, b := range blueprints() {
		index, values := b.priceIndex(2026)
		if index["is_default"] != true || len(values) != 42 || values[0]["year"] != 1985 || values[41]["year"] != 2026 {
			t.Fatalf("%s: %v with %d values", b.name, index, len(values))
		}
		for i := 1; i < len(values); i++ {
			if values[i]["value"].(float64) <= values[i-1]["value"].(float64) {
				t.Errorf("%s: %v follows %v", b.name, values[i], values[i-1])
			}
		}
	}
}
