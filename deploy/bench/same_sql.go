package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// sameSQL gives what the service makes PostgreSQL do for one request, as a script for pgbench: the statements of its
// transaction with their values, in one pipeline as the service sends them. It reads them in the server's own log, so
// that the comparison can never be with something that the service does not do. ask makes the request; the mark tells its
// statements from those of others.
func (b *bench) sameSQL(ctx context.Context, mark, path string, call func(context.Context, string) error) (string, error) {
	log, err := b.logged(ctx, func() error { return call(ctx, path) })
	if err != nil {
		return "", err
	}
	statements := transactionOf(log, mark)
	if len(statements) < 2 {
		return "", fmt.Errorf("the statements of %s are not in PostgreSQL's log", path)
	}
	return "\\startpipeline\n" + strings.Join(statements, ";\n") + ";\n\\endpipeline", nil
}

// logged is what PostgreSQL logs while call runs: every statement, with its parameters.
func (b *bench) logged(ctx context.Context, call func() error) (string, error) {
	log := filepath.Join(b.options.Folder, "logs", "postgres.log")
	if err := b.logStatements(ctx, "ALTER SYSTEM SET log_min_duration_statement = 0"); err != nil {
		return "", err
	}
	before, err := os.Stat(log)
	if err != nil {
		return "", err
	}
	err = call()
	if err = errors.Join(err, b.logStatements(ctx, "ALTER SYSTEM RESET log_min_duration_statement")); err != nil {
		return "", err
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return "", err
	}
	return string(text[before.Size():]), nil
}

// logStatements changes what PostgreSQL logs and waits until its sessions have heard of it.
func (b *bench) logStatements(ctx context.Context, statement string) error {
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	for _, sql := range []string{statement, "SELECT pg_reload_conf()"} {
		if _, err := db.Exec(ctx, sql); err != nil {
			return errors.Join(err, db.Close(ctx))
		}
	}
	time.Sleep(time.Second)
	return db.Close(ctx)
}

// callService sends a request to the service, without a gateway.
func (b *bench) callService(ctx context.Context, path string) error {
	signed, err := b.signed(request{method: http.MethodGet, path: path})
	if err != nil {
		return err
	}
	call, err := http.NewRequestWithContext(ctx, http.MethodGet, b.straight+path, nil)
	if err != nil {
		return err
	}
	for name, value := range signed[0].headers {
		call.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(call)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s straight at the service: %s", path, response.Status)
	}
	return errors.Join(err, response.Body.Close())
}

var (
	logEntry  = regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\d \S+ \S+ \[(\d+)\] (LOG|DETAIL):  `)
	executed  = regexp.MustCompile(`(?s)^duration: [0-9.]+ ms  execute [^:]+: (.*)$`)
	parameter = regexp.MustCompile(`(\$\d+) = (NULL|'(?:[^']|'')*')`)
)

// transactionOf finds, in PostgreSQL's log, the statements of the session that executed one with a mark in it.
func transactionOf(log, mark string) []string {
	sessions := map[string][]string{}
	found := ""
	for _, entry := range entriesOf(log) {
		if entry.kind == "DETAIL" {
			// Values follow the statement that they belong to, also that of a bind, which is not ours.
			if statements := sessions[entry.session]; len(statements) > 0 {
				statements[len(statements)-1] = withValues(statements[len(statements)-1], entry.text)
			}
			continue
		}
		if parts := executed.FindStringSubmatch(entry.text); parts != nil {
			sessions[entry.session] = append(sessions[entry.session], strings.Join(strings.Fields(parts[1]), " "))
			if strings.Contains(parts[1], mark) {
				found = entry.session
			}
		}
	}
	return around(sessions[found], mark)
}

// entry is one of PostgreSQL's log; kind is LOG or DETAIL.
type entry struct{ session, kind, text string }

func entriesOf(log string) (entries []entry) {
	places := logEntry.FindAllStringSubmatchIndex(log, -1)
	for i, place := range places {
		end := len(log)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		entries = append(entries, entry{log[place[2]:place[3]], log[place[4]:place[5]], strings.TrimSpace(log[place[1]:end])})
	}
	return entries
}

// around cuts a session down to the transaction with the mark in it; one without begin and commit is all there is.
func around(statements []string, mark string) []string {
	at := slices.IndexFunc(statements, func(s string) bool { return strings.Contains(s, mark) })
	start, end := 0, len(statements)
	for i, s := range statements {
		switch {
		case i <= at && strings.HasPrefix(s, "begin"):
			start = i
		case i > at && i < end && strings.HasPrefix(s, "commit"):
			end = i + 1
		}
	}
	return statements[start:end]
}

func withValues(statement, detail string) string {
	parameters := parameter.FindAllStringSubmatch(detail, -1)
	for i := len(parameters) - 1; i >= 0; i-- { // $12 before $1
		statement = strings.ReplaceAll(statement, parameters[i][1], parameters[i][2])
	}
	return statement
}
