package planning

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// PlanningInventory is what the organization had on a day: all that may deteriorate, as it was read from the services that
// keep it. It never changes.
type PlanningInventory struct {
	resource.Record
	Name  string  `json:"name" default:"-" minLength:"1" maxLength:"200" filter:"prefix" sort:"true" search:"name" doc:"What people call it; named after the day when left out." example:"Inventaire au 27 novembre"`
	Code  *string `json:"code" maxLength:"50" unique:"true" auto:"INV-%04d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"INV-0001"`
	Notes *string `json:"notes" maxLength:"5000" doc:"Anything else." example:"After the inspections of the autumn"`

	State    string            `json:"state" readOnly:"true" enum:"queued,reading,ready,failed" filter:"equals" sort:"true" doc:"queued, reading, then ready or failed." example:"ready"`
	AsOf     *string           `json:"as_of" readOnly:"true" format:"date" filter:"range" sort:"true" doc:"The day on which it was read." example:"2026-11-27"`
	Sources  []InventorySource `json:"sources" readOnly:"true" doc:"What was read from which service, each in one snapshot."`
	Elements int               `json:"elements" readOnly:"true" filter:"range" doc:"How many elements scenarios of the basis parts can be calculated with." example:"1480"`
	LeftOut  int               `json:"left_out" readOnly:"true" filter:"range" doc:"How many are left out; counts says why." example:"12"`
	Counts   []InventoryCount  `json:"counts" readOnly:"true" doc:"Both by type, class and reason, on the basis parts and by the classes of that day."`
	SHA256   *string           `json:"sha256" readOnly:"true" doc:"Hash of all that was read: the same rows have the same." example:"9f2c…"`
	Problem  *Problem          `json:"problem" readOnly:"true" doc:"Of a failed one: why."`
	ReadyAt  *string           `json:"ready_at" readOnly:"true" format:"date-time" doc:"When it was ready."`
}

// InventorySource is what one service gave.
type InventorySource struct {
	Service string `json:"service" doc:"The service." example:"assets"`
	ReadAt  string `json:"read_at" doc:"When its snapshot was taken." example:"2026-11-27T10:00:00Z"`
	Records int    `json:"records" doc:"How many records it gave, places and price indexes among them." example:"1492"`
	SHA256  string `json:"sha256" doc:"Hash of them as they were sent." example:"1b3d…"`
}

// InventoryCount is elements that have their type, class and reason in common.
type InventoryCount struct {
	ElementType string  `json:"element_type" doc:"asset, system, building or segment." example:"segment"`
	ClassCode   *string `json:"class_code" doc:"Code of the asset class; null without one." example:"CLS-0001"`
	LeftOut     *string `json:"left_out" doc:"Why they are left out: status (not in use), covered (another level has the cost), no_class, no_life, no_value, no_age_or_condition; null: they are not." example:"no_age_or_condition"`
	Elements    int     `json:"elements" doc:"How many." example:"240"`
	Value       float64 `json:"value" decimals:"2" doc:"What replacing them costs, each in the prices of its own year." example:"18250000.00"`
}

// Problem is why something ended without a result.
type Problem struct {
	Code    string `json:"code" doc:"Stable word." example:"service_unavailable"`
	Message string `json:"message" doc:"One sentence." example:"The infrastructure service did not answer for 5 minutes."`
}

// maxInventories and maxRuns are how many an organization may have, maxQueued how many of its runs may wait.
const (
	maxInventories = 50
	maxRuns        = 200
	maxQueued      = 20
)

func (p *planning) inventories() resource.Definition[PlanningInventory] {
	return resource.Definition[PlanningInventory]{
		Collection: "planning_inventories", Table: "inventory", NaturalKey: "code",
		BeforeWrite: p.prepareInventories,
		AfterWrite: func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[PlanningInventory]) error {
			var ids []string
			for _, c := range changes {
				switch {
				case c.Before == nil:
					ids = append(ids, c.ID())
				case c.After == nil:
					if err := done(ctx, tx, c.ID()); err != nil { // one that waits is not read any more
						return err
					}
				}
			}
			return p.queue(ctx, tx, "inventory", ids)
		},
		Events: map[string]resource.Emits[PlanningInventory]{
			"planning_inventory.ready": resource.WhenUpdated(func(before, after *PlanningInventory) bool {
				return before.State != "ready" && after.State == "ready"
			}),
		},
	}
}

func (p *planning) prepareInventories(ctx context.Context, tx pgx.Tx, changes []*resource.Change[PlanningInventory]) error {
	making := 0
	missing := missingScopes(principal.From(ctx))
	for _, c := range changes {
		if c.Before == nil {
			making++
			c.After.State, c.After.Name = "queued", named(ctx, c.After.Name, "Inventory")
			if missing != nil {
				c.Reject(cannotRead(ctx, missing))
			}
		}
	}
	return within(ctx, tx, "inventory", making, maxInventories, "inventories", changes)
}

// unnamed is the name of what nobody has named.
const unnamed = "-"

// named is a name, or one after the day.
func named(ctx context.Context, name, what string) string {
	if name == unnamed {
		return what + " of " + resource.Today(ctx)
	}
	return name
}

// within rejects creates that would make more of a table than an organization keeps.
func within[T any](ctx context.Context, tx pgx.Tx, table string, making, limit int, words string, changes []*resource.Change[T]) error {
	if making == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1 || ' of ' || $2, 0))", table,
		principal.From(ctx).OrganizationID); err != nil {
		return err
	}
	var existing int
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM "+table+" WHERE organization_id = current_organization()").Scan(&existing); err != nil {
		return err
	}
	for _, c := range changes {
		if c.Before != nil {
			continue
		}
		if existing++; existing > limit {
			c.Reject(fault.Conflict("too_many", "", nil, "An organization keeps at most %d %s; delete some that nobody needs any more.",
				limit, words))
		}
	}
	return nil
}

// read are the scopes of all that an inventory has, and readSegments that of segments, for organizations that have them.
var (
	read         = []string{"sites:read", "buildings:read", "systems:read", "assets:read", "price_indexes:read"}
	readSegments = "infrastructure:read"
)

// missingScopes are those that somebody would need besides to freeze an inventory.
func missingScopes(p principal.Principal) (missing []string) {
	wanted := read
	if p.Has("infrastructure") {
		wanted = append(wanted[:len(wanted):len(wanted)], readSegments)
	}
	for _, scope := range wanted {
		if !p.Allows(scope) {
			missing = append(missing, scope)
		}
	}
	return missing
}

func cannotRead(ctx context.Context, missing []string) *fault.Error {
	return endpoint.ScopeMissing(principal.From(ctx), missing[0], "This shows what stands in other records: the key needs %s as well.",
		strings.Join(missing, ", "))
}

// mayRead refuses to show records of an inventory to who could not have frozen it: he would read there what he may not read where it
// stands.
func mayRead(ctx context.Context) error {
	if missing := missingScopes(principal.From(ctx)); missing != nil {
		return cannotRead(ctx, missing)
	}
	return nil
}
