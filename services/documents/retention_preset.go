package documents

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// RetentionPreset is a retention class as a by-law of a municipality in Ontario has it.
type RetentionPreset struct {
	Code        string `json:"code" example:"building-maintenance"`
	Name        string `json:"name"`
	NameFR      string `json:"name_fr"`
	Description string `json:"description"`
	Trigger     string `json:"trigger" doc:"As of a retention class." example:"created"`
	Years       int    `json:"years" example:"5"`
	Action      string `json:"action" doc:"As of a retention class." example:"review"`
	Instrument  string `json:"instrument" doc:"The by-law that it follows." example:"Town of Tillsonburg By-law 2024-062"`
	CheckedOn   string `json:"checked_on" format:"date" doc:"Day on which the preset was last compared with what could be read of the instrument."`
	Verified    bool   `json:"verified" doc:"Whether the row of the by-law's schedule was read for it; else the period goes by what is said of it."`
	Notice      string `json:"notice"`
}

// RetentionPresetList is all presets.
type RetentionPresetList struct {
	Data       []RetentionPreset    `json:"data"`
	Pagination transport.Pagination `json:"pagination"`
}

// ApplyRetentionPreset names a preset.
type ApplyRetentionPreset struct {
	Code string `path:"code" doc:"Of the preset."`
}

// AppliedRetentionPreset is what was made.
type AppliedRetentionPreset struct {
	Preset           string `json:"preset"`
	RetentionClassID string `json:"retention_class_id" format:"uuid" doc:"The class. It is switched off: compare it with your by-law, then make it active."`
}

const (
	retentionCheckedOn  = "2026-11-23"
	retentionInstrument = "Town of Tillsonburg By-law 2024-062"
	retentionNotice     = "Not legal advice. In Ontario a municipality destroys records only when a period of its own is over, " +
		"which a by-law sets with its auditor's approval (Municipal Act, 2001, s. 255): compare the class with yours before you make it active."
)

// retentionPresets follow one town's by-law: its recitals were read (they name section 255), the rows of its schedule could not be.
var retentionPresets = []RetentionPreset{
	{Code: "construction", Name: "Construction", NameFR: "Construction",
		Description: "Contracts, drawings and reports of construction: two years from the end of the project, which is the retention_base_date.",
		Trigger:     "base_date", Years: 2},
	{Code: "building-maintenance", Name: "Building maintenance", NameFR: "Entretien des bâtiments",
		Description: "Maintenance and repair of buildings: five years.", Trigger: "created", Years: 5},
	{Code: "manuals", Name: "Operating and maintenance manuals", NameFR: "Manuels d’exploitation et d’entretien",
		Description: "Manuals of equipment: one year from its removal, which is the retention_base_date.", Trigger: "base_date", Years: 1},
}

func (d *documents) mountRetentionPresets() {
	transport.Get(d.registry.API, transport.Operation{
		Path: "/v1/retention-classes/presets", ID: "list_retention_presets", Scope: "documents:read",
		Summary: "List retention classes as a by-law in Ontario has them", Description: retentionNotice,
	}, func(context.Context, struct{}) (RetentionPresetList, error) {
		list := RetentionPresetList{Data: slices.Clone(retentionPresets),
			Pagination: transport.PaginationOf(1, len(retentionPresets), int64(len(retentionPresets)))}
		for i := range list.Data {
			p := &list.Data[i]
			p.Action, p.Instrument, p.CheckedOn, p.Notice = "review", retentionInstrument, retentionCheckedOn, retentionNotice
		}
		return list, nil
	})
	transport.Post(d.registry.API, transport.Operation{
		Path: "/v1/retention-classes/presets/{code}/apply", ID: "apply_retention_preset", ResponseName: "AppliedRetentionPreset",
		Scope: "documents:write", Status: 201, Summary: "Make a retention class of a preset",
		Description: "The class is switched off: nothing is deleted by it, and no document can be given it until it is made active.",
	}, d.applyRetentionPreset)
}

func (d *documents) applyRetentionPreset(ctx context.Context, in ApplyRetentionPreset) (AppliedRetentionPreset, error) {
	applied := AppliedRetentionPreset{Preset: in.Code}
	at := slices.IndexFunc(retentionPresets, func(p RetentionPreset) bool { return p.Code == in.Code })
	if at < 0 {
		return applied, fault.NotFound("preset", in.Code)
	}
	preset := retentionPresets[at]
	err := d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		applied.RetentionClassID, err = d.registry.Create(ctx, tx, "retention_classes", "", map[string]any{
			"code": preset.Code, "name": preset.Name, "name_fr": preset.NameFR, "trigger": preset.Trigger, "years": float64(preset.Years),
			"active": false, "description": preset.Description + " As " + retentionInstrument + "."})
		return err
	})
	return applied, postgres.Fault(err, nil)
}
