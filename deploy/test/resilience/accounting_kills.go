package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/load"
)

// closeKilling shows that the close of a fiscal year is there whole or not at all whatever is killed: a year is closed and reopened again
// and again, while the processes are killed that close it.
type closeKilling struct {
	kills, assets int
	folder        string
	logf          func(format string, args ...any)

	stack  *devstack.Stack
	client *ams.Client
	db     *pgx.Conn
}

// closeReport is what was found.
type closeReport struct {
	Kills       int
	Interrupted int // closes of which nothing was there after the kill
	Whole       int // and those that were there
	Wrong       []string
}

const closingPath = "/v1/accounting/fiscal-years/2024" // 2023 is closed once, and left alone

func (c *closeKilling) measure(ctx context.Context, out io.Writer) error {
	found, err := c.carryOut(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Accounting: a year of %d capital assets was closed while %d times who closes was killed: %d times nothing of it was "+
		"there, %d times all of it; %d things are wrong\n", c.assets, found.Kills, found.Interrupted, found.Whole, len(found.Wrong))
	return found.verdict()
}

func (r *closeReport) verdict() error { return promised(r.Wrong) }

func (c *closeKilling) carryOut(ctx context.Context) (found *closeReport, err error) {
	defer func() {
		if c.db != nil {
			err = errors.Join(err, c.db.Close(context.WithoutCancel(ctx)))
		}
		if c.stack != nil {
			c.stack.Stop()
			err = errors.Join(err, devstack.Drop(c.folder))
		}
	}()
	if err := c.start(ctx); err != nil {
		return nil, err
	}
	found = &closeReport{}
	var began time.Time
	first, err := c.close(ctx, func() error {
		err := c.awaitWork(ctx)
		began = time.Now()
		return err
	})
	if err != nil {
		return nil, err
	}
	longest := time.Since(began)
	c.logf("a close works for %s", longest.Round(10*time.Millisecond))
	for found.Kills < c.kills {
		if err := insist(ctx, func() error {
			err := c.client.Request(ctx,
				ams.Request{Method: http.MethodPost, Path: closingPath + "/reopen", Body: ams.Record{"reason": "encore"}}, nil)
			return except(err, "not_closed") // by a call whose response was lost
		}); err != nil {
			return nil, err
		}
		if state, err := c.checkYear(ctx, found); err != nil {
			return nil, err
		} else if state != "open" {
			found.Wrong = append(found.Wrong, "reopened, the year is "+state)
		}
		again, err := c.close(ctx, func() error {
			if err := c.awaitWork(ctx); err != nil {
				return err
			}
			if err := sleep(ctx, rand.N(longest)); err != nil {
				return err
			}
			return c.kill(ctx, found)
		})
		if err != nil {
			return nil, err
		}
		if again != first {
			found.Wrong = append(found.Wrong, fmt.Sprintf("after %d kills the schedule is another one", found.Kills))
		}
		if state, err := c.checkYear(ctx, found); err != nil {
			return nil, err
		} else if state != "closed" {
			found.Wrong = append(found.Wrong, "closed, the year is "+state)
		}
	}
	return found, c.compare(ctx, found)
}

// start starts the stack, and makes an organization with a ledger.
func (c *closeKilling) start(ctx context.Context) error {
	var err error
	if c.stack, err = startEmpty(ctx, devstack.Options{Folder: c.folder, Gateways: 1, Instances: 2, Discovery: "consul"}); err != nil {
		return err
	}
	if c.db, err = awaitDatabase(ctx, c.stack.Description().PostgresURL); err != nil {
		return err
	}
	organization, err := load.NewAdmin(c.stack.Description()).Unlimited(ctx, 0, 5)
	if err != nil {
		return err
	}
	c.client = organization.Client()
	post := func(path string, body, made any) error {
		return c.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/accounting/" + path, Body: body}, made)
	}
	var class struct{ ID string }
	if err := errors.Join(post("fiscal-years", ams.Record{"fiscal_year": 2023}, nil), post("fiscal-years", ams.Record{"fiscal_year": 2024},
		nil), post("classes", ams.Record{"name": "Conduites", "category": "water", "useful_life_years": 75}, &class)); err != nil {
		return err
	}
	for made := 0; made < c.assets; made += 1000 {
		var assets, entries []ams.Record
		for n := made; n < min(c.assets, made+1000); n++ {
			key := fmt.Sprintf("pipe-%d", n)
			assets = append(assets, ams.Record{"name": key, "external_id": key, "class_id": class.ID})
			entries = append(entries, ams.Record{"capital_asset_external_id": key, "type": "opening", "effective_on": "2023-01-01",
				"amount": 1000 + n, "in_service_on": fmt.Sprintf("%d-06-01", 1985+n%38)})
			if n%7 == 0 {
				entries = append(entries,
					ams.Record{"capital_asset_external_id": key, "type": "disposal", "effective_on": "2024-05-01", "share_pct": 10})
			}
		}
		if err := errors.Join(post("capital-assets/bulk", ams.Record{"data": assets}, nil),
			post("transactions/bulk", ams.Record{"data": entries[:min(1000, len(entries))]}, nil)); err != nil {
			return err
		}
		if len(entries) > 1000 {
			if err := post("transactions/bulk", ams.Record{"data": entries[1000:]}, nil); err != nil {
				return err
			}
		}
	}
	if err := post("fiscal-years/2023/close", ams.Record{}, nil); err != nil {
		return err
	}
	return c.await(ctx, "/v1/accounting/fiscal-years/2023")
}

// close closes the year, does something meanwhile, and gives what the schedule is by.
func (c *closeKilling) close(ctx context.Context, meanwhile func() error) (schedule [sha256.Size]byte, err error) {
	if err := insist(ctx, func() error {
		err := c.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: closingPath + "/close", Body: ams.Record{}}, nil)
		return except(err, "already_closing", "already_closed")
	}); err != nil {
		return schedule, err
	}
	if err := meanwhile(); err != nil {
		return schedule, err
	}
	if err := c.await(ctx, closingPath); err != nil {
		return schedule, err
	}
	var shown any
	err = insist(ctx, func() error {
		return c.client.Request(ctx, ams.Request{Path: "/v1/accounting/schedule?fiscal_year=2024"}, &shown)
	})
	return sha256.Sum256(fmt.Append(nil, shown)), err
}

// await waits until a year is closed.
func (c *closeKilling) await(ctx context.Context, path string) error {
	for {
		var job struct {
			State    string
			Problems []any
		}
		if err := insist(ctx, func() error { return c.client.Request(ctx, ams.Request{Path: path + "/close"}, &job) }); err != nil {
			return err
		}
		switch job.State {
		case "done":
			return nil
		case "failed":
			return fmt.Errorf("the close failed: %v", job.Problems)
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// awaitWork waits until somebody is closing: a transaction of the service has written something.
func (c *closeKilling) awaitWork(ctx context.Context) error {
	for works := false; !works; {
		if err := c.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ams_accounting' AND backend_xid IS NOT NULL)
			OR EXISTS (SELECT FROM accounting.fiscal_year WHERE fiscal_year = 2024 AND state = 'closed')`).Scan(&works); err != nil {
			return err
		}
		if err := sleep(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// kill kills every process that may be closing, or one of them, and looks at what is there.
func (c *closeKilling) kill(ctx context.Context, found *closeReport) error {
	killed := killOneOf(c.stack, "accounting-")
	if found.Kills%2 == 0 {
		for _, name := range []string{"accounting-1", "accounting-2"} {
			killOneOf(c.stack, name)
		}
		killed = "both"
	}
	if killed == "" {
		return nil // it is dead already
	}
	found.Kills++
	state, err := c.checkYear(ctx, found)
	switch state {
	case "closing":
		found.Interrupted++
	case "closed":
		found.Whole++
	}
	c.logf("%3d of %d: killed %s, and the year is %s", found.Kills, c.kills, killed, state)
	return err
}

// checkYear gives the state of the year, and checks that a close is complete or absent.
func (c *closeKilling) checkYear(ctx context.Context, found *closeReport) (state string, err error) {
	var charged, rows, posted, entries int
	if err := c.db.QueryRow(ctx, `SELECT f.state, (SELECT count(*) FROM accounting.layer l WHERE l.fiscal_year = f.fiscal_year
		AND l.charge <> 0),
			(SELECT count(*) FROM accounting.capital_asset_year y WHERE y.fiscal_year = f.fiscal_year),
				(SELECT count(*) FROM accounting.capital_asset_year y WHERE y.fiscal_year = f.fiscal_year AND y.posted),
			(SELECT count(*) FROM accounting.transaction x WHERE x.fiscal_year = f.fiscal_year AND x.close_id IS NOT NULL AND x.reverses IS NULL
				AND NOT EXISTS (SELECT FROM accounting.transaction r WHERE r.organization_id = x.organization_id AND r.reverses = x.id))
		FROM accounting.fiscal_year f WHERE f.fiscal_year = 2024`).Scan(&state, &charged, &rows, &posted, &entries); err != nil {
		return "", err
	}
	whole := charged == c.assets && rows == c.assets && entries == c.assets
	absent := charged == 0 && rows == posted && entries == 0
	if state == "closed" && !whole || state != "closed" && !absent {
		found.Wrong = append(found.Wrong, fmt.Sprintf("the year is %s, with %d layers charged, %d rows, %d of them posted, and %d entries", state,
			charged, rows, posted, entries))
	}
	return state, nil
}

// compare looks for what was left over.
func (c *closeKilling) compare(ctx context.Context, found *closeReport) error {
	var jobs, missing int
	if err := c.db.QueryRow(ctx, `SELECT (SELECT count(*) FROM accounting.close WHERE state <> 'done'), (SELECT max(sequence) - count(*)
		FROM accounting.transaction)`).Scan(&jobs, &missing); err != nil {
		return err
	}
	if jobs > 0 || missing > 0 {
		found.Wrong = append(found.Wrong, fmt.Sprintf("%d closes are not done, %d numbers of entries are missing", jobs, missing))
	}
	return nil
}

// except gives an error, unless it has one of some codes.
func except(err error, codes ...string) error {
	if known := new(ams.Error); errors.As(err, &known) && slices.Contains(codes, known.Code) {
		return nil
	}
	return err
}
