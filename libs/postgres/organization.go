package postgres

import (
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// organizationCall is how a statement names the organization of its transaction.
const organizationCall = "current_organization()"

// maxTexts is how many texts a connection caches: as many as pgx caches prepared statements.
const maxTexts = 512

// texts are statements of a connection as they are sent: in the place of every current_organization() is a last argument. They are equal;
// but a planner that looks for the one part of a table, or the one machine, where the organization's rows are finds it by an argument only
// (ADR 58). Where a caller has forgotten the condition, row-level security still has the function. The text is the same for all
// organizations. It is made once, because some have 25 kB; a connection is used by one goroutine at a time, so nobody waits for another.
type texts map[textKey]boundText

type textKey struct {
	sql  string
	args int
}

type boundText struct {
	sql   string
	bound bool // it has the argument
}

// Once is the first argument of a statement that a connection runs rarely and whose plan is large: the connection keeps nothing of it. A
// plan that is kept has its size for as long as the connection lives, and those of a month's figures have 17 MB each.
const Once = pgx.QueryExecModeDescribeExec

// textsKey is where a connection has its texts.
const textsKey = "ams texts"

func textsOf(conn *pgx.Conn) texts {
	data := conn.PgConn().CustomData()
	known, ok := data[textsKey].(texts)
	if !ok {
		known = texts{}
		data[textsKey] = known
	}
	return known
}

// bind gives a statement as it is sent. It leaves the caller's arguments as they are.
func (t texts) bind(sql string, args []any, organization any) (string, []any) {
	key := textKey{sql, len(args)}
	if keepsNoPlan(args) {
		key.args-- // the mode is no argument of the statement
	}
	text, known := t[key]
	if !known {
		text.sql, text.bound = withArgument(sql, "$"+strconv.Itoa(key.args+1)+"::uuid")
		if len(t) >= maxTexts {
			clear(t)
		}
		t[key] = text
	}
	if !text.bound {
		return sql, args
	}
	return text.sql, append(args[:len(args):len(args)], organization)
}

// bindAll does it for statements of a batch.
func (t texts) bindAll(queued []*pgx.QueuedQuery, organization any) {
	for _, q := range queued {
		q.SQL, q.Arguments = t.bind(q.SQL, q.Arguments, organization)
	}
}

// withArgument puts an argument in the place of every current_organization(), and says whether there was one: not in quotes, in a comment,
// or as the end of another name.
func withArgument(sql, argument string) (string, bool) {
	if !strings.Contains(sql, organizationCall) {
		return sql, false
	}
	var made strings.Builder
	written := 0 // of sql
	for at := 0; at < len(sql); {
		var begin, end string
		switch rest := sql[at:]; {
		case rest[0] == '\'' || rest[0] == '"': // one that is doubled ends a text, and begins another
			begin, end = rest[:1], rest[:1]
		case strings.HasPrefix(rest, "--"):
			begin, end = "--", "\n"
		case strings.HasPrefix(rest, "/*"):
			begin, end = "/*", "*/"
		case strings.HasPrefix(rest, organizationCall) && (at == 0 || !inName(sql[at-1])):
			made.WriteString(sql[written:at])
			made.WriteString(argument)
			at += len(organizationCall)
			written = at
			continue
		default:
			at++
			continue
		}
		at += len(begin)
		after := strings.Index(sql[at:], end)
		if after < 0 {
			break
		}
		at += after + len(end)
	}
	if written == 0 {
		return sql, false
	}
	made.WriteString(sql[written:])
	return made.String(), true
}

func inName(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
