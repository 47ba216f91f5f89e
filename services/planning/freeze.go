package planning

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

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

const (
	blockLines  = 1000
	maxElements = 500_000
	freezeRoom  = maxElements / 3 // an element that is read takes a third of the memory of one that is calculated with
	readTimeout = 4 * time.Minute // for all that one service has
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
	free, err := p.turns.take(ctx, freezeRoom)
	if err != nil {
		return err
	}
	defer free()
	sources := []string{"assets"}
	if principal.From(ctx).Has("infrastructure") {
		sources = append(sources, "infrastructure")
	}
	var places, elements []frozen
	var read []InventorySource
	for _, service := range sources {
		var end inventory.End
		query := inventory.Query{Reported: true}
		err := inventory.OfService.Of(service).Read(ctx, p.registry.References, query, func(body io.Reader) (err error) {
			end, err = inventory.Read(body, func(text []byte) error {
				var line struct {
					Type string `json:"type"`
					ID   string `json:"id"`
				}
				if err := jsonv2.Unmarshal(text, &line, jsontext.AllowDuplicateNames(true)); err != nil {
					return err
				}
				one := frozen{line.ID, bytes.Clone(text)}
				if slices.Contains(elementTypes, line.Type) {
					if elements = append(elements, one); len(elements) > maxElements {
						return impossible("too_many_elements",
							"There are more than %d assets, systems, buildings and segments, with which no scenario is calculated.", maxElements)
					}
				} else {
					places = append(places, one)
				}
				return nil
			})
			return err
		})
		if err != nil {
			return fmt.Errorf("read the inventory of %s: %w", service, retryTruncated(service, err))
		}
		read = append(read, InventorySource{service, end.AsOf, end.Count, end.SHA256})
	}
	byID := func(a, b frozen) int { return cmp.Compare(a.id, b.id) }
	slices.SortFunc(places, byID)
	slices.SortFunc(elements, byID)
	sum := sha256.New()
	blocks, err := pack(sum, places, elements)
	if err != nil {
		return err
	}
	places, elements = nil, nil // what the blocks have is read from them again: both at once would take much memory
	all := newInventoryLines(len(blocks))
	for number, block := range blocks {
		if err := all.add(number, block.lines); err != nil {
			return err
		}
	}
	return p.keepInventory(ctx, id, read, blocks, hex.EncodeToString(sum.Sum(nil)), all)
}

// elementTypes are what deteriorates.
var elementTypes = []string{"asset", "system", "building", "segment"}

// block is lines as they are kept, gzipped: the first block's are the places, the others' elements.
type block struct {
	first string // id
	lines []byte
}

func pack(sum io.Writer, places, elements []frozen) (blocks []block, err error) {
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
		blocks = append(blocks, block{first, bytes.Clone(packed.Bytes())})
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

// keepInventory writes that the inventory is ready, and all blocks, in one transaction. The inventory comes first: a block takes a weaker
// lock of it, and whoever deletes it between the two would wait for us, and we for him.
func (p *planning) keepInventory(ctx context.Context, id string, read []InventorySource, blocks []block, sum string,
	all *inventoryLines) error {
	return p.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		stored, err := loadDefinitions(ctx, tx, nil)
		if err != nil {
			return err
		}
		counts := countElements(stored, all)
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
		if _, err := tx.Exec(ctx,
			"DELETE FROM inventory_block WHERE organization_id = current_organization() AND inventory_id = $1", id); err != nil {
			return err
		}
		organization := principal.From(ctx).OrganizationID
		if err := inBatches(ctx, tx, blocks, func(batch *pgx.Batch, number int, one block) {
			batch.Queue("INSERT INTO inventory_block (organization_id, inventory_id, number, first_id, lines) VALUES ($1, $2, $3, $4, $5)",
				organization, id, number, one.first, one.lines)
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
	return resource.Edit(ctx, tx, p.registry, "planning_inventories", id, func(i *PlanningInventory) {
		i.State, i.Problem = "failed", problem
	})
}

// inventoryLines gives the lines of an inventory: the places and price indexes by id, and the elements in their order.
type inventoryLines struct {
	places   map[string]*inventory.Line
	elements []inventory.Line
}

func readInventory(ctx context.Context, tx pgx.Tx, id string) (*inventoryLines, error) {
	var blocks int
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM inventory_block WHERE organization_id = current_organization() AND inventory_id = $1",
		id).Scan(&blocks); err != nil {
		return nil, err
	}
	all := newInventoryLines(blocks)
	rows, err := tx.Query(ctx,
		"SELECT number, lines FROM inventory_block WHERE organization_id = current_organization() AND inventory_id = $1 ORDER BY number", id)
	if err != nil {
		return nil, err
	}
	var number int
	var packed []byte
	_, err = pgx.ForEachRow(rows, []any{&number, &packed}, func() error { return all.add(number, packed) })
	return all, err
}

// newInventoryLines has room for what so many blocks have.
func newInventoryLines(blocks int) *inventoryLines {
	return &inventoryLines{places: map[string]*inventory.Line{}, elements: make([]inventory.Line, 0, max(0, blocks-1)*blockLines)}
}

// add adds the lines of a block.
func (l *inventoryLines) add(number int, packed []byte) error {
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	decoder := jsontext.NewDecoder(zip, jsontext.AllowDuplicateNames(true)) // PostgreSQL wrote it: there are none
	for {
		var line inventory.Line
		if err := jsonv2.UnmarshalDecode(decoder, &line); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		line.Share()
		if number > 0 {
			l.elements = append(l.elements, line)
		} else {
			l.places[line.ID] = &line
		}
	}
}

// retryTruncated makes of an inventory that ended early a 503, which is tried again.
func retryTruncated(service string, err error) error {
	if errors.Is(err, inventory.ErrTruncated) {
		return fault.Unavailable("service_unavailable", "The %s service broke off before the end of its inventory.", service).WithCause(err)
	}
	return err
}

func lineOf(text []byte) (line inventory.Line, err error) { return line, json.Unmarshal(text, &line) }
