package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	"ams.internal/libs/calendar"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// organizationSettings are what an organization's own days and figures follow from, and what holds for people without a key.
type organizationSettings struct {
	keys.Settings
	publicSettings
	Currency string `json:"currency"` // set when the organization was made
}

// publicSettings are what holds for people without a key, who send requests.
type publicSettings struct {
	JurisdictionID        *string `json:"jurisdiction_id"`          // what Open311 apps know the organization by, beside its id; the operator gives it out
	ContactRetentionDays  int     `json:"contact_retention_days"`   // from the end of a request until its contact data is erased
	PublicRequestsPerLink int     `json:"public_requests_per_link"` // in an hour
	PublicRequestsPerDay  int     `json:"public_requests_per_day"`
}

func (o organization) settings() organizationSettings {
	return organizationSettings{o.Settings, o.publicSettings, o.Currency}
}

// settings are the operations on the settings of organizations.
type settings struct{ db *postgres.DB }

func (s *settings) mount(api *transport.API) {
	const path = "/internal/organizations/{id}/settings"
	transport.Get(api, transport.Operation{Path: path, ID: "get_settings"}, s.getSettings)
	update := transport.Operation{Method: http.MethodPatch, Path: path, ID: "update_settings"}
	update.Body = map[string]any{"type": "object"}
	api.Handle(update, s.updateSettings)
	transport.Get(api, transport.Operation{Path: "/internal/jurisdictions/{id}", ID: "find_jurisdiction"}, s.findJurisdiction)
}

// getSettings gives an organization's settings to its Administrators, to our services and to the platform's admin.
func (s *settings) getSettings(ctx context.Context, in byOrganization) (organizationSettings, error) {
	ctx, err := authorizeSandbox(ctx, in.ID, rolePlatformAdmin, roleService, roleAdministrator)
	if err != nil {
		return organizationSettings{}, err
	}
	var found organization
	err = s.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		found, err = readOrganization(ctx, tx, in.ID)
		return err
	})
	return found.settings(), postgres.Fault(err, nil)
}

// updateSettings changes the settings that are given. Every request reads them, so the change holds from the next one on; a request
// that is running keeps those that it began with.
func (s *settings) updateSettings(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if ctx, err = authorize(ctx, id, rolePlatformAdmin, roleAdministrator); err != nil {
		return nil, err
	}
	given, err := r.Object()
	if err != nil {
		return nil, err
	}
	var changed organizationSettings
	err = s.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		before, err := lockOrganization(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := before.ofItsOwn("time_zone"); err != nil {
			return err
		}
		if changed, err = readSettings(ctx, tx, given, before.settings()); err != nil {
			return err
		}
		return setSettings(ctx, tx, before, changed)
	})
	if err != nil {
		return nil, postgres.Fault(err, nil)
	}
	return transport.JSON(http.StatusOK, changed)
}

// readSettings lays what is given over the present settings, and names every field that is wrong.
func readSettings(ctx context.Context, tx pgx.Tx, given map[string]any, present organizationSettings) (organizationSettings, error) {
	var problems schema.Problems
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch value := given[name]; name {
		case "time_zone":
			zone, _ := value.(string)
			known, err := knowsZone(ctx, tx, zone)
			if err != nil {
				return present, err
			}
			if present.TimeZone = zone; !known {
				problems.Add(name, "must be the IANA name of a time zone, such as America/Toronto")
			}
		case "fiscal_year_end_month":
			month, isNumber := value.(float64)
			if present.FiscalYearEndMonth = int(month); !isNumber || month != math.Trunc(month) || month < 1 || month > 12 {
				problems.Add(name, "must be a month from 1 to 12: the fiscal year ends on its last day")
			}
		case "land_area_km2":
			present.LandArea = readLandArea(value, &problems)
		case "renewal_basis":
			basis, _ := value.(string)
			if basis != principal.RenewalTyped && basis != principal.RenewalTypedOrLife {
				problems.Add(name, "must be typed or typed_or_life: renewals are due by planned_renewal_year, or else at the end of the life")
				continue
			}
			present.change(basis)
		case "fci_bands":
			present.FCIBands = readBands(value, &problems)
		case "renewal_basis_changed_on":
			problems.Add(name, "follows from changes of renewal_basis")
		case "contact_retention_days":
			present.ContactRetentionDays = readWhole(name, value, maxRetention, &problems)
		case "public_requests_per_link":
			present.PublicRequestsPerLink = readWhole(name, value, maxPerLink, &problems)
		case "public_requests_per_day":
			present.PublicRequestsPerDay = readWhole(name, value, maxPerDay, &problems)
		case "jurisdiction_id":
			present.JurisdictionID = readJurisdiction(ctx, value, &problems)
		case "currency":
			problems.Add(name, "is set when the organization is made, and never changed")
		default:
			problems.Add(name, "is no setting; time_zone, fiscal_year_end_month, land_area_km2, renewal_basis, fci_bands, contact_retention_days, "+
				"public_requests_per_link, public_requests_per_day and jurisdiction_id are")
		}
	}
	return present, problems.Err()
}

// knowsZone says whether our programs and the database both know a time zone.
func knowsZone(ctx context.Context, tx pgx.Tx, name string) (known bool, err error) {
	if _, unknown := calendar.Zone(name); unknown != nil {
		name = "" // which PostgreSQL does not know either
	}
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = $1)`, name).Scan(&known)
	return known, postgres.Fault(err, nil)
}

// maxLandArea is in km², and the highest that its column holds in whole ones.
const maxLandArea = 99_999_999

func readLandArea(value any, problems *schema.Problems) *json.Number {
	if value == nil {
		return nil
	}
	area, isNumber := value.(float64)
	text := json.Number(strconv.FormatFloat(area, 'f', -1, 64))
	decimals := strconv.FormatFloat(area, 'f', 4, 64)
	if rounded, _ := strconv.ParseFloat(decimals, 64); !isNumber || area <= 0 || area > maxLandArea || rounded != area {
		problems.Add("land_area_km2",
			"must be square kilometres above 0, at most %d, with at most 4 decimals; null where the area is not known", maxLandArea)
	}
	return &text
}

// The highest of the settings for people without a key; columns check the same.
const (
	maxRetention = 3650 // days
	maxPerLink   = 10_000
	maxPerDay    = 100_000
)

// readBands reads the upper ends of good, fair and poor.
func readBands(value any, problems *schema.Problems) []float64 {
	if value == nil {
		return nil
	}
	given, _ := value.([]any)
	var bands []float64
	last := 0.0
	for _, each := range given {
		end, isNumber := each.(float64)
		if rounded := math.Round(end*100) / 100; isNumber && end > last && end < 10_000 && rounded == end {
			bands, last = append(bands, end), end
		}
	}
	if len(given) != 3 || len(bands) != 3 {
		problems.Add("fci_bands", "must be three ascending percentages above 0 with at most 2 decimals, the upper ends of good, fair and poor, "+
			"such as [5, 10, 30]; null for these")
		return nil
	}
	return bands
}

// change sets what renewals are due by from today on. What was before follows from the days of changes: two on one day are none.
func (s *organizationSettings) change(basis string) {
	if basis == s.RenewalBasis {
		return
	}
	s.RenewalBasis = basis
	days, today := s.RenewalBasisChangedOn, s.Calendar().Today()
	if last := len(days) - 1; last >= 0 && days[last] >= today {
		s.RenewalBasisChangedOn = days[:last]
		return
	}
	s.RenewalBasisChangedOn = append(slices.Clone(days), today)
}

func readWhole(name string, value any, limit int, problems *schema.Problems) int {
	number, isNumber := value.(float64)
	if !isNumber || number != math.Trunc(number) || number < 1 || number > float64(limit) {
		problems.Add(name, "must be a whole number from 1 to %d", limit)
		return 0
	}
	return int(number)
}

// jurisdictions are names as domains are. None is a UUID: those are ids of organizations.
var jurisdictions = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,98}[a-z0-9])?$`)

// readJurisdiction reads the name that Open311 apps know the organization by. The operator gives it out, as he gives the organization its
// name: whoever took another town's would get its residents' requests.
func readJurisdiction(ctx context.Context, value any, problems *schema.Problems) *string {
	name, isText := value.(string)
	switch {
	case role(principal.From(ctx).Scopes[0]) != rolePlatformAdmin:
		problems.Add("jurisdiction_id", "is given out by the platform's operator")
	case value == nil:
		return nil
	case !isText || !jurisdictions.MatchString(name) || schema.IsUUID(name):
		problems.Add("jurisdiction_id", "must have 1 to 100 small letters, digits, points and hyphens, such as riviere-claire.ca; null for none")
	}
	return &name
}

// setSettings writes the settings with their entry in the trail, where they differ.
func setSettings(ctx context.Context, tx pgx.Tx, before organization, after organizationSettings) error {
	changes := map[string]any{}
	for name, values := range map[string][2]any{
		"time_zone":                {before.TimeZone, after.TimeZone},
		"fiscal_year_end_month":    {before.FiscalYearEndMonth, after.FiscalYearEndMonth},
		"land_area_km2":            {before.LandArea, after.LandArea},
		"renewal_basis":            {before.RenewalBasis, after.RenewalBasis},
		"fci_bands":                {before.FCIBands, after.FCIBands},
		"jurisdiction_id":          {before.JurisdictionID, after.JurisdictionID},
		"contact_retention_days":   {before.ContactRetentionDays, after.ContactRetentionDays},
		"public_requests_per_link": {before.PublicRequestsPerLink, after.PublicRequestsPerLink},
		"public_requests_per_day":  {before.PublicRequestsPerDay, after.PublicRequestsPerDay},
	} {
		if !reflect.DeepEqual(values[0], values[1]) { // pointers by what they point to
			changes[name] = values
		}
	}
	if len(changes) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, `UPDATE organization SET time_zone = $2, fiscal_year_end_month = $3, land_area_km2 = $4::text::numeric,
			jurisdiction_id = $5, contact_retention_days = $6, public_requests_per_link = $7, public_requests_per_day = $8,
			renewal_basis = $9, renewal_basis_changed_on = $10::text[]::date[], fci_bands = $11::double precision[]::numeric[], updated_at = now()
		WHERE organization_id = $1`, before.ID, after.TimeZone, after.FiscalYearEndMonth, after.LandArea, after.JurisdictionID,
		after.ContactRetentionDays, after.PublicRequestsPerLink, after.PublicRequestsPerDay,
		after.RenewalBasis, after.RenewalBasisChangedOn, after.FCIBands); err != nil {
		return postgres.Fault(err, func(string) (string, any) { return "jurisdiction_id", after.JurisdictionID })
	}
	return audit(ctx, tx, "organization.settings_changed", subject{"organization", before.ID, before.Name}, changes)
}

// findJurisdiction gives our own services the organization that Open311 apps know by a name.
func (s *settings) findJurisdiction(ctx context.Context, in byJurisdiction) (found jurisdiction, err error) {
	if ctx, err = authorize(ctx, platform, roleService); err != nil {
		return found, err
	}
	err = s.db.Pool().QueryRow(ctx, `SELECT organization_of_jurisdiction($1)::text`, in.ID).Scan(&found.OrganizationID)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, fault.New(fault.KindNotFound, "not_found", "There is no jurisdiction %s.", in.ID)
	}
	return found, postgres.Fault(err, nil)
}

type byJurisdiction struct {
	ID string `path:"id"`
}

type jurisdiction struct {
	OrganizationID string `json:"organization_id"`
}
