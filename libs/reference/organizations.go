package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"ams.internal/libs/principal"
)

// Settings are what an organization says of itself; the gateway keeps them.
type Settings struct {
	TimeZone           string       `json:"time_zone"`             // IANA
	FiscalYearEndMonth int          `json:"fiscal_year_end_month"` // 1 to 12; the fiscal year ends on that month's last day
	LandArea           *json.Number `json:"land_area_km2"`         // in km², at most 4 decimals; nil: not known
	Currency           string       `json:"currency"`              // ISO 4217
	RenewalBasis       string       `json:"renewal_basis"`         // typed or typed_or_life
	FCIBands           []float64    `json:"fci_bands"`             // the upper ends of good, fair and poor; nil: the usual ones
	JurisdictionID     *string      `json:"jurisdiction_id"`       // what Open311 apps know it by, beside its id; nil: by its id alone
	PublicSettings
}

// PublicSettings are what holds for people without a key, who send requests.
type PublicSettings struct {
	ContactRetentionDays  int `json:"contact_retention_days"`   // from the end of a request until its contact data is erased
	PublicRequestsPerLink int `json:"public_requests_per_link"` // in an hour
	PublicRequestsPerDay  int `json:"public_requests_per_day"`
}

// Organization is one that exists, for work that a service does by itself.
type Organization struct {
	ID                 string   `json:"id"`
	Name               string   `json:"name"`
	Cell               string   `json:"cell"`                  // the database that has its data
	Currency           string   `json:"currency"`              // ISO 4217
	TimeZone           string   `json:"time_zone"`             // IANA
	FiscalYearEndMonth int      `json:"fiscal_year_end_month"` // 1 to 12
	Features           []string `json:"features"`              // of its plan and its add-ons

	RenewalBasis          string    `json:"renewal_basis"` // as the principal's
	RenewalBasisChangedOn []string  `json:"renewal_basis_changed_on"`
	FCIBands              []float64 `json:"fci_bands"`
	SuspendedAt           *string   `json:"suspended_at"` // by the operator; nil: it works
	PublicSettings
}

// Principal is a service as the actor in the organization.
func (o Organization) Principal(service string) principal.Principal {
	p := servicePrincipal(service)
	p.OrganizationID, p.Cell = o.ID, o.Cell
	p.Currency, p.TimeZone, p.FiscalYearEnd, p.Features = o.Currency, o.TimeZone, o.FiscalYearEndMonth, o.Features
	p.RenewalBasis, p.RenewalBasisChangedOn, p.FCIBands = o.RenewalBasis, o.RenewalBasisChangedOn, o.FCIBands
	return p
}

func servicePrincipal(service string) principal.Principal {
	return principal.Principal{Actor: principal.Actor{Type: "service", ID: service, Name: service}}
}

// Principals gives, for work that a service does by itself, all organizations of the cell of a context, each as the principal
// on whose behalf it is done.
func (c *Client) Principals(service string) func(ctx context.Context) ([]principal.Principal, error) {
	return func(ctx context.Context) ([]principal.Principal, error) {
		all, err := c.Organizations(ctx, service)
		principals := make([]principal.Principal, len(all))
		for i, o := range all {
			principals[i] = o.Principal(service)
		}
		return principals, err
	}
}

// gateway is the name of the gateway's internal listener.
const gateway = "gateway-internal"

// organizationsPath is where the gateway has organizations.
const organizationsPath = internalPrefix + "/organizations"

// OrganizationPath is where the gateway has one organization, and below it what belongs to it.
func OrganizationPath(id string) string { return organizationsPath + "/" + id }

// Settings gives the settings of the caller's organization. service is the one that asks. A gateway that is unavailable is a 503.
func (c *Client) Settings(ctx context.Context, service string) (found Settings, err error) {
	p := principal.From(ctx)
	p.Actor = servicePrincipal(service).Actor
	err = c.Call(principal.Into(ctx, p), gateway, http.MethodGet, OrganizationPath(p.OrganizationID)+"/settings", nil, &found)
	return found, err
}

// Organization gives one organization. service is the one that asks. One that does not exist is a 404, a gateway that is unavailable a 503.
func (c *Client) Organization(ctx context.Context, service, id string) (found Organization, err error) {
	p := servicePrincipal(service)
	p.OrganizationID, p.RequestID = id, principal.From(ctx).RequestID
	err = c.Call(principal.Into(ctx, p), gateway, http.MethodGet, OrganizationPath(id), nil, &found)
	return found, err
}

// Jurisdiction gives the id of the organization that Open311 apps know by a name. service is the one that asks. A name that nobody has is a
// 404, a gateway that is unavailable a 503.
func (c *Client) Jurisdiction(ctx context.Context, service, name string) (organizationID string, err error) {
	p := servicePrincipal(service)
	p.RequestID = principal.From(ctx).RequestID
	var found struct {
		OrganizationID string `json:"organization_id"`
	}
	err = c.Call(principal.Into(ctx, p), gateway, http.MethodGet, internalPrefix+"/jurisdictions/"+url.PathEscape(name), nil, &found)
	return found.OrganizationID, err
}

// organizationsPerPage is how many organizations the gateway is asked for at once.
const organizationsPerPage = 100

// Organizations gives all organizations of the cell of ctx, or of all where it has none, the oldest first, without those that are
// suspended. service is the one that asks. One that is made meanwhile may be missing.
func (c *Client) Organizations(ctx context.Context, service string) ([]Organization, error) {
	cell := principal.From(ctx).Cell
	ctx = principal.Into(ctx, servicePrincipal(service))
	var all []Organization
	for page := 1; ; page++ {
		var found struct {
			Data       []Organization `json:"data"`
			Pagination struct {
				TotalPages int `json:"total_pages"`
			} `json:"pagination"`
		}
		path := fmt.Sprintf(organizationsPath+"?page=%d&per_page=%d", page, organizationsPerPage)
		if err := c.Call(ctx, gateway, http.MethodGet, path, nil, &found); err != nil {
			return nil, err
		}
		for _, organization := range found.Data {
			if p := organization.Principal(service); organization.SuspendedAt == nil && (cell == "" || cell == p.CellName()) {
				all = append(all, organization)
			}
		}
		if page >= found.Pagination.TotalPages {
			return all, nil
		}
	}
}
