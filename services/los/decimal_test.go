package los

import "testing"

func TestNumbersAreRoundedHalfAwayFromZero(t *testing.T) {
	for _, c := range []struct {
		number   float64
		decimals int
		want     float64
	}{{1.005, 2, 1.01}, {0.00035, 4, 0.0004}, {2.675, 2, 2.68}, {-1.005, 2, -1.01}, {0.00004999, 4, 0}, {37.5, 2, 37.5}, {1e-9, 4, 0}} {
		if got := rounded(exact(c.number), c.decimals); got != c.want {
			t.Errorf("%v to %d decimals is %v, want %v", c.number, c.decimals, got, c.want)
		}
	}
}

// 0.00465 of 1 is 0.465 %, rounded 0.47; in binary fractions it would be less than that half.
func TestAttainmentIsOfExactWeights(t *testing.T) {
	for _, c := range []struct {
		weights []float64 // of measures that are met, but for the last, which is missed
		want    float64
	}{{[]float64{0.1, 0.7, 0.8}, 50}, {[]float64{1.1, 6.9}, 13.75}, {[]float64{0.00465, 0.99535}, 0.47}} {
		card := Scorecard{}
		for i, weight := range c.weights {
			attainment := "met"
			if i == len(c.weights)-1 {
				attainment = "missed"
			}
			card.Measures = append(card.Measures, ScorecardMeasure{Attainment: attainment, Weight: weight})
		}
		if card.count(); card.AttainmentPct == nil || *card.AttainmentPct != c.want {
			t.Errorf("of %v %v %% are met, want %v", c.weights, *card.AttainmentPct, c.want)
		}
	}
}
