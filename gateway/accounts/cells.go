package accounts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

// cells are the operations on the cells, and the look-up of the one that an organization is in. A cell is a PostgreSQL cluster with the
// schema of every service that keeps what belongs to organizations; this schema is in the first one.
type cells struct {
	db     *postgres.DB
	client *reference.Client
}

// cell is one cell. What the services say of it is as of now.
type cell struct {
	Name          string            `json:"name"`
	TakesNew      bool              `json:"takes_new"`     // whether new organizations may go to it
	Organizations int64             `json:"organizations"` // sandboxes apart
	Rows          int64             `json:"rows"`          // of all tables, as the database estimates them
	Bytes         int64             `json:"bytes"`         // of its databases
	Problems      map[string]string `json:"problems"`      // of services that cannot use it, by their names
	CreatedAt     string            `json:"created_at"`
}

func (c *cells) mount(api *transport.API) {
	transport.Get(api, transport.Operation{Path: "/internal/cells", ID: "list_cells"}, c.list)
	transport.Post(api, transport.Operation{Path: "/internal/cells", ID: "add_cell", Status: http.StatusCreated}, c.add)
	transport.Post(api, transport.Operation{Path: "/internal/cells/{name}/open", ID: "open_cell"}, c.setOpen(true))
	transport.Post(api, transport.Operation{Path: "/internal/cells/{name}/close", ID: "close_cell"}, c.setOpen(false))
	transport.Get(api, transport.Operation{Path: "/internal/organizations/{id}/cell", ID: "get_cell_of_organization"}, c.ofOrganization)
}

// of gives the cell of an organization; the empty text for one that does not exist.
func (c *cells) of(ctx context.Context, organization string) (name string, err error) {
	err = c.db.Pool().QueryRow(ctx, `SELECT coalesce(cell_of($1), '')`, organization).Scan(&name)
	return name, postgres.Fault(err, nil)
}

type organizationCell struct {
	Cell string `json:"cell"`
}

// ofOrganization gives our own services the cell of an organization that somebody has signed in to.
func (c *cells) ofOrganization(ctx context.Context, in byOrganization) (found organizationCell, err error) {
	if _, err = authorize(ctx, in.ID, rolePlatformAdmin, roleService, roleAdministrator, roleMember); err != nil {
		return found, err
	}
	if found.Cell, err = c.of(ctx, in.ID); err == nil && found.Cell == "" {
		err = noOrganization(in.ID)
	}
	return found, err
}

type cellList struct {
	Data []cell `json:"data"`
}

func (c *cells) list(ctx context.Context, _ struct{}) (cellList, error) {
	ctx, err := authorize(ctx, platform, rolePlatformAdmin)
	if err != nil {
		return cellList{}, err
	}
	all, err := c.read(ctx)
	if err != nil {
		return cellList{}, err
	}
	var calls sync.WaitGroup
	for i := range all {
		calls.Go(func() {
			for name, state := range c.queryServices(ctx, all[i].Name) {
				all[i].Rows += state.found.Rows
				all[i].Bytes = max(all[i].Bytes, state.found.Bytes) // services share a database, or have a larger one
				if state.err != nil {
					all[i].Problems[name] = fault.From(state.err).Message
				}
			}
		})
	}
	calls.Wait()
	return cellList{all}, nil
}

// read returns the cells without the services' figures of them.
func (c *cells) read(ctx context.Context) ([]cell, error) {
	rows, err := c.db.Pool().Query(ctx, `SELECT name, takes_new, organizations, created_at FROM list_cells()`)
	if err != nil {
		return nil, postgres.Fault(err, nil)
	}
	all := []cell{}
	var one cell
	var created time.Time
	_, err = pgx.ForEachRow(rows, []any{&one.Name, &one.TakesNew, &one.Organizations, &created}, func() error {
		one.CreatedAt, one.Problems = keys.Timestamp(created), map[string]string{}
		all = append(all, one)
		return nil
	})
	return all, postgres.Fault(err, nil)
}

// cellState is a service's response about a cell.
type cellState struct {
	found reference.CellState
	err   error
}

// queryServices calls an instance of every service that stores what belongs to organizations.
func (c *cells) queryServices(ctx context.Context, name string) map[string]cellState {
	p := principal.From(ctx)
	p.OrganizationID, p.Cell, p.Actor = platform, name, principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	ctx = principal.Into(ctx, p)
	states := map[string]cellState{}
	var mu sync.Mutex
	var calls sync.WaitGroup
	for _, each := range catalogue.Product().Services() {
		calls.Go(func() {
			found, err := reference.Cell.Of(each).Call(ctx, c.client, struct{}{})
			mu.Lock()
			defer mu.Unlock()
			states[each] = cellState{found, err}
		})
	}
	calls.Wait()
	return states
}

type newCell struct {
	Name     string `json:"name" required:"true" maxLength:"31"`
	TakesNew bool   `json:"takes_new" default:"true"`
}

// add makes a cell known. It must be there already: every service knows its address and its schema there is as new as in the first cell.
func (c *cells) add(ctx context.Context, in newCell) (made cell, err error) {
	if ctx, err = authorize(ctx, platform, rolePlatformAdmin); err != nil {
		return made, err
	}
	if !service.IsCellName(in.Name) {
		var problems schema.Problems
		problems.Add("name", "must be small letters, digits and hyphens, a letter first, at most 31 characters: the name that AMS_CELLS has")
		return made, problems.Err()
	}
	if err := c.ready(ctx, in.Name); err != nil {
		return made, err
	}
	err = c.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO cell (name, takes_new) VALUES ($1, $2)`, in.Name, in.TakesNew)
		return err
	})
	if err != nil {
		return made, postgres.Fault(err, func(string) (string, any) { return "name", in.Name })
	}
	return c.one(ctx, in.Name)
}

// ready refuses a cell that is not to be used yet, and says what is missing.
func (c *cells) ready(ctx context.Context, name string) error {
	here, target := c.queryServices(ctx, principal.First), c.queryServices(ctx, name)
	var missing []string
	for _, each := range slices.Sorted(maps.Keys(target)) {
		switch state, first := target[each], here[each]; {
		case state.err != nil && fault.From(state.err).Code == "cell_unknown":
			missing = append(missing, each+" does not have it in AMS_CELLS")
		case state.err != nil || first.err != nil:
			missing = append(missing, fmt.Sprintf("%s does not answer (%s)", each, fault.From(errors.Join(state.err, first.err)).Message))
		case state.found.Version != first.found.Version || state.found.BaseVersion != first.found.BaseVersion:
			missing = append(missing, fmt.Sprintf("%s has the migrations %d and %d there, and %d and %d in the first cell", each,
				state.found.BaseVersion, state.found.Version, first.found.BaseVersion, first.found.Version))
		}
	}
	if missing == nil {
		return nil
	}
	return fault.Conflict("cell_not_ready", "name", name, "The cell %s cannot be used yet: %s. See docs/operations/add-a-cell.md.", name,
		strings.Join(missing, "; "))
}

type byCell struct {
	Name string `path:"name"`
}

// setOpen says whether new organizations may go to a cell. Those that are there stay.
func (c *cells) setOpen(open bool) func(ctx context.Context, in byCell) (cell, error) {
	return func(ctx context.Context, in byCell) (found cell, err error) {
		if ctx, err = authorize(ctx, platform, rolePlatformAdmin); err != nil {
			return found, err
		}
		err = c.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE cell SET takes_new = $2 WHERE name = $1`, in.Name, open)
			return err
		})
		if err != nil {
			return found, postgres.Fault(err, nil)
		}
		return c.one(ctx, in.Name)
	}
}

func (c *cells) one(ctx context.Context, name string) (cell, error) {
	all, err := c.read(ctx)
	if err != nil {
		return cell{}, err
	}
	for _, each := range all {
		if each.Name == name {
			return each, nil
		}
	}
	return cell{}, fault.New(fault.KindNotFound, "not_found", "There is no cell %s; amsctl cells list names those that there are.", name)
}

// chooseCell gives the cell of a new organization: the one that is asked for, or of those that take new ones the one that has the fewest.
//
// Where there are several, organizations are made one after the other, so that each is counted by the next.
func chooseCell(ctx context.Context, tx pgx.Tx, wanted *string) (name string, err error) {
	var several bool
	if err := tx.QueryRow(ctx, `SELECT count(*) > 1 FROM cell`).Scan(&several); err != nil {
		return "", postgres.Fault(err, nil)
	}
	if several && wanted == nil {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('cell of a new organization', 0))`); err != nil {
			return "", postgres.Fault(err, nil)
		}
	}
	err = tx.QueryRow(ctx, `SELECT name FROM list_cells() WHERE CASE WHEN $1::text IS NULL THEN takes_new ELSE name = $1 END
		ORDER BY organizations, created_at LIMIT 1`, wanted).Scan(&name)
	switch {
	case errors.Is(err, pgx.ErrNoRows) && wanted != nil:
		var problems schema.Problems
		problems.Add("cell", "must be the name of a cell; amsctl cells list names them")
		return "", problems.Err()
	case errors.Is(err, pgx.ErrNoRows):
		return "", fault.Conflict("no_open_cell", "cell", nil, "No cell takes new organizations: open one (amsctl cells open NAME), or add one.")
	}
	return name, postgres.Fault(err, nil)
}
