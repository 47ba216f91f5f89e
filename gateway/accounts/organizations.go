package accounts

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

type newOrganization struct {
	Name     string   `json:"name" required:"true" maxLength:"200"`
	Plan     string   `json:"plan" required:"true" maxLength:"50"`
	AddOns   []string `json:"add_ons" maxItems:"20"`
	Currency string   `json:"currency" default:"CAD" pattern:"^[A-Z]{3}$" patternDescription:"an ISO 4217 code such as CAD"`
	Cell     *string  `json:"cell" maxLength:"31" doc:"Where its data goes. Without it: the cell that takes new organizations and has the fewest."`
	// The first administrator. Its fields are read one by one, so that each problem is named.
	Administrator map[string]any `json:"administrator"`
}

// organizations are the operations on organizations.
type organizations struct {
	db      *postgres.DB
	client  *reference.Client
	baseURL string
}

func (o *organizations) mount(api *transport.API) {
	create := transport.Operation{Path: "/internal/organizations", ID: "create_organization", Status: http.StatusCreated}
	transport.Post(api, create, o.createOrganization)
	transport.Get(api, transport.Operation{Path: "/internal/organizations", ID: "list_organizations"}, o.listOrganizations)
	transport.Get(api, transport.Operation{Path: "/internal/organizations/{id}", ID: "get_organization"}, o.getOrganization)
	update := transport.Operation{Method: http.MethodPatch, Path: "/internal/organizations/{id}", ID: "update_organization"}
	update.Body = map[string]any{"type": "object"}
	api.Handle(update, o.updateOrganization)
}

func (o *organizations) createOrganization(ctx context.Context, in newOrganization) (organization, error) {
	id := newID()
	ctx, err := authorize(ctx, id, rolePlatformAdmin)
	if err != nil {
		return organization{}, err
	}
	first, problems := readAdministrator(in.Administrator)
	if in.Name == "" {
		problems.Add("name", "must be given")
	}
	if err := problems.Err(); err != nil {
		return organization{}, err
	}
	var made organization
	err = o.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := checkPlan(ctx, tx, in.Plan, in.AddOns); err != nil {
			return err
		}
		cell, err := chooseCell(ctx, tx, in.Cell)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO organization (organization_id, name, plan, currency, cell) VALUES ($1, $2, $3, $4, $5)`,
			id, in.Name, in.Plan, in.Currency, cell); err != nil {
			return postgres.Fault(err, nil)
		}
		if err := setAddOns(ctx, tx, id, in.AddOns); err != nil {
			return err
		}
		bought := map[string]any{"plan": in.Plan, "add_ons": in.AddOns}
		if err := audit(ctx, tx, "organization.created", subject{"organization", id, in.Name}, bought); err != nil {
			return err
		}
		if made, err = readOrganization(ctx, tx, id); err != nil {
			return err
		}
		// The administrator is made before the commit: an organization that nobody can sign in to must not come to be.
		if first != nil {
			first.ID, err = createAdministrator(ctx, o.client, *first, made)
		}
		return err
	})
	if first != nil {
		made.Administrator = &administrator{ID: first.ID, Email: first.Email, Name: first.Name}
	}
	return made, err
}

func (o *organizations) listOrganizations(ctx context.Context, in paged) (list, error) {
	ctx, err := authorize(ctx, platform, rolePlatformAdmin, roleService)
	if err != nil {
		return list{}, err
	}
	rows, err := o.db.Pool().Query(ctx, `SELECT total, organization_id FROM list_organizations($1, $2)`, (in.Page-1)*in.PerPage, in.PerPage)
	if err != nil {
		return list{}, postgres.Fault(err, nil)
	}
	var total int
	var id *string
	var ids []string
	if _, err := pgx.ForEachRow(rows, []any{&total, &id}, func() error {
		if id != nil {
			ids = append(ids, *id)
		}
		return nil
	}); err != nil {
		return list{}, postgres.Fault(err, nil)
	}
	found := []organization{}
	for _, id := range ids {
		inside, err := authorize(ctx, id, rolePlatformAdmin, roleService)
		if err != nil {
			return list{}, err
		}
		if err := o.db.Read(inside, func(ctx context.Context, tx pgx.Tx) error {
			one, err := readOrganization(ctx, tx, id)
			found = append(found, one)
			return err
		}); err != nil {
			return list{}, err
		}
	}
	return newList(found, in, total), nil
}

// describedOrganization is an organization with where its API is, what its plan includes and what would add the rest.
type describedOrganization struct {
	organization
	PlanName string `json:"plan_name"`
	BaseURL  string `json:"base_url"`
	MCPURL   string `json:"mcp_url"`
	Offers   offers `json:"offers"`
}

func (o *organizations) getOrganization(ctx context.Context, in byOrganization) (describedOrganization, error) {
	ctx, err := authorizeSandbox(ctx, in.ID, rolePlatformAdmin, roleService, roleAdministrator)
	if err != nil {
		return describedOrganization{}, err
	}
	found := describedOrganization{BaseURL: o.baseURL, MCPURL: o.baseURL + "/mcp"}
	err = o.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if found.organization, err = readOrganization(ctx, tx, in.ID); err != nil {
			return err
		}
		sold, err := readOffer(ctx, tx)
		found.PlanName, found.Offers = sold.nameOf(found.Plan), sold.to(found.Features)
		return err
	})
	return found, postgres.Fault(err, nil)
}

// updateOrganization changes plan, add-ons and limits. Every request reads them, so the change holds from the next one on.
func (o *organizations) updateOrganization(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if ctx, err = authorize(ctx, id, rolePlatformAdmin); err != nil {
		return nil, err
	}
	given, err := r.Object()
	if err != nil {
		return nil, err
	}
	change, err := readOrganizationChange(given)
	if err != nil {
		return nil, err
	}
	var changed organization
	err = o.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		before, err := lockOrganization(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := change.setPlan(ctx, tx, before); err != nil {
			return err
		}
		if err := change.setLimits(ctx, tx, before); err != nil {
			return err
		}
		changed, err = readOrganization(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return transport.JSON(http.StatusOK, changed)
}

// checkPlan refuses plans and add-ons that do not exist, and names those that do.
func checkPlan(ctx context.Context, tx pgx.Tx, plan string, addOns []string) error {
	var plans, known []string
	const codes = `SELECT ARRAY(SELECT code FROM plan ORDER BY code), ARRAY(SELECT code FROM add_on ORDER BY code)`
	if err := tx.QueryRow(ctx, codes).Scan(&plans, &known); err != nil {
		return postgres.Fault(err, nil)
	}
	var problems schema.Problems
	if !slices.Contains(plans, plan) {
		problems.Add("plan", "must be one of %s", strings.Join(plans, ", "))
	}
	for _, addOn := range addOns {
		if !slices.Contains(known, addOn) {
			problems.Add("add_ons", "may hold %s", strings.Join(known, ", "))
			break
		}
	}
	return problems.Err()
}

func setAddOns(ctx context.Context, tx pgx.Tx, id string, addOns []string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM organization_add_on WHERE organization_id = $1`, id); err != nil {
		return postgres.Fault(err, nil)
	}
	_, err := tx.Exec(ctx, `INSERT INTO organization_add_on (organization_id, add_on)
		SELECT DISTINCT $1::uuid, unnest($2::text[])`, id, addOns)
	return postgres.Fault(err, nil)
}
