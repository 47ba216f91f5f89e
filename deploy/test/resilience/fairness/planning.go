package fairness

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// planners orders the longest runs that there are, and asks about one that is done, 20 questions at once. Meanwhile the neighbour asks
// about a run of its own, and orders another.
func planners() attack {
	var own, attackers string // paths of runs: the neighbour's, the attacker's
	var again map[string]any
	return attack{
		name: "20 of the longest runs, and 20 questions at once",
		prepare: func(ctx context.Context, s *suite) (err error) {
			if own, again, err = s.planned(ctx, s.victim, 200); err != nil {
				return err
			}
			s.at = own + "/groups?by=class"
			attackers, _, err = s.planned(ctx, s.attacker, min(2000, s.profile.Assets))
			return err
		},
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			longest, err := s.must(ctx, http.MethodPost, "/v1/planning/scenarios",
				map[string]any{"name": "Longest", "kind": "unlimited", "starts_on": "2027-01-01", "years": 100, "replications": 50})
			for n := 0; n < 20 && err == nil; n++ {
				_, err = s.must(ctx, http.MethodPost, "/v1/planning/runs", map[string]any{"scenario_ids": []string{longest}})
			}
			if err != nil {
				seen.add(response{}, err)
				return
			}
			var neighbour sync.WaitGroup
			var late error
			neighbour.Go(func() { _, late = s.run(ctx, s.victim, again) })
			limited, cancel := context.WithTimeout(ctx, s.profile.During)
			defer cancel()
			var mu sync.Mutex
			together(20, nil, func(i int) (r response, err error) {
				for limited.Err() == nil {
					path := attackers + []string{"/groups?by=site", "/compare", "/interventions?year=2030"}[i%3]
					if r, err = s.send(ctx, request{organization: s.attacker, method: http.MethodGet, path: path}); err == nil {
						mu.Lock()
						seen.add(r, nil)
						mu.Unlock()
					}
				}
				return r, err
			})
			if neighbour.Wait(); late != nil {
				seen.add(response{}, fmt.Errorf("the neighbour's run: %w", late))
			}
		},
	}
}

// planned has an organization plan so many assets, and gives the path of a run that is done and the body that orders another.
func (s *suite) planned(ctx context.Context, of *load.Organization, assets int) (path string, run map[string]any, err error) {
	var made string
	create := func(path string, body map[string]any) string {
		if err == nil {
			made, err = s.mustAs(ctx, of, http.MethodPost, path, body)
		}
		return made
	}
	for first := 0; first < assets; first += 500 {
		rows := make([]map[string]any, min(500, assets-first))
		for i := range rows {
			rows[i] = map[string]any{"name": "Pompe", "uniformat_code": "D2010", "replacement_cost": 1000 + i, "install_date": "2001-05-01",
				"expected_useful_life_years": 20 + i%20}
		}
		if err := s.bulkAs(ctx, of, "/v1/assets/bulk", rows); err != nil {
			return "", nil, err
		}
	}
	model := create("/v1/planning/deterioration-models", map[string]any{"name": "Curve", "kind": "curve"})
	class := create("/v1/planning/asset-classes", map[string]any{"name": "Pumps", "service_category": "facilities", "applies_to": "asset",
		"model_id": model, "match": []map[string]any{{"uniformat_code": "D2010"}}})
	replacement := create("/v1/planning/treatments", map[string]any{"name": "Replacement", "asset_class_id": class, "kind": "replacement",
		"cost_basis": "pct_of_replacement", "cost": 100, "trigger": map[string]any{"condition_max": 40}})
	create("/v1/planning/strategies",
		map[string]any{"name": "Replace", "asset_class_id": class, "treatment_ids": []string{replacement}, "is_default": true})
	scenario := create("/v1/planning/scenarios", map[string]any{"name": "All", "kind": "unlimited", "starts_on": "2027-01-01", "years": 25})
	if err != nil {
		return "", nil, err
	}
	run = map[string]any{"scenario_ids": []string{scenario}}
	path, err = s.run(ctx, of, run)
	return path, run, err
}

// run orders a run, and waits until it is completed.
func (s *suite) run(ctx context.Context, of *load.Organization, body map[string]any) (path string, err error) {
	id, err := s.mustAs(ctx, of, http.MethodPost, "/v1/planning/runs", body)
	if err != nil {
		return "", err
	}
	path = "/v1/planning/runs/" + id
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(200 * time.Millisecond) {
		r, err := s.send(ctx, request{organization: of, method: http.MethodGet, path: path})
		if err != nil {
			return "", err
		}
		var record struct{ State string }
		if err := json.Unmarshal(r.body, &record); err != nil || record.State == "failed" {
			return "", fmt.Errorf("%d %.300s", r.status, r.body)
		}
		if record.State == "completed" {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not completed after 2 minutes", strings.TrimPrefix(path, "/v1"))
}
