package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

const (
	blockLines   = 1000
	mostElements = 500_000
	readTimeout  = 4 * time.Minute // for all that one service has
)

// frozen is one line of an inventory as it was sent.
type frozen struct {
	id   string
	text []byte
}

// freeze reads an inventory from the services that keep its records, and writes it whole.
func (p *planning) freeze(ctx context.Context, id string) error {
	if err := p.setInventory(ctx, id, func(i *PlanningInventory) { i.State = "reading" }); err != nil {
		return err
	}
	sources := []string{"assets"}
	if principal.From(ctx).Has("infrastructure") {
		sources = append(sources, "infrastructure")
	}
	var places, elements []frozen
	var read []InventorySource
	for _, service := range sources {
		var end inventory.End
		err := p.registry.References.Patient(readTimeout).Read(ctx, service, "/internal/inventory", struct{}{}, func(body io.Reader) (err error) {
			end, err = inventory.Read(body, func(text []byte) error {
				var line struct{ Type, ID string }
				if err := json.Unmarshal(text, &line); err != nil {
					return err
				}
				one := frozen{line.ID, bytes.Clone(text)}
				if slices.Contains(elementTypes, line.Type) {
					elements = append(elements, one)
				} else {
					places = append(places, one)
				}
				return nil
			})
			return err
		})
		if err != nil {
			return fmt.Errorf("read the inventory of %s: %w", service, brokeOff(service, err))
		}
		read = append(read, InventorySource{service, end.AsOf, end.Count, end.SHA256})
	}
	if len(elements) > mostElements {
		return impossible("too_many_elements", "There are %d assets, systems, buildings and segments; a scenario is calculated with at most %d.", len(elements), mostElements)
	}
	byID := func(a, b frozen) int { return cmp.Compare(a.id, b.id) }
	slices.SortFunc(places, byID)
	slices.SortFunc(elements, byID)
	sum := sha256.New()
	blocks, err := pack(sum, places, elements)
	if err != nil {
		return err
	}
	all, err := linesOf(places, elements)
	if err != nil {
		return err
	}
	return p.keepInventory(ctx, id, read, blocks, hex.EncodeToString(sum.Sum(nil)), all)
}

// elementTypes are what deteriorates.
var elementTypes = []string{"asset", "system", "building", "segment"}

// pack makes blocks: the first of the places, the others of elements.
func pack(sum io.Writer, places, elements []frozen) (blocks [][]any, err error) {
	add := func(lines []frozen) error {
		var packed bytes.Buffer
		zip, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // a level that is there
		first := noID
		for i, line := range lines {
			if i == 0 {
				first = line.id
			}
			for _, part := range [][]byte{line.text, {'\n'}} {
				_, _ = sum.Write(part)
				if _, err := zip.Write(part); err != nil {
					return err
				}
			}
		}
		if err := zip.Close(); err != nil {
			return err
		}
		blocks = append(blocks, []any{len(blocks), first, packed.Bytes()})
		return nil
	}
	if err := add(places); err != nil {
		return nil, err
	}
	for lines := range slices.Chunk(elements, blockLines) {
		if err := add(lines); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

const noID = "00000000-0000-0000-0000-000000000000"

// keepInventory writes all blocks, and that the inventory is ready, in one transaction.
func (p *planning) keepInventory(ctx context.Context, id string, read []InventorySource, blocks [][]any, sum string, all *inventoryLines) error {
	return p.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		organization := principal.From(ctx).OrganizationID
		if _, err := tx.Exec(ctx, "DELETE FROM inventory_block WHERE organization_id = current_organization() AND inventory_id = $1", id); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		for _, block := range blocks {
			batch.Queue("INSERT INTO inventory_block (organization_id, inventory_id, number, first_id, lines) VALUES ($1, $2, $3, $4, $5)",
				append([]any{organization, id}, block...)...)
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		kept, err := loadDefinitions(ctx, tx, nil)
		if err != nil {
			return err
		}
		counts := countElements(kept, all)
		today, now := resource.Today(ctx), time.Now().UTC().Format(time.RFC3339)
		if err := resource.Edit(ctx, tx, p.registry, "planning_inventories", id, func(i *PlanningInventory) {
			i.State, i.AsOf, i.ReadyAt, i.Sources, i.SHA256, i.Counts, i.Elements, i.LeftOut = "ready", &today, &now, read, &sum, counts, 0, 0
			for _, c := range counts {
				if c.LeftOut == nil {
					i.Elements += c.Elements
				} else {
					i.LeftOut += c.Elements
				}
			}
		}); err != nil {
			return err
		}
		return done(ctx, tx, id)
	})
}

func (p *planning) setInventory(ctx context.Context, id string, edit func(i *PlanningInventory)) error {
	return p.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return resource.Edit(ctx, tx, p.registry, "planning_inventories", id, edit)
	})
}

func (p *planning) failInventory(ctx context.Context, tx pgx.Tx, id string, problem *Problem) error {
	return resource.Edit(ctx, tx, p.registry, "planning_inventories", id, func(i *PlanningInventory) { i.State, i.Problem = "failed", problem })
}

// inventoryLines gives the lines of an inventory: the places and price indexes by id, and the elements in their order.
type inventoryLines struct {
	places   map[string]*inventory.Line
	elements []inventory.Line
}

func readInventory(ctx context.Context, tx pgx.Tx, id string) (*inventoryLines, error) {
	all := &inventoryLines{places: map[string]*inventory.Line{}}
	rows, err := tx.Query(ctx, "SELECT number, lines FROM inventory_block WHERE organization_id = current_organization() AND inventory_id = $1 ORDER BY number", id)
	if err != nil {
		return nil, err
	}
	var number int
	var packed []byte
	_, err = pgx.ForEachRow(rows, []any{&number, &packed}, func() error {
		lines, err := unpack(packed)
		if err != nil {
			return err
		}
		if number > 0 {
			all.elements = append(all.elements, lines...)
			return nil
		}
		for i := range lines {
			all.places[lines[i].ID] = &lines[i]
		}
		return nil
	})
	return all, err
}

func unpack(packed []byte) (lines []inventory.Line, err error) {
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(zip)
	for {
		var line inventory.Line
		if err := decoder.Decode(&line); err == io.EOF {
			return lines, nil
		} else if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
}

// brokeOff makes what ended early a matter of trying again.
func brokeOff(service string, err error) error {
	if errors.Is(err, inventory.ErrBrokeOff) {
		return fault.Unavailable("service_unavailable", "The %s service broke off before the end of its inventory.", service).WithCause(err)
	}
	return err
}

// linesOf are the lines that were sent, as readInventory gives those that are kept.
func linesOf(places, elements []frozen) (*inventoryLines, error) {
	all := &inventoryLines{places: map[string]*inventory.Line{}}
	for _, one := range places {
		line, err := lineOf(one.text)
		if err != nil {
			return nil, err
		}
		all.places[line.ID] = &line
	}
	for _, one := range elements {
		line, err := lineOf(one.text)
		if err != nil {
			return nil, err
		}
		all.elements = append(all.elements, line)
	}
	return all, nil
}

func lineOf(text []byte) (line inventory.Line, err error) { return line, json.Unmarshal(text, &line) }
