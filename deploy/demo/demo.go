// Package demo fills a running stack with demonstration organizations and a realistic data set in two languages:
// a Québec town, an Ontario school board, a property owner and a housing co-operative. Everything is written through
// the doors that customers and operators use, so that it obeys every rule they obey. It is the same every time, and
// writing it again changes nothing.
package demo

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Volume is how much is written.
type Volume int

const (
	// Everything: the organizations, their keys and all their records.
	Everything Volume = iota
	// Organizations with their administrators and keys, without records.
	Organizations
	// Nothing at all.
	Nothing
)

// Target is the stack to be filled.
type Target struct {
	BaseURL         string
	AdminURL        string // the gateway's internal listener
	AdminToken      string
	CredentialsPath string // where passwords and key values are kept: they are shown only once
	Volume          Volume
	Logf            func(format string, arguments ...any)
}

// Organization is a demonstration organization with everything needed to act for it.
type Organization struct {
	ID            string            `json:"id"`
	Name          string            `json:"name"`
	Plan          string            `json:"plan"`
	AddOns        []string          `json:"add_ons"`
	Administrator Administrator     `json:"administrator"`
	Keys          map[string]string `json:"keys"` // name to value
}

// Administrator signs in to the settings screens.
type Administrator struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Seed writes what is missing and gives all the organizations.
func Seed(ctx context.Context, target Target) ([]Organization, error) {
	if target.Volume == Nothing {
		return []Organization{}, nil
	}
	saved, err := loadCredentials(target.CredentialsPath)
	if err != nil {
		return nil, err
	}
	admin := newClient(target.AdminURL, target.AdminToken)
	existing, err := admin.organizations(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	written := new(tally)
	group, ctx := errgroup.WithContext(ctx)
	for _, blueprint := range blueprints() {
		group.Go(func() error {
			s := &seeding{target: target, admin: admin, blueprint: blueprint, saved: saved, written: written}
			if err := s.run(ctx, existing); err != nil {
				return fmt.Errorf("%s: %w", blueprint.name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if written.total() > 0 {
		target.Logf("Demonstration data: %s in %.1f s", written, time.Since(began).Seconds())
	}
	return saved.organizations(), nil
}

// seeding is the work for one organization.
type seeding struct {
	target    Target
	admin     *client
	blueprint blueprint
	saved     *credentials
	written   *tally
}

func (s *seeding) run(ctx context.Context, existing map[string][]string) error {
	entry := s.saved.entry(s.blueprint.name)
	ids := existing[s.blueprint.name]
	switch {
	case slices.Contains(ids, entry.ID):
	case len(ids) > 0 && entry.ID == "" && entry.Administrator.Password != "": // the last start was killed right here
		entry.ID = ids[0]
	default:
		var err error
		if entry, err = s.createOrganization(ctx); err != nil {
			return err
		}
	}
	complete := entry.DataVersion == dataVersion || s.target.Volume != Everything
	if !complete || entry.KeysExpireAt.IsZero() { // afterwards they are whatever people make them
		if err := s.setSettings(ctx, entry); err != nil {
			return err
		}
	}
	if err := s.createKeys(ctx, &entry); err != nil {
		return err
	}
	if !complete {
		// An interrupted first run may have left the organization without what it needs for writing.
		if err := s.setAddOns(ctx, &entry, s.blueprint.addOnsAtFirst); err != nil {
			return err
		}
		if err := s.writeRecords(ctx, &entry); err != nil {
			return err
		}
		entry.DataVersion = dataVersion
	}
	if err := s.setAddOns(ctx, &entry, s.blueprint.addOns); err != nil {
		return err
	}
	return s.saved.save(entry)
}

// tally counts what was written, for people.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (t *tally) add(collection string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[collection] += n
}

func (t *tally) total() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := 0
	for _, n := range t.counts {
		sum += n
	}
	return sum
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var parts []string
	for _, collection := range []string{"sites", "buildings", "systems", "assets", "users", "work-orders", "los/measurements",
		"infrastructure/segments", "projects", "deficiencies", "requests", "maintenance/pm-plans", "meters", "accounting/capital-assets",
		"documents"} {
		parts = append(parts, fmt.Sprintf("%d %s", t.counts[collection], strings.ReplaceAll(path.Base(collection), "-", " ")))
	}
	return strings.Join(parts, ", ")
}
