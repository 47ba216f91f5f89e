package service

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// controlPlane are the programs whose rows of all organizations are in the first cell: who they are, who is signed in, who is connected.
// Whoever comes in is known before it is known which cell has his data.
var controlPlane = []string{"gateway", "console", "mcp"}

// ControlPlane says whether a program keeps its rows of all organizations in the first cell.
func ControlPlane(program string) bool { return slices.Contains(controlPlane, program) }

var cellName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

// IsCellName says whether a cell may have that name.
func IsCellName(name string) bool { return cellName.MatchString(name) }

// cells reads AMS_CELLS.
func (c Config) cells() ([]postgres.Cell, error) { return ParseCells(c.DatabaseURL, c.Cells) }

// ParseCells reads the further cells of a program whose first one has the address first. An error is a clause that shows no address.
func ParseCells(first, further string) ([]postgres.Cell, error) {
	if strings.TrimSpace(further) == "" {
		return nil, nil
	}
	known := map[string]string{}
	if first != "" {
		if place, err := placeOf(first); err == nil {
			known[place] = principal.First
		}
	}
	var all []postgres.Cell
	for i, entry := range strings.Split(strings.Trim(further, "; \r\n"), ";") {
		name, address, found := strings.Cut(strings.TrimSpace(entry), "=")
		if !found || !cellName.MatchString(name) {
			return nil, fmt.Errorf("cannot be read: entry %d is not name=postgres://…, with a name of small letters, digits and hyphens; "+
				"a semicolon in a password is written %%3B", i+1)
		}
		if name == principal.First {
			return nil, errors.New("names the cell first, which is that of AMS_DATABASE_URL: give the further ones alone")
		}
		if slices.ContainsFunc(all, func(other postgres.Cell) bool { return other.Name == name }) {
			return nil, fmt.Errorf("names the cell %s twice", name)
		}
		place, err := placeOf(address)
		if err != nil {
			return nil, fmt.Errorf("has an address for the cell %s that cannot be used: give postgres://user:password@host:port/database", name)
		}
		if other, taken := known[place]; taken {
			return nil, fmt.Errorf("gives the cell %s the database of the cell %s: a cell is a database of its own", name, other)
		}
		known[place] = name
		all = append(all, postgres.Cell{Name: name, Address: address})
	}
	return all, nil
}

// placeOf is what tells one database from another: hosts and name.
func placeOf(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	if parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" || parsed.Host == "" {
		return "", errors.New("no address of a database")
	}
	return strings.ToLower(parsed.Host) + parsed.Path, nil
}

// open opens the databases of a program.
func (c Config) open(ctx context.Context, name string) (*postgres.DB, error) {
	address, err := c.database(name)
	if err != nil {
		return nil, err
	}
	if ControlPlane(name) {
		return postgres.OpenForAll(ctx, address)
	}
	further, err := c.cells()
	if err != nil {
		return nil, &ConfigError{[]Problem{{"AMS_CELLS", err.Error()}}}
	}
	for i := range further {
		if further[i].Address, err = c.pooled(further[i].Address, name); err != nil {
			return nil, err
		}
	}
	return postgres.Open(ctx, address, further...)
}

// databases are the conditions of a process that keeps something: its database in each cell.
func databases(db *postgres.DB) []*condition {
	var all []*condition
	for _, name := range db.Cells() {
		all = append(all, &condition{name: "database", cell: name, check: func(ctx context.Context) error {
			return db.Ping(postgres.InCell(ctx, name))
		}})
	}
	return all
}
