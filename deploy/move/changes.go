package move

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// minTriggerLock is how long others may wait behind the change of a table that waits for those before it, at first. It grows to
	// maxTriggerLock, which is less than requests wait for a connection.
	minTriggerLock = 100 * time.Millisecond
	maxTriggerLock = time.Second
	// triggerTries is how often that is tried, half a second apart.
	triggerTries = 60
)

// triggers gives the names of the triggers that note what is written of an organization.
func triggers(organization string) []string {
	id := strings.ReplaceAll(organization, "-", "")
	return []string{"moving_" + id + "_written", "moving_" + id + "_deleted"}
}

// noteChanges has the keys of all rows noted that are written from now on. Making a trigger waits for the transactions that have written to
// the table, so what they wrote is in every later snapshot.
func (p *place) noteChanges(ctx context.Context, organizations []string) error {
	for _, t := range p.tables {
		pairs := make([]string, len(t.key))
		for i, column := range t.key {
			pairs[i] = literal(column) + ", ($1)." + pgx.Identifier{column}.Sanitize()
		}
		function := fmt.Sprintf("%s(%s, %s)", pgx.Identifier{t.schema, "note_moved_row"}.Sanitize(), literal(t.name),
			literal("jsonb_build_object("+strings.Join(pairs, ", ")+")"))
		var statements []string
		for _, organization := range organizations {
			names := triggers(organization)
			statements = append(statements,
				fmt.Sprintf("CREATE TRIGGER %s AFTER INSERT OR UPDATE ON %s FOR EACH ROW WHEN (NEW.organization_id = '%s') EXECUTE FUNCTION %s",
					names[0], t, organization, function),
				fmt.Sprintf("CREATE TRIGGER %s AFTER DELETE ON %s FOR EACH ROW WHEN (OLD.organization_id = '%s') EXECUTE FUNCTION %s",
					names[1], t, organization, function))
		}
		if err := p.change(ctx, t, statements); err != nil {
			return err
		}
	}
	return nil
}

// stopNoting takes the triggers away that are there.
func (p *place) stopNoting(ctx context.Context, organizations []string) error {
	var names []string
	for _, organization := range organizations {
		names = append(names, triggers(organization)...)
	}
	found := map[string][]string{} // of a table
	rows, err := p.work.Query(ctx, `SELECT t.tgname, n.nspname || '.' || c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
		JOIN pg_namespace n ON n.oid = c.relnamespace WHERE t.tgname = ANY ($1) AND t.tgparentid = 0`, names)
	if err != nil {
		return fmt.Errorf("look for triggers in the cell %s: %w", p.name, err)
	}
	var trigger, of string
	if _, err := pgx.ForEachRow(rows, []any{&trigger, &of}, func() error {
		found[of] = append(found[of], trigger)
		return nil
	}); err != nil {
		return fmt.Errorf("look for triggers in the cell %s: %w", p.name, err)
	}
	for _, t := range p.tables {
		var statements []string
		for _, name := range found[t.schema+"."+t.name] {
			statements = append(statements, fmt.Sprintf("DROP TRIGGER %s ON %s", name, t))
		}
		if len(statements) > 0 {
			if err := p.change(ctx, t, statements); err != nil {
				return err
			}
		}
	}
	for _, schema := range p.schemas() {
		if _, err := p.work.Exec(ctx, "DELETE FROM "+pgx.Identifier{schema, "moved_row"}.Sanitize()+" WHERE organization = ANY ($1)",
			organizations); err != nil {
			return fmt.Errorf("forget what was noted in the cell %s: %w", p.name, err)
		}
	}
	return nil
}

// change changes a table, for which it waits but briefly at a time: whoever comes meanwhile waits behind it.
func (p *place) change(ctx context.Context, t table, statements []string) (err error) {
	for wait, try := minTriggerLock, 0; try < triggerTries; wait, try = min(2*wait, maxTriggerLock), try+1 {
		// Statements of one text are one transaction.
		_, err = p.work.Exec(ctx,
			strings.Join(append([]string{fmt.Sprintf("SET LOCAL lock_timeout = %d", wait.Milliseconds())}, statements...), "; "))
		if pgErr := new(pgconn.PgError); !errors.As(err, &pgErr) || pgErr.Code != "55P03" {
			break
		}
		if err := pause(ctx, 500*time.Millisecond); err != nil {
			return err
		}
	}
	if err != nil {
		return fmt.Errorf("change %s in the cell %s: %w", t, p.name, err)
	}
	return nil
}

// transactions are those that run now, by their virtual numbers; those of autovacuum, which have no user, apart.
func (p *place) transactions(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	rows, err := p.work.Query(ctx, `SELECT l.virtualxid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'virtualxid' AND a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.usesysid IS NOT NULL`)
	if err != nil {
		return nil, fmt.Errorf("look for transactions in the cell %s: %w", p.name, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// waitFor waits until none of some transactions runs any more. They have begun before a state was written, and may not have seen it.
func (p *place) waitFor(ctx context.Context, old []string) error {
	for {
		now, err := p.transactions(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(now, func(id string) bool { return slices.Contains(old, id) }) {
			return nil
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, duration time.Duration) error {
	select {
	case <-time.After(duration):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
