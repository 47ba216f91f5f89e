package e2e

import (
	"testing"
)

// Independent libraries verify real deliveries: standardwebhooks of npm and the standard's own for Go, each in a program of
// its own, by the endpoint's secret, by the old and the new one while it is replaced, and by the new one alone afterwards.
func TestReceiversVerifyRealDeliveriesAlsoWhileTheSecretIsReplaced(t *testing.T) {
	t.Parallel()
	c := fresh(t, city)
	tee := newHook(t)
	id, first := subscribe(t, c, tee.url, nil, "site.*")
	receivers := map[string]*program{"node, first secret": startReceiver(t, "node", first), "go, first secret": startReceiver(t, "go", first)}
	// every delivery, to all receivers, and what each must say of it
	change := func(name string, want map[string]string) {
		t.Helper()
		site := c.create(t, "/v1/sites", map[string]any{"name": name})
		call := tee.await(t, "the delivery of "+name, of("site.created", site))
		for which, outcome := range want {
			receivers[which].pass(t, call)
			receivers[which].await(t, outcome+" ("+which+", "+name+")", func(l line) bool {
				if outcome == "refused" {
					return l.Outcome == "refused"
				}
				return l.Outcome == outcome && l.Record == site && l.Type == "site.created" && l.Version == 1 && l.ID == call.header.Get("webhook-id")
			})
		}
	}
	change("Before the rotation", map[string]string{"node, first secret": "applied", "go, first secret": "applied"})

	rotated := c.must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/secret/rotate", map[string]any{"overlap_hours": 1})
	second := rotated.object["secret"].(string)
	receivers["node, second secret"], receivers["go, second secret"] = startReceiver(t, "node", second), startReceiver(t, "go", second)
	receivers["node, both secrets"] = startReceiver(t, "node", second+","+first)
	change("During the rotation", map[string]string{
		"node, first secret": "applied", "go, first secret": "applied", "node, second secret": "applied", "go, second secret": "applied",
		"node, both secrets": "applied",
	})

	rotated = c.must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/secret/rotate", map[string]any{"overlap_hours": 0})
	third := rotated.object["secret"].(string)
	receivers["node, third secret"], receivers["go, third secret"] = startReceiver(t, "node", third), startReceiver(t, "go", third)
	change("After a rotation without overlap", map[string]string{
		"node, third secret": "applied", "go, third secret": "applied", "go, second secret": "refused", "node, second secret": "refused",
	})
	if first == second || second == third || first == third {
		t.Error("a rotation gave a secret that was there before")
	}
}

// What a receiver must do itself, both examples do: once is enough, and nothing older comes over something newer.
func TestReceiversApplyEachEventOnceAndNothingOlder(t *testing.T) {
	c := fresh(t, city)
	tee := newHook(t)
	_, secret := subscribe(t, c, tee.url, nil, "site.*")
	site := c.create(t, "/v1/sites", map[string]any{"name": "Version one"})
	c.must(t, 200, "PATCH", "/v1/sites/"+site, map[string]any{"name": "Version two"})
	created, updated := tee.await(t, "the create", of("site.created", site)), tee.await(t, "the update", of("site.updated", site))
	for _, language := range []string{"node", "go"} {
		r := startReceiver(t, language, secret)
		r.pass(t, updated)
		r.await(t, "applied", func(l line) bool { return l.Outcome == "applied" && l.Version == 2 })
		r.pass(t, updated)
		r.await(t, "duplicate", func(l line) bool { return l.Outcome == "duplicate" && l.Version == 2 })
		r.pass(t, created)
		r.await(t, "outdated", func(l line) bool { return l.Outcome == "outdated" && l.Version == 1 })
		tampered := created
		tampered.body = append([]byte(" "), created.body...)
		r.pass(t, tampered)
		r.await(t, "refused", func(l line) bool { return l.Outcome == "refused" })
	}
}
