package citus

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	pgquery "github.com/wasilibs/go-pgquery"
)

// Volatility of a function, as pg_proc has it.
const (
	immutable = "i"
	stable    = "s"
	volatile  = "v"
)

// checker knows of a schema what a statement does not say.
type checker struct {
	isolated  map[string]bool   // tables that are distributed by organization_id
	functions map[string]string // the volatility of functions by their names; of several with a name, the least
}

// finding is what Citus would refuse, or would send to every shard.
type finding struct{ what, where string }

func (f finding) String() string { return f.what + ": " + f.where }

// node is a node of the tree that PostgreSQL's parser makes, as pg_query writes it: the name of its kind, and its fields.
type node = map[string]any

// check finds what is against a statement.
func (c *checker) check(statement string) ([]finding, error) {
	text, err := pgquery.ParseToJSON(statement)
	if err != nil {
		return nil, err
	}
	var tree struct {
		Stmts []struct{ Stmt node }
	}
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		return nil, err
	}
	w := &walk{checker: c}
	for _, s := range tree.Stmts {
		w.statements(s.Stmt, nil)
	}
	return w.found, nil
}

// walk goes through one statement.
type walk struct {
	*checker
	found []finding
}

func (w *walk) add(what, format string, args ...any) {
	w.found = append(w.found, finding{what, fmt.Sprintf(format, args...)})
}

// statements looks at every statement in a tree: the outermost, and those in its subqueries and common table expressions. ctes are the
// names that those around it have defined: they hide tables.
func (w *walk) statements(tree any, ctes []string) {
	switch tree := tree.(type) {
	case []any:
		for _, child := range tree {
			w.statements(child, ctes)
		}
	case node:
		for kind, value := range tree {
			fields, _ := value.(node)
			switch kind {
			case "SelectStmt", "larg", "rarg", "InsertStmt", "UpdateStmt", "DeleteStmt":
				if fields["fromClause"] == nil && fields["targetList"] == nil && fields["op"] == nil && fields["relation"] == nil {
					break // an argument of a join
				}
				ctes := ctes
				if with, ok := fields["withClause"].(node); ok {
					for _, cte := range list(with["ctes"]) {
						ctes = append(slices.Clip(ctes), text(of(cte, "CommonTableExpr")["ctename"]))
					}
				}
				w.statement(kind, fields, ctes)
				w.statements(fields, ctes)
				continue
			}
			w.statements(value, ctes)
		}
	}
}

// statement looks at one statement, without those inside it.
func (w *walk) statement(kind string, s node, ctes []string) {
	from := &level{walk: w, ctes: ctes, tables: map[string]string{}, bound: map[string]bool{}}
	target := text(of(s["relation"], "")["relname"])
	switch kind {
	case "UpdateStmt", "DeleteStmt":
		from.item(node{"RangeVar": s["relation"]})
	case "InsertStmt":
		w.insertion(s, target)
	}
	for _, item := range append(list(s["fromClause"]), list(s["usingClause"])...) {
		from.item(item)
	}
	from.condition(s["whereClause"])
	from.report()
	if kind != "SelectStmt" && w.isolated[target] {
		w.modification(kind, s, target)
	}
}

// insertion checks that an INSERT says whose the row is.
func (w *walk) insertion(s node, target string) {
	if !w.isolated[target] {
		return
	}
	place := slices.IndexFunc(list(s["cols"]), func(c any) bool { return text(of(c, "ResTarget")["name"]) == "organization_id" })
	source := of(s["selectStmt"], "SelectStmt")
	if place < 0 || source == nil {
		w.add("no organization", "INSERT INTO %s does not name organization_id", target)
		return
	}
	values := list(source["targetList"])
	for _, row := range list(source["valuesLists"]) {
		values = list(of(row, "List")["items"])
		if contains(row, "SubLink") {
			w.add("a subquery in VALUES", "%s", target)
		}
	}
	if place >= len(values) {
		return // SELECT *
	}
	value := values[place]
	if of(value, "ResTarget") != nil {
		value = of(value, "ResTarget")["val"]
	}
	if _, column := organizationOf(value); !isArgument(value) && !column {
		w.add("no organization", "INSERT INTO %s has no argument for organization_id", target)
	}
}

// modification checks what ModifyQuerySupported and ErrorIfOnConflictNotSupported of Citus refuse.
func (w *walk) modification(kind string, s node, target string) {
	conflict := of(s["onConflictClause"], "")
	selected := of(s["selectStmt"], "SelectStmt")
	if kind == "InsertStmt" && len(list(selected["valuesLists"])) > 0 {
		selected = nil // values are worked out before the row is sent
	}
	for _, part := range []any{s["targetList"], s["whereClause"], selected["targetList"], selected["whereClause"], selected["fromClause"]} {
		w.calls(part, volatile, "a volatile function", target)
	}
	w.calls(conflict["targetList"], stable, "a function in DO UPDATE that is not immutable", target)
	w.calls(conflict["whereClause"], stable, "a function in DO UPDATE that is not immutable", target)
	w.calls(s["returningList"], stable, "a function in RETURNING that is not immutable", target)
	if kind == "InsertStmt" {
		return
	}
	for _, part := range []any{s["targetList"], s["whereClause"]} {
		w.irreducible(part, target)
	}
	for _, set := range list(s["targetList"]) {
		if text(of(set, "ResTarget")["name"]) == "organization_id" {
			w.add("a row is given to another organization", "%s", target)
		}
	}
}

// irreducible finds functions that are not immutable in CASE and COALESCE, and stable ones of columns.
func (w *walk) irreducible(tree any, target string) {
	each(tree, func(kind string, fields node) bool {
		switch kind {
		case "SubLink":
			return false // a statement of its own
		case "CaseExpr", "CoalesceExpr":
			w.calls(fields, stable, "a function in CASE or COALESCE that is not immutable", target)
			return false
		case "FuncCall":
			if name := function(fields); w.functions[name] == stable && contains(fields["args"], "ColumnRef") {
				w.add("a stable function of a column", "%s: %s", target, name)
			}
		}
		return true
	})
}

// calls finds calls of functions that are at least so changeable, outside subqueries.
func (w *walk) calls(tree any, least, what, target string) {
	each(tree, func(kind string, fields node) bool {
		switch kind {
		case "SubLink", "RangeSubselect":
			return false
		case "SQLValueFunction": // CURRENT_DATE and the like are stable
			if least == stable {
				w.add(what, "%s: %s", target, text(fields["op"]))
			}
		case "FuncCall":
			if name := function(fields); w.functions[name] == volatile || w.functions[name] == least {
				w.add(what, "%s: %s", target, name)
			}
		}
		return true
	})
}

// function is the name of the function that is called, without a schema.
func function(call node) string {
	names := list(call["funcname"])
	return text(of(names[len(names)-1], "String")["sval"])
}

// each calls visit with every node below a tree that has a kind; what is below one for which visit is false is left out.
func each(tree any, visit func(kind string, fields node) bool) {
	switch tree := tree.(type) {
	case []any:
		for _, child := range tree {
			each(child, visit)
		}
	case node:
		for kind, value := range tree {
			if fields, ok := value.(node); ok && strings.ToUpper(kind[:1]) == kind[:1] && !visit(kind, fields) {
				continue
			}
			each(value, visit)
		}
	}
}

func contains(tree any, kind string) (found bool) {
	each(tree, func(k string, _ node) bool { found = found || k == kind; return true })
	return found
}

// of gives the fields of a node of a kind; nil where it is another. The empty kind is that of a field which can have one kind only.
func of(tree any, kind string) node {
	fields, _ := tree.(node)
	if kind != "" {
		fields, _ = fields[kind].(node)
	}
	return fields
}

func list(value any) []any { all, _ := value.([]any); return all }

func text(value any) string { s, _ := value.(string); return s }
