package planning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
)

// definitions are what a run is calculated with besides its inventory, as it was when the run was ordered.
type definitions struct {
	Models     []DeteriorationModel `json:"models"`
	Classes    []AssetClass         `json:"classes"`
	Treatments []Treatment          `json:"treatments"`
	Strategies []Strategy           `json:"strategies"`
	Scenarios  []Scenario           `json:"scenarios"` // in the order of the run
	Committed  []committed          `json:"committed"` // what projects of earlier runs do
}

// committed is what a project that was made of an earlier run does, once it is approved: scenarios do it whatever they would choose.
type committed struct {
	ElementID   string  `json:"element_id"`
	Year        int     `json:"year"`
	TreatmentID *string `json:"treatment_id"` // nil: catching up on deferred maintenance
	ProjectID   string  `json:"project_id"`
}

// loadDefinitions reads the organization's catalogue, and those of its scenarios that are asked for.
func loadDefinitions(ctx context.Context, tx pgx.Tx, scenarios []string) (*definitions, error) {
	c := &definitions{Committed: []committed{}}
	for _, err := range []error{
		records(ctx, tx, "deterioration_model", "true", &c.Models), records(ctx, tx, "asset_class", "true", &c.Classes),
		records(ctx, tx, "treatment", "true", &c.Treatments), records(ctx, tx, "strategy", "true", &c.Strategies),
		records(ctx, tx, "scenario", "t.id = ANY($1::uuid[])", &c.Scenarios, slices.Concat([]string{noID}, scenarios)),
	} {
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(c.Scenarios, func(a, b Scenario) int { return slices.Index(scenarios, a.ID) - slices.Index(scenarios, b.ID) })
	return c, nil
}

// columnNames are of columns that have another name than their field.
const columnNames = `jsonb_strip_nulls(jsonb_build_object('trigger', to_jsonb(t)->'possible_when', 'filter', to_jsonb(t)->'restricted_to'))`

// records reads rows of a table as the records that they are, by id. Names are ours.
func records[T any](ctx context.Context, tx pgx.Tx, table, where string, into *[]T, args ...any) error {
	rows, err := tx.Query(ctx, "SELECT (to_jsonb(t) || "+columnNames+")::text FROM "+table+
		" t WHERE t.organization_id = current_organization() AND "+where+" ORDER BY t.id", args...)
	if err != nil {
		return err
	}
	var text []byte
	_, err = pgx.ForEachRow(rows, []any{&text}, func() error {
		var record T
		if err := json.Unmarshal(text, &record); err != nil {
			return fmt.Errorf("read a %s: %w", table, err)
		}
		*into = append(*into, record)
		return nil
	})
	return err
}

// keepDefinitions keeps what a new run is calculated with.
func keepDefinitions(ctx context.Context, tx pgx.Tx, run string, scenarios []string) error {
	c, err := loadDefinitions(ctx, tx, scenarios)
	if err != nil {
		return err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx,
		"INSERT INTO run_definitions (organization_id, run_id, definitions) VALUES (current_organization(), $1, $2)", run, text)
	return err
}

// storedDefinitions gives the catalogue that a run was calculated with.
func storedDefinitions(ctx context.Context, tx pgx.Tx, run string) (*definitions, error) {
	var text []byte
	err := tx.QueryRow(ctx,
		"SELECT definitions::text FROM run_definitions WHERE organization_id = current_organization() AND run_id = $1", run).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.NotFound("planning run", run)
	}
	if err != nil {
		return nil, err
	}
	c := &definitions{}
	return c, json.Unmarshal(text, c)
}
