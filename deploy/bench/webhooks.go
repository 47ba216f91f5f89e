package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/devstack"
	"ams.internal/libs/localport"
)

const (
	// eventRate is how many changes a second are made, one call each.
	eventRate = 200
	// bulkRows is the largest bulk that there is.
	bulkRows = 1000
	// workerKills is how often a process that delivers is killed, and manyEndpoints how many it delivers to.
	workerKills, manyEndpoints = 6, 10
)

// measureWebhooks measures how long it takes from a change to its delivery: at a steady rate, of a bulk, next to a tenant with a
// million deliveries that nobody takes, and when the process that delivers is killed. The time of a change is taken before its
// commit, that of its arrival by the receiver, by the same clock.
func (b *bench) measureWebhooks(ctx context.Context) error {
	pid := func() int { return b.stack.Description().PIDs["webhooks-1"] }
	b.report.atMost("idle memory of webhooks", memory(pid(), "VmRSS"), "MB", 60)
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return err
	}
	b.logf("webhooks: the load average is %s", strings.TrimSpace(string(load)))
	r, err := newReceiver()
	if err != nil {
		return err
	}
	defer r.close()
	endpoint, err := b.subscribe(ctx, b.Keys[0], r.url(0), "*")
	if err != nil {
		return err
	}
	if err := b.measureSteady(ctx, r, "commit → received", pid()); err != nil {
		return err
	}
	if err := b.measureBulk(ctx, r); err != nil {
		return err
	}
	if err := b.measureWithDeadEndpoint(ctx, r, pid()); err != nil {
		return err
	}
	b.report.atMost("memory of webhooks with all that waits", memory(pid(), "VmRSS"), "MB", 100)
	if err := b.unsubscribe(ctx, endpoint); err != nil {
		return err
	}
	return b.measureTakeover(ctx, r)
}

// measureSteady makes changes at a steady rate and takes the time until each arrives.
func (b *bench) measureSteady(ctx context.Context, r *receiver, name string, pid int) error {
	cpu := map[string]group{"gateway": b.processors()["gateway"], "workorders": {pid: b.description.PIDs["workorders-1"]},
		"webhooks": {pid: pid}, "postgres": b.processors()["postgres"]}
	before := map[string]time.Duration{}
	for name, pids := range cpu {
		before[name] = pids.cpu()
	}
	r.forget()
	made, failures := b.createAtRate(ctx, eventRate, 3*b.seconds)
	arrived := r.await(made, time.Minute)
	if len(arrived) < made {
		return fmt.Errorf("%s: %d of %d events arrived", name, len(arrived), made)
	}
	var latencies []time.Duration
	for _, a := range arrived {
		latencies = append(latencies, a.at.Sub(a.made))
	}
	slices.Sort(latencies)
	f := metrics{Name: name + fmt.Sprintf(" at %d events/s", eventRate), Callers: 1, Requests: made, Failures: failures,
		PerSecond: float64(made) / float64(3*b.seconds),
		P50:       milliseconds(latencies, 0.5), P99: milliseconds(latencies, 0.99), CPU: map[string]float64{}}
	for name, pids := range cpu {
		f.CPU[name] = float64((pids.cpu() - before[name]).Microseconds()) / float64(made)
	}
	b.report.add(f)
	b.report.noFailures(f)
	b.report.atMost(name+", p50", f.P50/1000, "s", 1)
	b.report.atMost(name+", p95", milliseconds(latencies, 0.95)/1000, "s", 1)
	b.report.atMost(name+", p99", f.P99/1000, "s", 3)
	b.logf("%s: p50 %.0f ms, p95 %.0f ms, p99 %.0f ms of %d", name, f.P50, milliseconds(latencies, 0.95), f.P99, made)
	return nil
}

// measureBulk takes the time from the response to a bulk until its last event has arrived.
func (b *bench) measureBulk(ctx context.Context, r *receiver) error {
	var rows []map[string]any
	for i := range bulkRows {
		rows = append(rows, map[string]any{"title": fmt.Sprintf("Bulk %d", i)})
	}
	longest := time.Duration(0)
	for range b.rounds {
		r.forget()
		client := ams.NewClient(b.description.BaseURL, b.Keys[0])
		if err := client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/work-orders/bulk", Body: map[string]any{"data": rows}},
			nil); err != nil {
			return err
		}
		acknowledged := time.Now()
		arrived := r.await(bulkRows, time.Minute)
		if len(arrived) < bulkRows {
			return fmt.Errorf("%d of the %d events of a bulk arrived", len(arrived), bulkRows)
		}
		longest = max(longest, arrived[len(arrived)-1].at.Sub(acknowledged))
	}
	b.report.atMost(fmt.Sprintf("a bulk of %d all delivered, longest of %d", bulkRows, b.rounds), longest.Seconds(), "s", 10)
	b.logf("a bulk of %d is delivered after %s", bulkRows, longest.Round(time.Millisecond))
	return nil
}

// measureTakeover kills the process that delivers while another one runs, several times, and takes the time until every endpoint
// is sent something that was changed after the kill.
func (b *bench) measureTakeover(ctx context.Context, r *receiver) error {
	var endpoints []string
	for i := range manyEndpoints {
		id, err := b.subscribe(ctx, b.Keys[0], r.url(i), "work_order.*")
		if err != nil {
			return err
		}
		endpoints = append(endpoints, id)
	}
	second, err := b.startWebhooks(0)
	if err != nil {
		return err
	}
	changing, stop := context.WithCancel(ctx)
	var writing sync.WaitGroup
	writing.Go(func() { b.createAtRate(changing, 20, 3600) })
	defer writing.Wait()
	defer stop()
	longest := time.Duration(0)
	for kill := range workerKills {
		time.Sleep(4 * time.Second) // everything flows, from both processes
		r.forget()
		killed := time.Now()
		if kill%2 == 0 {
			process, err := os.FindProcess(b.stack.Description().PIDs["webhooks-1"])
			if err != nil {
				return err
			}
			if err := process.Kill(); err != nil { // the stack starts it again
				return err
			}
		} else {
			second.stop()
		}
		moved, err := r.allMoved(killed, manyEndpoints, time.Minute)
		if err != nil {
			return err
		}
		longest = max(longest, moved)
		b.logf("killed %d of %d: everything moves again after %s", kill+1, workerKills, moved.Round(time.Millisecond))
		if kill%2 == 1 {
			if second, err = b.startWebhooks(kill); err != nil {
				return err
			}
		}
	}
	b.report.atMost(fmt.Sprintf("deliveries of a killed worker move again, longest of %d", workerKills), longest.Seconds(), "s", 5)
	second.stop()
	for _, id := range endpoints {
		if err := b.unsubscribe(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// startWebhooks starts a further process that delivers.
func (b *bench) startWebhooks(number int) (*program, error) {
	address, _, err := localport.Reserve("127.0.0.1")
	if err != nil {
		return nil, err
	}
	admin, err := url.Parse(b.description.AdminURL)
	if err != nil {
		return nil, err
	}
	environment := append(b.environment("ams_webhooks", b.postgresAddress, address, "gateway-internal="+admin.Host),
		"AMS_WEBHOOK_SECRETS="+b.secrets.Webhooks, "AMS_WEBHOOK_ALLOW_PREFIXES="+devstack.ThisMachine)
	p, err := launch(filepath.Join(b.folder, fmt.Sprintf("webhooks-second-%d.log", number)), environment, "http://"+address+"/readyz",
		filepath.Join(b.options.Binaries, "ams"), "serve", "webhooks")
	if err == nil {
		b.programs = append(b.programs, p)
	}
	return p, err
}

func (b *bench) subscribe(ctx context.Context, key, url string, eventTypes ...string) (id string, err error) {
	var made struct{ ID string }
	err = ams.NewClient(b.description.BaseURL, key).Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/webhook-endpoints",
		Body: map[string]any{"url": url, "event_types": eventTypes}}, &made)
	return made.ID, err
}

func (b *bench) unsubscribe(ctx context.Context, id string) error {
	return ams.NewClient(b.description.BaseURL, b.Keys[0]).Request(ctx,
		ams.Request{Method: http.MethodDelete, Path: "/v1/webhook-endpoints/" + id}, nil)
}

// createAtRate makes work orders at a rate, however long responses take, and gives how many were made.
func (b *bench) createAtRate(ctx context.Context, perSecond, seconds int) (made, failures int) {
	work := make(chan string)
	var mu sync.Mutex
	var callers sync.WaitGroup
	for i := range 32 {
		client := ams.NewClient(b.description.BaseURL, b.Keys[i%len(b.Keys)])
		callers.Go(func() {
			for title := range work {
				err := client.Request(context.WithoutCancel(ctx), ams.Request{Method: http.MethodPost, Path: "/v1/work-orders",
					Body: map[string]any{"title": title}}, nil)
				mu.Lock()
				if err == nil {
					made++
				} else {
					failures++
				}
				mu.Unlock()
			}
		})
	}
	began := time.Now()
	for i := range perSecond * seconds {
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(perSecond)))):
			work <- fmt.Sprintf("Paced %d", i)
			continue
		}
		break
	}
	close(work)
	callers.Wait()
	return made, failures
}

// milliseconds gives a quantile of sorted durations.
func milliseconds(sorted []time.Duration, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[min(len(sorted)-1, int(share*float64(len(sorted))))].Microseconds()) / 1000
}
