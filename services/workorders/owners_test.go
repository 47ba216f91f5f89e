package workorders

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource/resourcetest"
)

// owners speaks for the services whose records are changed by effects. It applies each effect once, as they do.
type owners struct {
	mu   sync.Mutex
	away bool
	// onlyLater says that what is refused is not refused when it is asked about.
	onlyLater bool
	refused   map[string]*fault.Error        // by the record's id
	done      map[string]effects.Result      // by effect, what was applied
	stages    map[string][]string            // by the record's id
	last      map[string]effects.Instruction // by the record's id
}

func newOwners() *owners {
	return &owners{refused: map[string]*fault.Error{}, done: map[string]effects.Result{}, stages: map[string][]string{},
		last: map[string]effects.Instruction{}}
}

func recordIn(payload map[string]any) string {
	for _, name := range []string{"deficiency_id", "infrastructure_deficiency_id", "meter_id", "asset_id", "request_id"} {
		if id, ok := payload[name].(string); ok {
			return id
		}
	}
	return ""
}

// ServeHTTP implements http.Handler.
func (o *owners) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Check   bool                  `json:"check"`
		Effects []effects.Instruction `json:"effects"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		panic(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away {
		panic(http.ErrAbortHandler)
	}
	answers := []effects.Result{}
	for _, one := range in.Effects {
		id := recordIn(one.Payload)
		answer := effects.Result{ID: one.ID, Sequence: one.Sequence, Stage: one.Stage, Outcome: effects.Applied, ResultID: &id}
		if id == "" {
			answer.ResultID = nil
		}
		kept, final := o.done[one.ID]
		switch {
		case in.Check:
		case final:
			answer = kept
			answer.Sequence = one.Sequence
		case one.Withdraw:
			answer.Outcome, answer.ResultID = effects.Withdrawn, nil
		}
		if e := o.refused[id]; e != nil && !final && !(in.Check && o.onlyLater) {
			answer = effects.Result{ID: one.ID, Sequence: one.Sequence, Stage: one.Stage, Outcome: effects.Refused, Reason: e.Kind, Code: e.Code,
				Field: e.Field, Message: e.Message}
		}
		if !in.Check && !final && answer.Outcome == effects.Applied {
			o.stages[id] = append(o.stages[id], string(one.Stage))
			o.last[id] = one
			if one.Stage == effects.Completed {
				o.done[one.ID] = answer
			}
		}
		answers = append(answers, answer)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"answers": answers})
}

func (o *owners) set(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}

func (o *owners) stagesOf(id string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.stages[id])
}

// speak has them answer for their services.
func (o *owners) speak(peers *resourcetest.Peers) {
	for _, service := range []string{"assets", "infrastructure", "meters", "requests"} {
		peers.Handle(service, "/internal/effects", o)
	}
}

// send runs the sender of this service until the end of the test, or until the result is called.
func (f fixture) send(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	sender := effects.NewSender("workorders", f.registry.DB, f.peers.References, f.registry.Log, f.orders().effects().Record)
	go func() {
		defer close(ended)
		sender.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

// waiting is how many instructions wait.
func (f fixture) waiting(t *testing.T) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM effect_instruction").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
