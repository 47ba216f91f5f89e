package figures

import (
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"ams.internal/libs/testnight"
)

// evaluations are of the shape and size of a year of the City of Toronto's apartment building evaluations, by day of a part of it: 1,760
// buildings in 25 wards, each with a score and some fifty components, of which the whole is one asset here and is assessed as such.
var evaluations = testnight.Rounds(400, 1760)

// wards are the sites of the evaluated buildings; buildings has each with one asset, rated as the register says.
func writeEvaluations(o *organization) (assets []string) {
	sites := make([]row, 25)
	for i := range sites {
		sites[i] = row{"external_id": fmt.Sprintf("toronto-ward-%d", i+1), "name": fmt.Sprintf("Ward %d", i+1), "ward": fmt.Sprint(i + 1),
			"site_type": "housing"}
	}
	o.bulk("/v1/sites", sites)
	buildings := make([]row, evaluations)
	for i := range buildings {
		buildings[i] = row{"external_id": fmt.Sprintf("toronto-building-%d", i), "site_external_id": fmt.Sprintf("toronto-ward-%d", 1+i%25),
			"name": fmt.Sprintf("%d RUE DE L'ÉGLISE", i), "building_type": "housing", "year_built": 1920 + i%90}
	}
	o.bulk("/v1/buildings", buildings)
	return o.bulk("/v1/assets", register(0), "update")
}

// register is what the nightly job sends of each building: name, place and a rating of its own, another one each night.
func register(night int) []row {
	assets := make([]row, evaluations)
	for i := range assets {
		assets[i] = row{"external_id": fmt.Sprintf("toronto-whole-%d", i), "building_external_id": fmt.Sprintf("toronto-building-%d", i),
			"name": "Whole building", "condition_rating": 1 + (i+night)%5, "replacement_cost": 1_000_000 + 1_000*i + night}
	}
	return assets
}

// evaluated is the rating of a building's evaluation: scores of 0 to 3, stretched over 5 to 1.
func evaluated(i int) int { return []int{5, 4, 2, 1}[(i*7)%4] }

func TestNightlyUpsertsLoseNoAssessedRating(t *testing.T) {
	o := newOrganization(t)
	assets := writeEvaluations(o)
	assessments := make([]row, len(assets))
	for i := range assessments {
		assessments[i] = row{"assessed_on": "2026-07-06", "condition_rating": evaluated(i), "method": "detailed"}
	}
	var inspectors errgroup.Group
	for n := range 4 {
		inspector := o.colleague()
		inspectors.Go(func() error {
			for i := n; i < len(assets); i += 4 {
				answer, err := inspector.try("POST", "/v1/assets/"+assets[i]+"/condition-assessments", assessments[i])
				if err != nil || answer.Status != 201 {
					return fmt.Errorf("assessment %d: %w, %d: %s", i, err, answer.Status, answer.Body)
				}
			}
			return nil
		})
	}
	if err := inspectors.Wait(); err != nil {
		t.Fatal(err)
	}
	rated := func(when string) {
		t.Helper()
		lost := 0
		for _, line := range o.stream("/v1/assets") {
			asset := decoded(t, line).(row)
			var i int
			if _, err := fmt.Sscanf(asset["external_id"].(string), "toronto-whole-%d", &i); err != nil {
				t.Fatal(err)
			}
			if shown(asset, "condition_rating") != fmt.Sprint(evaluated(i)) || asset["condition_assessed_on"] != "2026-07-06" {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%s: %d of %d assessed ratings are lost", when, lost, len(assets))
		}
	}
	rated("assessed")
	for night := 1; night <= 3; night++ {
		o.bulk("/v1/assets", register(night), "update")
		rated(fmt.Sprintf("after night %d", night))
	}
	r := newRecount(t)
	r.load(o.lists(false))
	q := question{day: today(), horizon: 5}
	r.ask(q)
	checkReports(o, r, q, groupings...)
	checkSummaries(o, r, q, 25)
}
