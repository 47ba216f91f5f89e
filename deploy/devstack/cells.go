package devstack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/service"
)

// cellNames are the names of the cells of a stack, as many as it has.
var cellNames = []string{principal.First, "second", "third", "fourth", "fifth"}

// cell is a PostgreSQL server that has some of the organizations. The first has what is of all, too.
type cell struct {
	name     string
	adminURL string // of the administrating role
}

// programs are those that have a schema in the cell.
func (c *cell) programs() []string {
	if c.name == principal.First {
		return withSchema
	}
	return slices.DeleteFunc(slices.Clone(withSchema), service.ControlPlane)
}

// adminDatabaseURL is the administrating role's, of our database.
func (c *cell) adminDatabaseURL() string { return c.address(nil) }

func (c *cell) address(as *url.Userinfo) string {
	u, err := url.Parse(c.adminURL)
	if err != nil { // checked at the start
		panic(err)
	}
	if u.Path = "/" + database; as != nil {
		u.User = as
	}
	return u.String()
}

// roleURL is how a role reaches our database in a cell.
func (s *Stack) roleURL(c *cell, role string) string {
	return c.address(url.UserPassword(role, s.secrets.Roles[role]))
}

// furtherCells is AMS_CELLS of a program.
func (s *Stack) furtherCells(program string) string {
	if keepsNothing(program) || service.ControlPlane(program) {
		return ""
	}
	var all []string
	for _, c := range s.cells[1:] {
		all = append(all, c.name+"="+s.roleURL(c, postgres.Role(program)))
	}
	return strings.Join(all, ";")
}

// addCells makes the further cells known to the gateway, once the programs serve them.
func (s *Stack) addCells(ctx context.Context) error {
	if len(s.cells) == 1 {
		return nil
	}
	var known struct {
		Data []struct {
			Name string `json:"name"`
		} `json:"data"`
	}
	if err := s.operate(ctx, http.MethodGet, nil, &known); err != nil {
		return fmt.Errorf("listing the cells: %w", err)
	}
	for _, c := range s.cells[1:] {
		is := func(other struct {
			Name string `json:"name"`
		}) bool {
			return other.Name == c.name
		}
		if slices.ContainsFunc(known.Data, is) {
			continue
		}
		add := func(ctx context.Context) error {
			return s.operate(ctx, http.MethodPost, map[string]any{"name": c.name}, nil)
		}
		if err := await(ctx, "every service in the cell "+c.name, add); err != nil {
			return err
		}
		s.progress.logf("The cell %s takes organizations", c.name)
	}
	return nil
}

// operate calls the operator's API of cells.
func (s *Stack) operate(ctx context.Context, method string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+s.home().adminListeners[0]+"/internal/cells", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.secrets.Admin)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("the gateway answered %d: %s", response.StatusCode, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}
