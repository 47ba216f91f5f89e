package accounts

import (
	"context"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"

	"encoding/json"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	"ams.internal/libs/calendar"
	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// organizationSettings are what an organization's own days and figures follow from.
type organizationSettings struct {
	keys.Settings
	Currency string `json:"currency"` // set when the organization was made
}

// settings are the operations on the settings of organizations.
type settings struct{ db *postgres.DB }

func (s *settings) mount(api *transport.API) {
	const path = "/internal/organizations/{id}/settings"
	transport.Get(api, transport.Operation{Path: path, ID: "get_settings"}, s.getSettings)
	update := transport.Operation{Method: http.MethodPatch, Path: path, ID: "update_settings"}
	update.Body = map[string]any{"type": "object"}
	api.Handle(update, s.updateSettings)
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
	return organizationSettings{found.Settings, found.Currency}, postgres.Fault(err, nil)
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
	var changed organization
	err = s.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		before, err := lockOrganization(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := before.ofItsOwn("time_zone"); err != nil {
			return err
		}
		after, err := readSettings(ctx, tx, given, before.Settings)
		if err != nil {
			return err
		}
		changed = before
		changed.Settings = after
		return setSettings(ctx, tx, before, after)
	})
	if err != nil {
		return nil, postgres.Fault(err, nil)
	}
	return transport.JSON(http.StatusOK, organizationSettings{changed.Settings, changed.Currency})
}

// readSettings lays what is given over the present settings, and names every field that is wrong.
func readSettings(ctx context.Context, tx pgx.Tx, given map[string]any, present keys.Settings) (keys.Settings, error) {
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
		case "currency":
			problems.Add(name, "is set when the organization is made, and never changed")
		default:
			problems.Add(name, "cannot be changed; time_zone, fiscal_year_end_month and land_area_km2 can")
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

// setSettings writes the settings with their entry in the trail, where they differ.
func setSettings(ctx context.Context, tx pgx.Tx, before organization, after keys.Settings) error {
	changes := map[string]any{}
	if before.TimeZone != after.TimeZone {
		changes["time_zone"] = [2]string{before.TimeZone, after.TimeZone}
	}
	if before.FiscalYearEndMonth != after.FiscalYearEndMonth {
		changes["fiscal_year_end_month"] = [2]int{before.FiscalYearEndMonth, after.FiscalYearEndMonth}
	}
	if (before.LandArea == nil) != (after.LandArea == nil) || before.LandArea != nil && *before.LandArea != *after.LandArea {
		changes["land_area_km2"] = [2]*json.Number{before.LandArea, after.LandArea}
	}
	if len(changes) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, `UPDATE organization SET time_zone = $2, fiscal_year_end_month = $3, land_area_km2 = $4::text::numeric,
		updated_at = now() WHERE organization_id = $1`, before.ID, after.TimeZone, after.FiscalYearEndMonth, after.LandArea); err != nil {
		return postgres.Fault(err, nil)
	}
	return audit(ctx, tx, "organization.settings_changed", subject{"organization", before.ID, before.Name}, changes)
}
