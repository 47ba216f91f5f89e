package los

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// TemplatesRequest is a request for a page of templates.
type TemplatesRequest struct {
	Page    int `query:"page" default:"1" minimum:"1" doc:"From 1."`
	PerPage int `query:"per_page" default:"25" minimum:"1" maximum:"1000" doc:"Templates on a page."`
}

// TemplateList is the templates.
type TemplateList struct {
	Data       []Template           `json:"data"`
	Pagination transport.Pagination `json:"pagination"`
}

// Pages implements transport.Paged.
func (l TemplateList) Pages() transport.Pages {
	return l.Pagination.Pages()
}

// ApplyTemplateRequest names the template that is applied to a service area.
type ApplyTemplateRequest struct {
	ID       string  `path:"id" format:"uuid" doc:"Of the service area, as the list gives it."`
	Template *string `json:"template" enum:"roads,bridges_culverts,water,wastewater,stormwater" doc:"The template; the one for the area's category when left out." example:"roads"`
	Language string  `json:"language" default:"en" enum:"en,fr" doc:"Language of the measures' names, descriptions and units." example:"fr"`
}

// AppliedTemplate is the result of applying a template.
type AppliedTemplate struct {
	ServiceAreaID   string           `json:"service_area_id" format:"uuid"`
	Template        string           `json:"template"`
	Created         int              `json:"created" doc:"Measures that were made."`
	Skipped         int              `json:"skipped" doc:"Measures of the template that the area has already."`
	Data            []*Measure       `json:"data"`
	SkippedMeasures []SkippedMeasure `json:"skipped_measures" doc:"The measures that were there, left as they are."`
}

// SkippedMeasure is a measure of a template that the area has already, by its regulation_ref or by its name.
type SkippedMeasure struct {
	ID            string  `json:"id" format:"uuid"`
	Name          string  `json:"name"`
	RegulationRef *string `json:"regulation_ref"`
}

func (f family) mountTemplates() {
	transport.Get(f.registry.API, transport.Operation{
		Path: "/v1/los/templates", ID: "list_los_templates", ResponseName: "LosTemplateList", RowName: "LosTemplate", Scope: "los:read",
		Feature: feature, Summary: "List the measures of O. Reg. 588/17, in English and French",
		Description: "One template for each of Tables 1 to 5: community levels of service in words, technical ones in numbers. The wording " +
			"follows the regulation; the regulation itself is what binds.",
	}, func(_ context.Context, in TemplatesRequest) (TemplateList, error) {
		start := min((in.Page-1)*in.PerPage, len(templates))
		page := templates[start:min(start+in.PerPage, len(templates))]
		return TemplateList{page, transport.PaginationOf(in.Page, in.PerPage, int64(len(templates)))}, nil
	})
	integer := map[string]any{"type": "integer"}
	transport.Post(f.registry.API, transport.Operation{
		Path: "/v1/los/service-areas/{id}/apply-template", ID: "apply_los_template",
		BodyName: "LosTemplateApplication", ResponseName: "AppliedLosTemplate", Scope: "los:write", Feature: feature,
		Summary: "Put the measures of O. Reg. 588/17 into a service area",
		Description: "Measures that the area has already, by regulation_ref or by name in either language, are left as they are and named " +
			"in skipped_measures; applying a template twice changes nothing.",
		Response: map[string]any{
			"type": "object", "required": []string{"service_area_id", "template", "created", "skipped", "data", "skipped_measures"},
			"properties": map[string]any{
				"service_area_id": map[string]any{"type": "string", "format": "uuid"}, "template": map[string]any{"type": "string"},
				"created": integer, "skipped": integer,
				"data": map[string]any{"type": "array", "items": transport.Reference("Measure"),
					"description": "The measures that were made."},
				"skipped_measures": map[string]any{"type": "array", "items": schema.Shown(reflect.TypeFor[SkippedMeasure]()).JSON,
					"description": "The measures that were there, left as they are."},
			},
		},
	}, f.applyTemplate)
}

func (f family) applyTemplate(ctx context.Context, in ApplyTemplateRequest) (AppliedTemplate, error) {
	applied := AppliedTemplate{ServiceAreaID: strings.ToLower(in.ID), Data: []*Measure{}, SkippedMeasures: []SkippedMeasure{}}
	err := f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		template, err := f.templateFor(ctx, tx, applied.ServiceAreaID, in.Template)
		if err != nil {
			return err
		}
		applied.Template = template.Template
		existing, err := measuresOf(ctx, tx, applied.ServiceAreaID)
		if err != nil {
			return err
		}
		for _, m := range template.Measures {
			if known := m.among(existing); known != nil {
				applied.SkippedMeasures = append(applied.SkippedMeasures, *known)
			} else {
				applied.Data = append(applied.Data, f.measure(applied.ServiceAreaID, m, in.Language))
			}
		}
		// Another transaction may be giving a measure one of these names at the same time.
		return postgres.Fault(resource.Insert(ctx, tx, f.registry, measures.Collection, applied.Data), nil)
	})
	applied.Created, applied.Skipped = len(applied.Data), len(applied.SkippedMeasures)
	return applied, err
}

// templateFor chooses the template for a service area, and locks the area. Another call that applies a template at the same time
// waits, and then finds the measures.
func (f family) templateFor(ctx context.Context, tx pgx.Tx, area string, requested *string) (*Template, error) {
	rows, err := tx.Query(ctx, "SELECT category FROM service_area WHERE organization_id = current_organization() AND id = $1::uuid "+
		"FOR NO KEY UPDATE", area)
	if err != nil {
		return nil, err
	}
	categories, err := pgx.CollectRows(rows, pgx.RowTo[*string])
	if err != nil {
		return nil, err
	}
	if len(categories) == 0 {
		return nil, fault.NotFound("service area", area)
	}
	category := categories[0]
	switch {
	case requested == nil && category == nil:
		return nil, invalidTemplate("is required, because the service area has no category: one of %s", strings.Join(coreCategories, ", "))
	case requested == nil:
		requested = category
	case category != nil && *category != *requested:
		return nil, invalidTemplate("is %s, but the service area's category is %s; leave it out, or choose another area", *requested, *category)
	}
	i := slices.IndexFunc(templates, func(t Template) bool { return t.Template == *requested })
	if i < 0 {
		return nil, invalidTemplate("there is none for the service area's category %s; O. Reg. 588/17 has measures for %s", *requested,
			strings.Join(coreCategories, ", "))
	}
	return &templates[i], nil
}

func invalidTemplate(format string, args ...any) error {
	var problems schema.Problems
	problems.Add("template", format, args...)
	return problems.Err()
}

func measuresOf(ctx context.Context, tx pgx.Tx, area string) ([]SkippedMeasure, error) {
	rows, err := tx.Query(ctx, "SELECT id::text, name, regulation_ref FROM measure WHERE organization_id = current_organization() AND "+
		"service_area_id = $1::uuid ORDER BY position", area)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[SkippedMeasure])
}

// among finds the template's measure among those of an area: by its place in the regulation, or by its name.
func (m *TemplateMeasure) among(existing []SkippedMeasure) *SkippedMeasure {
	for i, known := range existing {
		name := schema.UniqueKey(known.Name)
		if known.RegulationRef != nil && *known.RegulationRef == m.RegulationRef || name == schema.UniqueKey(m.Name) ||
			name == schema.UniqueKey(m.NameFR) {
			return &existing[i]
		}
	}
	return nil
}

// measure makes the record of a template's measure in a language.
func (f family) measure(area string, m TemplateMeasure, language string) *Measure {
	record := resource.New[Measure](f.registry, measures.Collection)
	record.ServiceAreaID, record.MeasureType, record.ValueKind, record.Direction = area, m.MeasureType, m.ValueKind, m.Direction
	record.Attribute, record.RegulationRef, record.ComputedMetric = &m.Attribute, &m.RegulationRef, m.ComputedMetric
	record.Name, record.Description, record.Unit = m.Name, &m.Description, m.Unit
	if language == "fr" {
		record.Name, record.Description, record.Unit = m.NameFR, &m.DescriptionFR, m.UnitFR
	}
	record.setDataSource()
	return record
}
