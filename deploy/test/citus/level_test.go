package citus

import (
	"maps"
	"slices"
)

// level is one FROM clause with its conditions.
type level struct {
	*walk
	ctes   []string
	tables map[string]string // the name that a distributed table has here → the table
	bound  map[string]bool   // names whose organization is an argument
	equal  [][2]string       // names whose organizations are equal
	other  map[string]bool   // names of what is no table: its own tables are looked at where it stands
}

// item adds what stands in FROM.
func (l *level) item(item any) {
	if l.other == nil {
		l.other = map[string]bool{}
	}
	for kind, value := range of(item, "") {
		fields := of(value, "")
		name := text(of(fields["alias"], "")["aliasname"])
		switch kind {
		case "RangeVar":
			table := text(fields["relname"])
			if name == "" {
				name = table
			}
			if l.isolated[table] && !slices.Contains(l.ctes, table) {
				l.tables[name] = table
			} else {
				l.other[name] = true
			}
		case "JoinExpr":
			before := slices.Collect(maps.Keys(l.tables))
			l.item(fields["larg"])
			l.item(fields["rarg"])
			for _, column := range list(fields["usingClause"]) {
				if text(of(column, "String")["sval"]) == "organization_id" {
					l.join(before)
				}
			}
			l.condition(fields["quals"])
		default:
			l.other[name] = true
		}
	}
}

// join says that all tables of a join USING (organization_id) are of one organization.
func (l *level) join(before []string) {
	var joined []string
	for name := range l.tables {
		if !slices.Contains(before, name) {
			joined = append(joined, name)
		}
	}
	for _, name := range joined {
		l.equal = append(l.equal, [2]string{joined[0], name})
	}
	for name := range l.other {
		if len(joined) > 0 {
			l.equal = append(l.equal, [2]string{joined[0], name})
		}
	}
}

// condition notes what a condition says of organizations: only what holds for all rows, so nothing below OR.
func (l *level) condition(condition any) {
	if all := of(condition, "BoolExpr"); all != nil {
		if text(all["boolop"]) == "AND_EXPR" {
			for _, part := range list(all["args"]) {
				l.condition(part)
			}
		}
		return
	}
	comparison := of(condition, "A_Expr")
	if comparison == nil || text(comparison["kind"]) != "AEXPR_OP" || text(of(list(comparison["name"])[0], "String")["sval"]) != "=" {
		return
	}
	left, right := of(comparison["lexpr"], "RowExpr"), of(comparison["rexpr"], "RowExpr")
	if left == nil || right == nil {
		l.equality(comparison["lexpr"], comparison["rexpr"])
		return
	}
	for i, value := range list(left["args"]) {
		l.equality(value, list(right["args"])[i])
	}
}

func (l *level) equality(a, b any) {
	left, isLeft := organizationOf(a)
	right, isRight := organizationOf(b)
	switch {
	case isLeft && isRight:
		l.equal = append(l.equal, [2]string{left, right})
	case isLeft && isArgument(b):
		l.bind(left)
	case isRight && isArgument(a):
		l.bind(right)
	}
}

// bind notes that a name's organization is an argument; without a name, it is that of the only table here that has one.
func (l *level) bind(name string) {
	if name != "" {
		l.bound[name] = true
		return
	}
	for name := range l.tables {
		l.bound[name] = true
	}
}

// report adds the tables whose organization is no argument, neither by themselves nor by what they are joined with.
func (l *level) report() {
	for changed := true; changed; {
		changed = false
		for _, pair := range l.equal {
			for i, name := range pair {
				// What is no table of this level is looked at where it stands.
				if known := l.bound[name] || l.tables[name] == ""; known && !l.bound[pair[1-i]] {
					l.bound[pair[1-i]], changed = true, true
				}
			}
		}
	}
	for name, table := range l.tables {
		if !l.bound[name] {
			l.add("no organization", "%s is read or written without an argument for organization_id", table)
		}
	}
}

// organizationOf gives the name before .organization_id, empty where the column stands alone; false where it is something else.
func organizationOf(value any) (name string, is bool) {
	fields := list(of(value, "ColumnRef")["fields"])
	if len(fields) == 0 || text(of(fields[len(fields)-1], "String")["sval"]) != "organization_id" {
		return "", false
	}
	if len(fields) > 1 {
		name = text(of(fields[len(fields)-2], "String")["sval"])
	}
	return name, true
}

// isArgument is true for $1 and for a constant, with or without a cast.
func isArgument(value any) bool {
	if cast := of(value, "TypeCast"); cast != nil {
		value = cast["arg"]
	}
	return of(value, "ParamRef") != nil || of(value, "A_Const") != nil
}
