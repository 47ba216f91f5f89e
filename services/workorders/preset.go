package workorders

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/contracts/forms"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// Preset is a plan that a law or a standard asks for.
type Preset struct {
	Code       string `json:"code" example:"bridge-inspection"`
	Name       string `json:"name"`
	NameFR     string `json:"name_fr"`
	Instrument string `json:"instrument" doc:"The law or standard." example:"O. Reg. 104/97"`
	Section    string `json:"section" doc:"The part of it."`
	CheckedOn  string `json:"checked_on" format:"date" doc:"Day on which the preset was last compared with what could be read of the instrument."`
	Verified   bool   `json:"verified" doc:"Whether the wording of the section was read for it; else it goes by what is generally said of it."`
	ReadIn     string `json:"read_in" doc:"Where the wording was read; of a preset that is not verified, who says so. Empty where nothing was found." example:"O. Reg. 278/06, ontario.ca/laws"`
	Notice     string `json:"notice"`
	Collection string `json:"collection" doc:"What it is usually applied to." example:"segments"`
	Plans      []struct {
		Name  string `json:"name"`
		Basis string `json:"basis"`
		Due   string `json:"due" doc:"The rule, or the interval in days."`
	} `json:"plans" doc:"The plans that it makes, smaller ones first."`
	Form string `json:"form" doc:"The form that comes with it; empty for none."`

	plans []presetPlan
}

// presetPlan is one plan of a preset.
type presetPlan struct {
	name, basis, rule, window string
	days, lead, gap           int
	larger                    bool // supersedes the plans before it, but for the first so many
	but                       int
	tasks                     []string
}

// PresetList is all presets.
type PresetList struct {
	Data       []Preset             `json:"data"`
	Pagination transport.Pagination `json:"pagination"`
}

// ApplyPresetRequest says what a preset is for.
type ApplyPresetRequest struct {
	Code         string          `path:"code" doc:"Of the preset."`
	Targets      []PMTarget      `json:"targets" maxItems:"5000" doc:"What it is done on. Either these or target_filter."`
	TargetFilter *PMTargetFilter `json:"target_filter" doc:"What it is done on, looked up each time that work is made."`
	StartsOn     string          `json:"starts_on" required:"true" format:"date" doc:"First day of the plans." example:"2027-01-01"`
}

// AppliedPreset is what was made.
type AppliedPreset struct {
	Preset         string   `json:"preset"`
	PMPlanIDs      []string `json:"pm_plan_ids" doc:"The plans, all drafts: look at them, then make them active."`
	JobPlanIDs     []string `json:"job_plan_ids" doc:"What is done, one for each plan."`
	FormTemplateID *string  `json:"form_template_id" format:"uuid" doc:"The form, of a preset that has one."`
}

// checkedOn is when the presets were last compared with their instruments.
const checkedOn = "2026-11-23"

const presetNotice = "Not legal advice. The instrument itself is what binds."

func (o orders) mountPresets() {
	transport.Get(o.registry.API, transport.Operation{
		Path: "/v1/maintenance/presets", ID: "list_maintenance_presets", ResponseName: "MaintenancePresetList", RowName: "MaintenancePreset",
		Scope: maintenanceScope + ":read", Feature: maintenanceFeature, Summary: "List plans that laws and standards of Ontario ask for",
		Description: "Each names its instrument and section, and whether their wording was read. Not legal advice.",
	}, func(context.Context, struct{}) (PresetList, error) {
		list := PresetList{Data: slices.Clone(presets), Pagination: transport.PaginationOf(1, len(presets), int64(len(presets)))}
		for i := range list.Data {
			list.Data[i].complete()
		}
		return list, nil
	})
	transport.Post(o.registry.API, transport.Operation{
		Path: "/v1/maintenance/presets/{code}/apply", ID: "apply_maintenance_preset", BodyName: "MaintenancePresetApplication",
		ResponseName: "AppliedMaintenancePreset", Scope: maintenanceScope + ":write", Feature: maintenanceFeature, Status: 201, CallsOut: true,
		Summary:     "Make draft plans of a preset",
		Description: "Makes a job plan and a draft plan for each of its plans, and its form where it has one (which needs forms:write).",
	}, o.applyPreset)
}

func (p *Preset) complete() {
	p.CheckedOn, p.Notice = checkedOn, presetNotice
	for _, plan := range p.plans {
		due := plan.rule
		if plan.days > 0 {
			due = strconv.Itoa(plan.days) + " days"
		}
		p.Plans = append(p.Plans, struct {
			Name  string `json:"name"`
			Basis string `json:"basis"`
			Due   string `json:"due" doc:"The rule, or the interval in days."`
		}{plan.name, plan.basis, due})
	}
}

func (o orders) applyPreset(ctx context.Context, in ApplyPresetRequest) (AppliedPreset, error) {
	applied := AppliedPreset{Preset: in.Code, PMPlanIDs: []string{}, JobPlanIDs: []string{}}
	at := slices.IndexFunc(presets, func(p Preset) bool { return p.Code == in.Code })
	if at < 0 {
		return applied, fault.NotFound("preset", in.Code)
	}
	preset, place := presets[at], map[string]any{}
	if in.TargetFilter != nil {
		place["target_filter"] = map[string]any{"collection": in.TargetFilter.Collection, "query": in.TargetFilter.Query}
	}
	if len(in.Targets) > 0 {
		targets := make([]any, len(in.Targets))
		for i, t := range in.Targets {
			targets[i] = map[string]any{"target_type": t.TargetType, "target_id": strings.ToLower(t.TargetID)}
		}
		place["targets"] = targets
	}
	ctx, err := o.findTargets(ctx, []map[string]any{place})
	if err != nil {
		return applied, err
	}
	if preset.Form != "" {
		if applied.FormTemplateID, err = o.presetForm(ctx, preset); err != nil {
			return applied, err
		}
	}
	err = o.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		for _, plan := range preset.plans {
			job, err := o.registry.Create(ctx, tx, jobPlans.Collection, "", plan.job(applied.FormTemplateID))
			if err != nil {
				return err
			}
			body := plan.body(preset, in.StartsOn)
			body["job_plan_id"] = job
			for name, value := range place {
				body[name] = value
			}
			if plan.larger {
				smaller := []any{}
				for _, id := range applied.PMPlanIDs[plan.but:] {
					smaller = append(smaller, id)
				}
				body["supersedes"] = smaller
			}
			made, err := o.registry.Create(ctx, tx, "pm_plans", "", body)
			if err != nil {
				return err
			}
			applied.JobPlanIDs, applied.PMPlanIDs = append(applied.JobPlanIDs, job), append(applied.PMPlanIDs, made)
		}
		return nil
	})
	return applied, postgres.Fault(err, nil)
}

// job is the body of the plan's job plan.
func (p presetPlan) job(form *string) map[string]any {
	tasks := []any{}
	for _, title := range p.tasks {
		tasks = append(tasks, map[string]any{"title": title, "required": true})
	}
	body := map[string]any{"name": p.name, "type": "inspection", "tasks": tasks}
	if form != nil {
		body["form_template_id"] = *form
	}
	return body
}

// body is the body of the plan.
func (p presetPlan) body(preset Preset, startsOn string) map[string]any {
	body := map[string]any{"name": p.name, "basis": p.basis, "starts_on": startsOn, "obligation": preset.Instrument + ", " + preset.Section,
		"lead_days": float64(p.lead)}
	if p.days > 0 {
		body["trigger"] = map[string]any{"interval": map[string]any{"n": float64(p.days), "unit": "day"}}
	} else {
		month := strings.TrimPrefix(startsOn[5:7], "0")
		body["trigger"] = map[string]any{"rrule": strings.ReplaceAll(p.rule, "{month}", month)}
	}
	if p.window != "" {
		body["window"] = map[string]any{"calendar": p.window}
	}
	if p.gap > 0 {
		body["max_gap_months"] = float64(p.gap)
	}
	return body
}

// presetForm makes the form of a preset, or finds the one that is there. Its author adds what the organization asks besides.
func (o orders) presetForm(ctx context.Context, preset Preset) (*string, error) {
	rating := []string{"excellent", "good", "fair", "poor"} // the condition states of the manual
	made, err := forms.MakeTemplate.Call(ctx, o.registry.References, forms.PresetTemplate{
		Code: preset.Form, Name: preset.plans[0].name, Publish: true, Items: []map[string]any{
			{"key": "engineer", "type": "text", "label": "Professional engineer", "label_fr": "Ingénieur", "required": true},
			{"key": "inspected_on", "type": "date", "label": "Inspected on", "label_fr": "Inspecté le", "required": true},
			{"key": "state", "type": "single", "label": "Worst condition state", "label_fr": "Pire état", "options": rating, "required": true},
			{"key": "findings", "type": "text", "label": "Findings and recommended work", "label_fr": "Constats et travaux recommandés"},
		}})
	return &made.ID, err
}
