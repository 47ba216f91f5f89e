package main

import (
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

var cellColumns = []column{
	{"name", "name"}, {"takes new organizations", "takes_new"}, {"organizations", "organizations"}, {"rows (about)", "rows"},
	{"bytes", "bytes"}, {"problems", "problems"}, {"created", "created_at"},
}

func cellCommands(s *session) *cobra.Command {
	group := &cobra.Command{Use: "cells", Short: "List and add cells: PostgreSQL clusters that share the organizations"}
	list := &cobra.Command{Use: "list", Short: "List the cells, with what each has", Args: cobra.NoArgs}
	list.Long =
		`List the cells, with what each has: how many organizations, how many rows by the database's own estimate, how many bytes, and which
services cannot use it now.`
	list.RunE = func(cmd *cobra.Command, _ []string) error {
		return s.operate(cmd, ams.Request{Method: http.MethodGet, Path: "/internal/cells"}, cellColumns)
	}
	var closed bool
	add := &cobra.Command{Use: "add NAME", Short: "Make a cell known that every service has in AMS_CELLS", Args: cobra.ExactArgs(1)}
	add.Long =
		`Make a cell known. It is there already: "database prepare" has made its roles and schemas, each program's migrate has run there, and
every service has NAME and the address in AMS_CELLS (docs/operations/add-a-cell.md). What is missing is said, and nothing is done.

New organizations go to the cell that has the fewest of those that take new ones.`
	add.Flags().BoolVar(&closed, "closed", false, "no new organizations go there until it is opened")
	add.RunE = func(cmd *cobra.Command, args []string) error {
		return s.operate(cmd, ams.Request{Method: http.MethodPost, Path: "/internal/cells",
			Body: map[string]any{"name": args[0], "takes_new": !closed}}, cellColumns[:3])
	}
	group.AddCommand(list, add)
	for _, action := range []struct{ name, short string }{
		{"open", "Let new organizations go to a cell"}, {"close", "Let no new organizations go to a cell; those that are there stay"},
	} {
		cmd := &cobra.Command{Use: action.name + " NAME", Short: action.short, Args: cobra.ExactArgs(1)}
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			path := "/internal/cells/" + url.PathEscape(args[0]) + "/" + action.name
			return s.operate(cmd, ams.Request{Method: http.MethodPost, Path: path, Body: map[string]any{}}, cellColumns[:3])
		}
		group.AddCommand(cmd)
	}
	return group
}
