package accounts

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
)

// The highest limits of an organization.
const (
	maxLimit        = 1_000_000
	maxStorageBytes = 1 << 50
)

// highest is the highest that a limit may be.
func highest(name string) float64 {
	if name == "storage_bytes" {
		return maxStorageBytes
	}
	return maxLimit
}

// limitNames are the limits of an organization, which are columns of organization and plan.
var limitNames = []string{"requests_per_minute", "requests_in_flight", "streams", "long_polls", "active_keys", "storage_bytes"}

// organizationChange is what the platform's admin changes of an organization.
type organizationChange struct {
	plan   string
	addOns []string        // nil: unchanged
	limits map[string]*int // by name; nil: the plan's
}

func readOrganizationChange(given map[string]any) (change organizationChange, err error) {
	var problems schema.Problems
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		switch name {
		case "plan":
			if change.plan, _ = value.(string); change.plan == "" {
				problems.Add(name, "must be the code of a plan")
			}
		case "add_ons":
			entries, isList := value.([]any)
			change.addOns = []string{}
			for _, entry := range entries {
				text, isText := entry.(string)
				isList = isList && isText
				change.addOns = append(change.addOns, text)
			}
			if !isList {
				problems.Add(name, "must be a list of codes of add-ons")
			}
		case "limits":
			change.limits = readLimits(value, &problems)
		default:
			problems.Add(name, "cannot be changed; plan, add_ons and limits can")
		}
	}
	return change, problems.Err()
}

func readLimits(value any, problems *schema.Problems) map[string]*int {
	given, isObject := value.(map[string]any)
	if !isObject {
		problems.Add("limits", "must be an object of limits")
	}
	limits := map[string]*int{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		number, isNumber := given[name].(float64)
		switch {
		case !slices.Contains(limitNames, name):
			problems.Add("limits."+name, "is no limit of an organization")
		case given[name] == nil:
			limits[name] = nil
		case !isNumber || number != math.Trunc(number) || number < 1 || number > highest(name):
			problems.Add("limits."+name, "must be a whole number from 1 to %.0f, or null for the plan's", highest(name))
		default:
			limit := int(number)
			limits[name] = &limit
		}
	}
	return limits
}

// setPlan sets plan and add-ons, where any are given.
func (c organizationChange) setPlan(ctx context.Context, tx pgx.Tx, before organization) error {
	if c.plan == "" && c.addOns == nil {
		return nil
	}
	if err := before.ofItsOwn("plan"); err != nil {
		return err
	}
	if c.plan == "" {
		c.plan = before.Plan
	}
	if c.addOns == nil {
		c.addOns = before.AddOns
	}
	if err := checkPlan(ctx, tx, c.plan, c.addOns); err != nil {
		return err
	}
	const update = `UPDATE organization SET plan = $2, updated_at = now() WHERE organization_id = $1`
	if _, err := tx.Exec(ctx, update, before.ID, c.plan); err != nil {
		return postgres.Fault(err, nil)
	}
	if err := setAddOns(ctx, tx, before.ID, c.addOns); err != nil {
		return err
	}
	after, err := readOrganization(ctx, tx, before.ID)
	if err != nil {
		return err
	}
	return audit(ctx, tx, "organization.plan_changed", subject{"organization", before.ID, before.Name}, map[string]any{
		"plan": [2]string{before.Plan, after.Plan}, "add_ons": [2][]string{before.AddOns, after.AddOns}})
}

// setLimits sets the limits that are given.
func (c organizationChange) setLimits(ctx context.Context, tx pgx.Tx, before organization) error {
	if len(c.limits) == 0 {
		return nil
	}
	var old []*int // in the order of limitNames; nil: the plan's
	read := `SELECT ARRAY[` + strings.Join(limitNames, ", ") + `] FROM organization WHERE organization_id = $1`
	if err := tx.QueryRow(ctx, read, before.ID).Scan(&old); err != nil {
		return postgres.Fault(err, nil)
	}
	update, values := `UPDATE organization SET updated_at = now()`, []any{before.ID}
	changes := map[string]any{}
	for i, name := range limitNames {
		if limit, given := c.limits[name]; given {
			values = append(values, limit)
			update += fmt.Sprintf(", %s = $%d", name, len(values))
			changes[name] = [2]any{orPlan(old[i]), orPlan(limit)}
		}
	}
	if _, err := tx.Exec(ctx, update+` WHERE organization_id = $1`, values...); err != nil {
		return postgres.Fault(err, nil)
	}
	return audit(ctx, tx, "organization.limits_changed", subject{"organization", before.ID, before.Name}, changes)
}

// orPlan is a limit as the audit trail shows it.
func orPlan(limit *int) any {
	if limit == nil {
		return "plan"
	}
	return *limit
}
