// Package migrations_test enforces the rule of migrations (ADR 98), and runs a migration of each kind on a large table while readers
// and writers go on.
package migrations_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	pgquery "github.com/wasilibs/go-pgquery"

	"ams.internal/libs/postgres"
)

// node is a node of the tree that PostgreSQL's parser makes: the name of its kind, and its fields.
type node = map[string]any

// folder reads the files of a schema in their order: what a file may do depends on those before it.
type folder struct {
	released  string            // version of the last release, or empty
	backfills map[string]bool   // names of those that the folder has
	nonNull   map[string]string // constraint, as in table.name → the column that it says is not null
	validated map[string]bool   // table.column that a validated constraint says is not null
}

func newFolder(released string) *folder {
	return &folder{released, map[string]bool{}, map[string]string{}, map[string]bool{}}
}

// reader reads one file.
type reader struct {
	*folder
	postgres.MigrationFile
	made   map[string]bool // tables that this file makes: nobody uses them yet
	locked map[string]bool // others that it locks
	found  []string
}

func (r *reader) refuse(format string, args ...any) {
	r.found = append(r.found, fmt.Sprintf(format, args...))
}

// check gives what is against a file, each in a sentence that says what to do instead.
func (f *folder) check(name, content string) []string {
	file, err := postgres.ReadMigrationFile(name, content)
	if err != nil {
		return []string{err.Error()}
	}
	r := &reader{folder: f, MigrationFile: file, made: map[string]bool{}, locked: map[string]bool{}}
	if file.Kind == "" {
		return []string{`the first line says no kind: it must be "-- expand" or "-- contract since <version>", ` +
			"and what fills in is a file backfill_<name>.sql"}
	}
	if strings.Contains(content, "+goose NO TRANSACTION") {
		r.refuse("a migration is whole or not at all: take out NO TRANSACTION, and put an index into indexes.sql")
	}
	statements, err := parse(content)
	if err != nil {
		return []string{err.Error()}
	}
	if file.Kind == postgres.Backfill {
		r.backfill(statements)
		return r.found
	}
	if file.Kind == postgres.Contract {
		r.release()
	}
	for _, statement := range statements {
		for kind, fields := range statement {
			r.statement(kind, fields.(node))
		}
	}
	if len(r.locked) > 1 {
		r.refuse("it locks %s in one transaction, and those who want the first wait until it has the last: put each into a file of its own",
			strings.Join(slices.Sorted(maps.Keys(r.locked)), " and "))
	}
	return r.found
}

func parse(content string) (statements []node, err error) {
	text, err := pgquery.ParseToJSON(content)
	if err != nil {
		return nil, err
	}
	var tree struct{ Stmts []struct{ Stmt node } }
	err = json.Unmarshal([]byte(text), &tree)
	for _, s := range tree.Stmts {
		statements = append(statements, s.Stmt)
	}
	return statements, err
}

// release holds that the last release does not use what is taken away.
func (r *reader) release() {
	switch {
	case r.released == "":
		r.refuse("nothing is taken away before there is a release that does not use it: deploy/ops/verify/released names none with a version")
	case compareVersions(r.Since, r.released) > 0:
		r.refuse("the last release is %s, and it is %s that does not use this any more: contract in the release after it", r.released, r.Since)
	}
	if r.After != "" && !r.backfills[r.After] {
		r.refuse("there is no backfill_%s.sql beside it", r.After)
	}
}

func compareVersions(a, b string) int {
	var x, y [3]int
	_, _ = fmt.Sscanf(a, "%d.%d.%d", &x[0], &x[1], &x[2])
	_, _ = fmt.Sscanf(b, "%d.%d.%d", &y[0], &y[1], &y[2])
	return slices.Compare(x[:], y[:])
}

func text(value any) string { s, _ := value.(string); return s }

func of(value any, kind string) node {
	n, _ := value.(node)
	if kind == "" || n == nil {
		return n
	}
	inner, _ := n[kind].(node)
	return inner
}

func list(value any) []any { l, _ := value.([]any); return l }

// lock notes that a table is locked, unless this file makes it, and says whether it was there before.
func (r *reader) lock(table string) (existed bool) {
	if r.made[table] {
		return false
	}
	r.locked[table] = true
	return true
}

var harmless = []string{"GrantStmt", "GrantRoleStmt", "CommentStmt", "AlterDefaultPrivilegesStmt"}

var additions = []string{"CreateSeqStmt", "CreateFunctionStmt", "CreateEnumStmt", "CreateDomainStmt", "CompositeTypeStmt", "ViewStmt",
	"DefineStmt", "AlterFunctionStmt", "AlterPolicyStmt", "AlterSeqStmt"}

func (r *reader) statement(kind string, s node) {
	table := text(of(s["relation"], "")["relname"])
	switch kind {
	case "UpdateStmt", "DeleteStmt":
		r.refuse("it changes the rows of %s in one transaction, for which writers wait: put it into a file backfill_<name>.sql", table)
		return
	case "TruncateStmt", "LockStmt":
		r.refuse("it locks a whole table: leave it out; a migration takes the locks that its statements need")
		return
	case "RenameStmt":
		r.refuse("the release before uses the former name: add the new one, fill it in by a backfill, and drop the former in a contracting file")
		return
	case "TransactionStmt", "VacuumStmt", "ClusterStmt", "ReindexStmt", "RefreshMatViewStmt":
		r.refuse("a migration is one short transaction: leave %s out", kind)
		return
	case "DoStmt":
		r.block(s)
		return
	case "SelectStmt":
		if s["fromClause"] != nil {
			r.refuse("a SELECT calls a function and reads no table: what depends on rows is a backfill")
		}
		return
	case "AlterTableStmt":
		r.alter(table, s)
		return
	}
	switch {
	case slices.Contains(harmless, kind):
	case kind == "DropStmt" && r.Kind == postgres.Expand:
		r.refuse("it drops what the release before may use: put it into a contracting file of a later release")
	case kind == "DropStmt":
		r.drop(s)
	case r.Kind == postgres.Contract:
		r.refuse("a contracting file only takes away and validates: put %s into an expanding file", kind)
	case kind == "CreateStmt":
		r.made[table] = true
	case kind == "IndexStmt":
		if !r.made[table] {
			r.refuse("an index on %s, which has rows, keeps writers out until it is made: put it into indexes.sql, which makes it while they "+
				"write", table)
		}
	case kind == "CreateTrigStmt":
		r.lock(table)
	case kind == "CreatePolicyStmt":
		r.lock(text(of(s["table"], "")["relname"]))
	case kind == "InsertStmt":
		if of(s["selectStmt"], "SelectStmt")["valuesLists"] == nil {
			r.refuse("rows of one table are brought into another by a file backfill_<name>.sql: an expanding file inserts VALUES only")
		}
	case slices.Contains(additions, kind):
	default:
		r.refuse("the rule does not know %s: say in deploy/test/migrations what it locks", kind)
	}
}

var notInBlocks = regexp.MustCompile(`(?is)\b(UPDATE\s+\S+\s+SET|DELETE\s+FROM|INSERT\s+INTO|` +
	`ALTER\s+TABLE|CREATE\s+(UNIQUE\s+)?INDEX|DROP\s|TRUNCATE\s+TABLE|LOCK\s+TABLE)`)

// block holds that a DO, which the parser does not look into, does nothing that has a rule.
func (r *reader) block(s node) {
	for _, argument := range list(s["args"]) {
		body := text(of(of(of(argument, "DefElem")["arg"], "String"), "")["sval"])
		if found := notInBlocks.FindString(body); found != "" {
			r.refuse("a DO block grants and revokes only, and %q is a statement of its own, which the rule can read",
				strings.Join(strings.Fields(found), " "))
		}
	}
}

func (r *reader) drop(s node) {
	for _, object := range list(s["objects"]) {
		names := list(of(object, "List")["items"])
		if len(names) == 0 {
			continue
		}
		switch text(s["removeType"]) {
		case "OBJECT_TABLE":
			r.lock(text(of(names[len(names)-1], "String")["sval"]))
		case "OBJECT_TRIGGER", "OBJECT_POLICY":
			r.lock(text(of(names[0], "String")["sval"]))
		}
	}
}

// alter looks at the parts of an ALTER TABLE.
func (r *reader) alter(table string, s node) {
	if !r.lock(table) {
		return
	}
	if text(s["objtype"]) != "OBJECT_TABLE" {
		delete(r.locked, table)
	}
	for _, part := range list(s["cmds"]) {
		command := of(part, "AlterTableCmd")
		column := text(command["name"])
		switch kind := text(command["subtype"]); kind {
		case "AT_AlterColumnType":
			r.refuse("another type of %s.%s writes the table anew while nobody reads: add a column of that type, fill it in by a backfill, and "+
				"drop the former later",
				table, column)
		case "AT_AddColumn", "AT_AddConstraint":
			if r.Kind == postgres.Contract {
				r.refuse("a contracting file only takes away and validates: what it adds to %s belongs to an expanding file", table)
			} else if kind == "AT_AddColumn" {
				r.column(table, of(command["def"], "ColumnDef"))
			} else {
				r.constraint(table, of(command["def"], "Constraint"))
			}
		case "AT_ValidateConstraint", "AT_DropColumn", "AT_DropConstraint", "AT_SetNotNull":
			if r.Kind == postgres.Expand {
				r.refuse("%s of %s.%s belongs to a contracting file of a later release: the one before may still write or use it", spoken[kind],
					table, column)
				continue
			}
			r.contract(kind, table, column)
		case "AT_ColumnDefault", "AT_DropNotNull", "AT_SetStorage", "AT_SetStatistics", "AT_SetRelOptions", "AT_EnableRowSecurity",
			"AT_ForceRowSecurity", "AT_SetCompression":
		default:
			r.refuse("the rule does not know %s of %s: say in deploy/test/migrations what it locks", kind, table)
		}
	}
}

var spoken = map[string]string{"AT_ValidateConstraint": "VALIDATE CONSTRAINT", "AT_DropColumn": "DROP COLUMN",
	"AT_DropConstraint": "DROP CONSTRAINT",
	"AT_SetNotNull":     "SET NOT NULL"}

func (r *reader) contract(kind, table, name string) {
	switch kind {
	case "AT_ValidateConstraint":
		if column := r.nonNull[table+"."+name]; column != "" {
			r.validated[table+"."+column] = true
		}
	case "AT_SetNotNull":
		if !r.validated[table+"."+name] {
			r.refuse("SET NOT NULL reads all of %s while nobody else does: add CHECK (%s IS NOT NULL) NOT VALID in an expanding file and "+
				"validate it first", table, name)
		}
	}
}

// column looks at a column that is added to a table with rows.
func (r *reader) column(table string, column node) {
	name := text(column["colname"])
	notNull, hasDefault := false, false
	for _, c := range list(column["constraints"]) {
		constraint := of(c, "Constraint")
		switch text(constraint["contype"]) {
		case "CONSTR_NOTNULL":
			notNull = true
		case "CONSTR_DEFAULT":
			hasDefault = true
			if !isConstant(constraint["raw_expr"]) {
				r.refuse("the default of %s.%s is worked out for each row, which writes the table anew: add it without one, SET DEFAULT apart, and "+
					"fill in by a backfill",
					table, name)
			}
		case "CONSTR_GENERATED", "CONSTR_IDENTITY":
			if text(constraint["generated_kind"]) != "v" {
				r.refuse("%s.%s is worked out for each row, which writes the table anew: add an ordinary column, and fill it in by a trigger and a "+
					"backfill", table, name)
			}
		case "CONSTR_NULL":
		default:
			r.refuse("a constraint within the column %s.%s is checked at once: ADD CONSTRAINT … NOT VALID apart, or a unique index in indexes.sql",
				table, name)
		}
	}
	types := list(of(column["typeName"], "")["names"])
	if len(types) > 0 && strings.Contains(text(of(types[len(types)-1], "String")["sval"]), "serial") {
		r.refuse("%s.%s is worked out for each row, which writes the table anew: add an ordinary column, and fill it in by a backfill", table,
			name)
	}
	if notNull && !hasDefault {
		r.refuse("%s.%s has no value in the rows that there are: add it without NOT NULL, fill it in by a backfill, and SET NOT NULL in a "+
			"contracting file", table, name)
	}
}

// isConstant says whether a default is one value for all rows, which PostgreSQL writes once.
func isConstant(expression any) bool {
	if inner := of(expression, "TypeCast"); inner != nil {
		return isConstant(inner["arg"])
	}
	if array := of(expression, "A_ArrayExpr"); array != nil {
		return !slices.ContainsFunc(list(array["elements"]), func(e any) bool { return !isConstant(e) })
	}
	if call := of(expression, "FuncCall"); call != nil {
		names := list(call["funcname"])
		return len(names) > 0 && text(of(names[len(names)-1], "String")["sval"]) == "now"
	}
	return of(expression, "A_Const") != nil || of(expression, "SQLValueFunction") != nil
}

// constraint looks at a constraint that is added to a table with rows.
func (r *reader) constraint(table string, c node) {
	name := text(c["conname"])
	switch kind := text(c["contype"]); {
	case kind == "CONSTR_UNIQUE" || kind == "CONSTR_PRIMARY" || kind == "CONSTR_EXCLUSION":
		if text(c["indexname"]) == "" {
			r.refuse("%s makes an index on %s while nobody writes: put it into indexes.sql", name, table)
		}
	case c["skip_validation"] != true:
		r.refuse("%s reads all of %s while nobody writes: add it NOT VALID, and VALIDATE in a contracting file", name, table)
	case kind == "CONSTR_CHECK":
		test := of(c["raw_expr"], "NullTest")
		fields := list(of(test["arg"], "ColumnRef")["fields"])
		if text(test["nulltesttype"]) == "IS_NOT_NULL" && len(fields) == 1 {
			r.nonNull[table+"."+name] = text(of(fields[0], "String")["sval"])
		}
	}
}

// backfill holds that a backfill is a statement that can be run for some rows at a time, and again.
func (r *reader) backfill(statements []node) {
	if len(statements) != 1 {
		r.refuse("a backfill is one statement: an UPDATE, DELETE or INSERT with batch, the keys of some rows of %s", r.Table)
		return
	}
	for kind, value := range statements[0] {
		s := value.(node)
		switch {
		case kind != "UpdateStmt" && kind != "DeleteStmt" && kind != "InsertStmt":
			r.refuse("a backfill is one UPDATE, DELETE or INSERT; what changes the schema is a migration")
		case s["withClause"] != nil || s["returningList"] != nil:
			r.refuse("a backfill has neither WITH nor RETURNING: both are put around it for each batch")
		case !mentions(s, "relname", "batch"):
			r.refuse("it changes all of %s at once: join batch, which has the keys of some of its rows", r.Table)
		case kind == "InsertStmt" && s["onConflictClause"] == nil:
			r.refuse("it inserts rows again when it goes through the table again: add ON CONFLICT … DO NOTHING")
		case kind == "UpdateStmt" && !hasOwnCondition(s["whereClause"]):
			r.refuse("it has no end, as it changes the rows that it has changed: add the condition of those that are to be filled in, such as " +
				"AND x IS NULL")
		}
	}
}

// hasOwnCondition says whether a WHERE has a condition beside those that join batch.
func hasOwnCondition(where any) bool {
	and := of(where, "BoolExpr")
	if and == nil || text(and["boolop"]) != "AND_EXPR" {
		return where != nil && !mentions(where, "sval", "batch")
	}
	return slices.ContainsFunc(list(and["args"]), hasOwnCondition)
}

// mentions says whether a text of that name stands anywhere in a tree.
func mentions(tree any, field, word string) bool {
	switch tree := tree.(type) {
	case []any:
		return slices.ContainsFunc(tree, func(child any) bool { return mentions(child, field, word) })
	case node:
		for name, value := range tree {
			if name == field && value == word || mentions(value, field, word) {
				return true
			}
		}
	}
	return false
}
