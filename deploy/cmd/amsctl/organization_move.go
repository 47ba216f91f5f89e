package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/move"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
	"ams.internal/libs/service"
)

// adminTimeout bounds each call of a move to the operator's API.
const adminTimeout = 10 * time.Second

func moveOrganization(s *session) *cobra.Command {
	var to, room string
	cmd := &cobra.Command{Use: "move NAME", Short: "Move an organization, with its sandbox, to another cell", Args: cobra.ExactArgs(1)}
	cmd.Long = `Move an organization, with its sandbox, to another cell. NAME is its name or its id.

AMS_OWNER_DATABASE_URL and AMS_OWNER_CELLS (or …_FILE) are the databases of the cells as the role that owns the tables, in the form of
AMS_DATABASE_URL and AMS_CELLS of the programs, past a pooler if there is one. Of a stack of "make run" they are known.

Everybody works on meanwhile. The organization's own writes are refused with 503 for a few seconds at the end. Counts and checksums are compared
before the switch. When it fails or is interrupted before the switch, nothing is moved; when it is killed, run it again: it finishes, or begins
anew. What is refused, and what is done when: docs/operations/move-an-organization.md.`
	cmd.Flags().StringVar(&to, "to", "", "name of the cell")
	cmd.Flags().StringVar(&room, "room", "",
		"what the database of the cell may have at most afterwards, such as 500GB (default: what its disk takes)")
	require(cmd, "to")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		client, err := s.admin()
		if err != nil {
			return err
		}
		bytes, err := sizeOf(room)
		if err != nil {
			return err
		}
		cells, err := s.ownersCells()
		if err != nil {
			return err
		}
		id, err := findOrganization(cmd.Context(), client, args[0])
		if err != nil {
			return err
		}
		if err := s.cellIsKnown(cmd.Context(), client, to); err != nil {
			return err
		}
		path := "/internal/organizations/" + url.PathEscape(id) + "/cell"
		m := &move.Move{
			Cells: cells, To: to, Organizations: []string{id, principal.SandboxOf(id)}, Services: catalogue.Product().Services(), Room: bytes,
			Report: s.reportMove(), CellOf: func(ctx context.Context) (string, error) {
				ctx, cancel := context.WithTimeout(ctx, adminTimeout)
				defer cancel()
				var found struct{ Cell string }
				err := client.Request(ctx, ams.Request{Method: http.MethodGet, Path: path}, &found)
				return found.Cell, err
			},
			Switch: func(ctx context.Context, from, to string) error {
				return client.Request(ctx, ams.Request{Method: http.MethodPost, Path: path, Body: map[string]string{"from": from, "to": to}}, nil)
			},
		}
		result, err := m.Run(cmd.Context())
		if err != nil {
			return err
		}
		return s.showMove(result)
	}
	return cmd
}

// reportMove shows what a move does, a line for each phase and for each large table.
func (s *session) reportMove() func(move.Step) {
	return func(step move.Step) {
		switch {
		case step.Rows > 0 && step.What != "":
			s.note(fmt.Sprintf("  %s %s: %d rows", step.Phase, step.What, step.Rows))
		case step.Rows > 0:
			s.note(fmt.Sprintf("  %s: %d rows written meanwhile", step.Phase, step.Rows))
		case step.What != "":
			s.note(fmt.Sprintf("  %s: %s", step.Phase, step.What))
		default:
			s.note(time.Now().UTC().Format(time.TimeOnly) + " " + step.Phase)
		}
	}
}

func (s *session) showMove(result move.Result) error {
	if s.output == "json" {
		return s.encode(result)
	}
	if result.Finished {
		_, err := fmt.Fprintf(s.out, "An earlier move to %s is finished: %d rows deleted in %s.\n", result.To, result.Deleted, result.From)
		return err
	}
	_, err := fmt.Fprintf(s.out, "Moved from %s to %s in %.1f s, of which writes paused for %.1f s: %d rows copied, %d compared, "+
		"%d deleted in %s.\n", result.From, result.To, result.Seconds, result.Paused, result.Rows, result.Compared, result.Deleted, result.From)
	return err
}

// ownersCells are the cells with the addresses of their owners, of the environment, or of the running stack.
func (s *session) ownersCells() ([]move.Cell, error) {
	first, err := secret("AMS_OWNER_DATABASE_URL")
	if err != nil {
		return nil, err
	}
	text, err := secret("AMS_OWNER_CELLS")
	if err != nil {
		return nil, err
	}
	if first == "" {
		stack, found, err := s.stack()
		if err != nil || !found || len(stack.Cells) == 0 {
			return nil, errors.Join(err, errors.New("set AMS_OWNER_DATABASE_URL and AMS_OWNER_CELLS to the databases of the cells for the role "+
				"ams_owner, or …_FILE to files that hold them"))
		}
		var cells []move.Cell
		for name, cell := range stack.Cells {
			cells = append(cells, move.Cell{Name: name, OwnerURL: cell.PostgresURL})
		}
		return cells, nil
	}
	further, err := service.ParseCells(first, text)
	if err != nil {
		return nil, fmt.Errorf("AMS_OWNER_CELLS %w", err)
	}
	cells := []move.Cell{{Name: principal.First, OwnerURL: first}}
	for _, each := range further {
		cells = append(cells, move.Cell{Name: each.Name, OwnerURL: each.Address})
	}
	return cells, nil
}

// findOrganization gives the id of an organization by its name or id. Sandboxes go with their organizations.
func findOrganization(ctx context.Context, client *ams.Client, name string) (string, error) {
	if uuid.Validate(name) == nil {
		if principal.IsSandbox(name) {
			return "", errors.New("a sandbox moves with its organization: name that")
		}
		return strings.ToLower(name), nil
	}
	var found []string
	for page := 1; ; page++ {
		var list struct {
			Data []struct {
				ID        string  `json:"id"`
				Name      string  `json:"name"`
				SandboxOf *string `json:"sandbox_of"`
			} `json:"data"`
			Pagination struct {
				Pages int `json:"total_pages"`
			} `json:"pagination"`
		}
		if err := client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/internal/organizations",
			Query: url.Values{"page": {strconv.Itoa(page)}}}, &list); err != nil {
			return "", err
		}
		for _, each := range list.Data {
			if each.Name == name && each.SandboxOf == nil {
				found = append(found, each.ID)
			}
		}
		if page >= list.Pagination.Pages {
			break
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("there is no organization %q: amsctl organizations list names them", name)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%d organizations are called %q: give the id instead, one of %s", len(found), name, strings.Join(found, ", "))
}

// cellIsKnown refuses a cell that the gateway does not know, or that a service cannot use: it would not be switched
// to after all the copying.
func (s *session) cellIsKnown(ctx context.Context, client *ams.Client, name string) error {
	var list struct {
		Data []struct {
			Name     string            `json:"name"`
			Problems map[string]string `json:"problems"`
		} `json:"data"`
	}
	if err := client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/internal/cells"}, &list); err != nil {
		return err
	}
	for _, cell := range list.Data {
		if cell.Name != name {
			continue
		}
		for program, problem := range cell.Problems {
			return fmt.Errorf("the cell %s cannot be used: %s says: %s", name, program, problem)
		}
		return nil
	}
	return fmt.Errorf("there is no cell %s: amsctl cells list names those that there are", name)
}

// units are those of sizes, the long ones first.
var units = []struct {
	name  string
	bytes int64
}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"B", 1}}

// sizeOf reads a size; an empty one is 0.
func sizeOf(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	for _, unit := range units {
		if number, found := strings.CutSuffix(strings.ToUpper(text), unit.name); found {
			if value, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil && value > 0 && value*float64(unit.bytes) < 1e18 {
				return int64(value * float64(unit.bytes)), nil
			}
			break
		}
	}
	return 0, fmt.Errorf("--room %s: give a size such as 500GB", text)
}
