package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/move"
	"ams.internal/deploy/test/resilience/consistency"
	"ams.internal/deploy/test/resilience/load"
)

// moving shows that an organization moves to another cell while it works, by the command that an operator gives.
type moving struct {
	records int     // of the organization that is moved
	rate    float64 // requests a second of it, and as many of two others together
	folder  string
	logf    func(format string, args ...any)

	stack                *devstack.Stack
	moved                *load.Organization
	others               []*load.Organization // one in each cell
	during, ofOthers     load.Samples
	result               move.Result
	compared, unaffected *consistency.Comparison
}

// The promises of a move.
const (
	moveTime  = time.Minute // of 200,000 records
	movePause = 5 * time.Second
)

func (m *moving) measure(ctx context.Context, out io.Writer) error {
	if err := m.carryOut(ctx); err != nil {
		return err
	}
	writes := m.refused()
	fmt.Fprintf(out, "Moving: %d records (%d rows) moved in %.1f s, its writes refused for %s (%d of %d requests, "+
		"all 503 organization_moving), %d requests of others, none refused; %d changes acknowledged, %d events, none lost or doubled\n",
		m.records, m.result.Rows, m.result.Seconds,
		m.paused().Round(10*time.Millisecond), len(writes), len(m.during), len(m.ofOthers), m.compared.Acknowledged, m.compared.Events)
	if err := m.verdict(); err != nil {
		return err
	}
	if took := time.Duration(m.result.Seconds * float64(time.Second)); took > moveTime {
		return fmt.Errorf("the move took %s, %s is promised", took, moveTime)
	}
	return nil
}

// refused are the requests of the moved organization that failed.
func (m *moving) refused() load.Samples { return m.during.Failures() }

// paused is how long writes were refused, from the first refusal to the end of the last.
func (m *moving) paused() time.Duration {
	var first, last time.Time
	for _, s := range m.refused() {
		if first.IsZero() || s.Begin.Before(first) {
			first = s.Begin
		}
		if s.End().After(last) {
			last = s.End()
		}
	}
	return last.Sub(first)
}

// verdict is the promise, but for how long the whole takes.
func (m *moving) verdict() error {
	var wrong []string
	for _, s := range m.refused() {
		if s.Kind == "get" || s.Kind == "list" || s.Status != 503 || s.Code != "organization_moving" {
			wrong = append(wrong, fmt.Sprintf("a %s of %s failed: %d %s %s", s.Kind, s.Service, s.Status, s.Code, s.Problem))
		}
	}
	for _, s := range m.ofOthers.Failures() {
		wrong = append(wrong, fmt.Sprintf("a %s of another organization failed: %d %s %s", s.Kind, s.Status, s.Code, s.Problem))
	}
	if pause := m.paused(); pause > movePause {
		wrong = append(wrong, fmt.Sprintf("writes were refused for %s", pause))
	}
	for what, found := range map[string]*consistency.Comparison{"of the organization": m.compared, "of the others": m.unaffected} {
		if !found.Consistent() {
			wrong = append(wrong, fmt.Sprintf("%s: %+v", what, *found))
		}
	}
	if len(wrong) > 10 {
		wrong = append(wrong[:10], fmt.Sprintf("and %d more", len(wrong)-10))
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

func (m *moving) carryOut(ctx context.Context) (err error) {
	defer func() {
		if m.stack != nil {
			m.stack.Stop()
			err = errors.Join(err, devstack.Drop(m.folder))
		}
	}()
	if err := m.start(ctx); err != nil {
		return err
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	balancer := load.NewBalancer(working, m.stack.Description().Gateways)
	if err := m.fill(ctx, balancer); err != nil {
		return err
	}
	db, err := awaitDatabase(ctx, m.stack.Description().PostgresURL)
	if err != nil {
		return err
	}
	if _, err := consistency.AwaitDelivered(ctx, db, nil); err != nil { // what was made for the move is not what is compared
		return err
	}
	began, err := consistency.Now(ctx, db)
	if err != nil {
		return err
	}
	for _, o := range append([]*load.Organization{m.moved}, m.others...) {
		if err := o.Begin(ctx); err != nil {
			return err
		}
	}
	own := load.Start(balancer, []*load.Organization{m.moved}, load.Everyday, m.rate)
	others := load.Start(balancer, m.others, load.Everyday, m.rate)
	err = m.move(ctx)
	time.Sleep(2 * time.Second) // it works in the other cell
	m.during, m.ofOthers = own.End(), others.End()
	if err != nil {
		return err
	}
	m.compared, err = m.compare(ctx, "second", began, m.moved)
	if err != nil {
		return err
	}
	m.unaffected, err = m.compare(ctx, "first", began, m.others[1])
	return err
}

// start starts two cells. Organizations go to the emptiest: the moved one and the last of the others share the first.
func (m *moving) start(ctx context.Context) error {
	var err error
	if m.stack, err = startEmpty(ctx,
		devstack.Options{Folder: m.folder, Gateways: 1, Instances: 2, Cells: 2, Discovery: "static"}); err != nil {
		return err
	}
	if err := m.build(ctx); err != nil {
		return err
	}
	admin := load.NewAdmin(m.stack.Description())
	if m.moved, err = admin.Unlimited(ctx, 0, 10, "*"); err != nil {
		return err
	}
	for n := range 2 {
		o, err := admin.Unlimited(ctx, n+1, 10, "*")
		if err != nil {
			return err
		}
		m.others = append(m.others, o)
	}
	return nil
}

// fill makes the records of the organization that is moved, in calls of 1,000.
func (m *moving) fill(ctx context.Context, balancer *load.Balancer) error {
	for made := 0; made < m.records; {
		count := min(1000, m.records-made)
		request := m.moved.BulkCreate(0, count)
		response := balancer.Do(ctx, request.Call)
		switch {
		case response.Err != nil:
			return response.Err
		case response.Status == 429 || response.Status == 503:
			time.Sleep(time.Second)
			continue
		case response.Status > 299:
			return fmt.Errorf("records are not made: %d %.200s", response.Status, response.Body)
		}
		if made += count; made%20000 == 0 {
			m.logf("%d records made", made)
		}
	}
	return nil
}

// build builds amsctl, before there is any load.
func (m *moving) build(ctx context.Context) error {
	root, err := devstack.Checkout()
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(m.folder, "amsctl"), "./deploy/cmd/amsctl")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build amsctl: %w: %s", err, text)
	}
	return nil
}

// move runs amsctl, as an operator does.
func (m *moving) move(ctx context.Context) error {
	command := exec.CommandContext(ctx, filepath.Join(m.folder, "amsctl"), "organizations", "move", m.moved.ID, "--to", "second",
		"--output", "json")
	command.Env = append(os.Environ(), "AMS_RUN_DIR="+m.folder)
	progress, err := command.StderrPipe()
	if err != nil {
		return err
	}
	var result strings.Builder
	command.Stdout = &result
	if err := command.Start(); err != nil {
		return err
	}
	last := ""
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		last = lines.Text()
		m.logf("%s", last)
	}
	if err := command.Wait(); err != nil {
		return fmt.Errorf("amsctl: %w: %s", err, last)
	}
	return json.Unmarshal([]byte(result.String()), &m.result)
}

// compare compares what was acknowledged with history, feed and deliveries in the cell where an organization lives.
func (m *moving) compare(ctx context.Context, cell string, began time.Time, o *load.Organization) (*consistency.Comparison, error) {
	db, err := awaitDatabase(ctx, m.stack.Description().Cells[cell].PostgresURL)
	if err != nil {
		return nil, err
	}
	defer db.Close(ctx)
	if _, err := consistency.AwaitDelivered(ctx, db, load.Subjects([]*load.Organization{o})); err != nil {
		return nil, err
	}
	return consistency.Verifier{DB: db, Since: began}.Events(ctx, load.Subjects([]*load.Organization{o}))
}
