package reference

import (
	"context"
	"net/http"

	"ams.internal/libs/principal"
)

// CellState is what a service says of its schema in a cell.
type CellState struct {
	BaseVersion int64 `json:"base_version" doc:"The last migration that all schemas have in common."`
	Version     int64 `json:"version" doc:"The last migration of the service's own."`
	Rows        int64 `json:"rows" doc:"Of all its tables, as the database estimates them."`
	Bytes       int64 `json:"bytes" doc:"Of the database that the schema is in."`
}

// Cell is what a service says of the cell of the caller's principal. One that does not know the cell answers 503, cell_unknown.
var Cell = Contract[struct{}, CellState]{Path: "/cell", Repeatable: true}

// CellOfOrganization asks the gateway for the cell of the caller's organization.
func (c *Client) CellOfOrganization(ctx context.Context) (string, error) {
	var found struct {
		Cell string `json:"cell"`
	}
	err := c.Call(ctx, gateway, http.MethodGet, OrganizationPath(principal.From(ctx).OrganizationID)+"/cell", nil, &found)
	return found.Cell, err
}

// noOrganization is what stands for no organization in a principal that must have one.
const noOrganization = "00000000-0000-0000-0000-000000000000"

// located gives the principal of a call, with the cell of its organization: one of a program that does not know it, because its own rows of
// all organizations are in one place, asks for it.
func (c *Client) located(ctx context.Context, service string) (principal.Principal, error) {
	p := principal.From(ctx)
	if p.Cell != "" || c.CellOf == nil || service == gateway || p.OrganizationID == "" || p.OrganizationID == noOrganization {
		return p, nil
	}
	var err error
	p.Cell, err = c.CellOf(ctx, p.OrganizationID)
	return p, err
}
