package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/libs/testwait"
)

// While records are made, referred to and deleted, all instances of the services that own them are killed, stopped and
// continued. Every response is one that a client can act on, and afterwards no record points at one that is not there.
func TestAKilledOwnerLeavesNoRecordPointingNowhere(t *testing.T) {
	c := fresh(t, city)
	mine := newFixture(t, c, "Killed")
	pairs := []reference{
		{kindOf(t, "work_order"), "asset_id", "asset", nil}, {kindOf(t, "work_order"), "segment_id", "segment", nil},
		{kindOf(t, "work_order"), "project_id", "project", nil},
		{kindOf(t, "project"), "network_id", "network", nil}, {kindOf(t, "link"), "target_id", "work_order",
			map[string]any{"target_type": "work_order"}}, {kindOf(t, "service_area"), "site_ids", "site", nil},
	}
	outcomes := newOutcomes()
	ended := make(chan struct{})
	end := sync.OnceFunc(func() { close(ended) })
	defer end()
	var working sync.WaitGroup
	for number, r := range pairs {
		writer := fresh(t, city)
		working.Go(func() { write(writer, mine, r, number, ended, outcomes) })
	}
	for _, owner := range []string{"assets", "infrastructure", "projects", "workorders", "assets"} {
		hurt(t, owner)
	}
	testwait.For(t, time.Minute, "100 records are made", func() bool { return outcomes.count(http.StatusCreated) >= 100 })
	end()
	working.Wait()
	t.Logf("answers: %v", outcomes)
	outcomes.check(t)
	awaitAll(t, c)
	for _, r := range pairs {
		unknown, made := dangling(t, c, mine, r)
		t.Logf("%s: %d references", r, made)
		if len(unknown) > 0 {
			t.Errorf("%s: these are not there: %v", r, unknown)
		}
	}
}

// hurt kills both instances of a service, waits until they are back, then stops both for a moment.
func hurt(t *testing.T, service string) {
	t.Helper()
	s := devstack.ForTest(t)
	signal := func(with syscall.Signal) (pids []int) {
		for _, name := range []string{service + "-1", service + "-2"} {
			pid := s.Description().PIDs[name]
			pids = append(pids, pid)
			if err := syscall.Kill(pid, with); err != nil {
				t.Errorf("%s to %s: %v", with, name, err)
			}
		}
		return pids
	}
	old := signal(syscall.SIGKILL)
	for deadline := time.Now().Add(20 * time.Second); s.Description().PIDs[service+"-1"] == old[0] ||
		s.Description().PIDs[service+"-2"] == old[1]; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s was not started again", service)
		}
	}
	time.Sleep(300 * time.Millisecond)
	signal(syscall.SIGSTOP)
	time.Sleep(400 * time.Millisecond)
	signal(syscall.SIGCONT)
	time.Sleep(300 * time.Millisecond)
}

// write makes targets, refers to them and deletes them, all at once, until all owners were hurt and enough was made.
func write(c caller, mine fixture, r reference, number int, ended <-chan struct{}, outcomes *outcomes) {
	target := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == r.to })]
	for round := 0; ; round++ {
		select {
		case <-ended:
			return
		default:
		}
		made := outcomes.note(c.try("POST", target.path, mine.record(target, fmt.Sprintf("Target %d.%d", number, round), target.required)))
		if made.status != http.StatusCreated {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		id := made.object["id"].(string)
		var both sync.WaitGroup
		both.Go(func() {
			outcomes.note(c.try("POST", mine.at(r.from.path), r.body(mine, fmt.Sprintf("Referrer %d.%d", number, round), id)))
		})
		both.Go(func() {
			time.Sleep(time.Duration(rand.IntN(8)) * time.Millisecond)
			outcomes.note(c.try("DELETE", target.path+"/"+id, nil))
		})
		both.Wait()
		time.Sleep(350 * time.Millisecond) // six writers make 3000 requests a minute at most: tests behind this one have the same organization
	}
}

// outcomes counts the responses, and keeps those that should not have come.
type outcomes struct {
	mu     sync.Mutex
	counts map[int]int
	wrong  []string
}

func newOutcomes() *outcomes { return &outcomes{counts: map[int]int{}} }

func (a *outcomes) note(got response, err error) response {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.wrong = append(a.wrong, err.Error())
		return got
	}
	a.counts[got.status]++
	switch got.status {
	case 201, 204, 400, 404, 409, 429, 503:
	default:
		a.wrong = append(a.wrong, fmt.Sprintf("%d %s", got.status, got.body))
	}
	return got
}

func (a *outcomes) count(status int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.counts[status]
}

func (a *outcomes) String() string { return fmt.Sprint(a.counts) }

func (a *outcomes) check(t *testing.T) {
	t.Helper()
	if len(a.wrong) > 0 {
		t.Errorf("%d answers that nobody can act on, such as %s", len(a.wrong), a.wrong[0])
	}
	if a.counts[201] < 100 || a.counts[503] == 0 {
		t.Errorf("the test did not try what it should: %v", a.counts)
	}
}

// awaitAll waits until every service has recovered.
func awaitAll(t *testing.T, c caller) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for _, k := range kinds {
		if strings.Contains(k.path, "{") {
			continue
		}
		for successes := 0; successes < 4; { // both instances, through either gateway
			if got, err := c.try("GET", k.path+"?per_page=1", nil); err == nil && got.status == 200 {
				successes++
			} else if time.Now().After(deadline) {
				t.Fatalf("%s does not come back: %d %s", k.path, got.status, got.body)
			} else {
				time.Sleep(50 * time.Millisecond)
			}
		}
	}
}

// dangling gives the ids that the records of a kind refer to and that nobody has.
func dangling(t *testing.T, c caller, mine fixture, r reference) (unknown []string, made int) {
	t.Helper()
	named := map[string]bool{}
	query := "?fields=" + r.field
	if kind, links := r.extra["target_type"].(string); links {
		query += "&target_type=" + kind
	}
	stream := c.must(t, 200, "GET", mine.at(r.from.path)+query, nil, "Accept", "application/x-ndjson")
	for line := range strings.Lines(string(stream.body)) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		switch value := record[r.field].(type) {
		case string:
			named[value] = true
		case []any:
			for _, id := range value {
				named[id.(string)] = true
			}
		}
	}
	var ids []string
	call := func() {
		if len(ids) == 0 {
			return
		}
		list := c.must(t, 200, "GET", kindOf(t, r.to).path+"?per_page=1000&fields=id&ids="+strings.Join(ids, ","), nil)
		there := map[string]bool{}
		for _, record := range list.object["data"].([]any) {
			there[record.(map[string]any)["id"].(string)] = true
		}
		for _, id := range ids {
			if !there[id] {
				unknown = append(unknown, id)
			}
		}
		ids = nil
	}
	for id := range named {
		if ids = append(ids, id); len(ids) == 500 {
			call()
		}
	}
	call()
	return unknown, len(named)
}
