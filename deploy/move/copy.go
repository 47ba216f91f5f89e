package move

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
)

// transfer has the target's table filled with what a query gives at the source, and says how many rows that are.
func transfer(ctx context.Context, source, target *pgx.Conn, query, into string) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reader, writer := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		_, err := source.PgConn().CopyTo(ctx, writer, "COPY ("+query+") TO STDOUT (FORMAT binary)")
		_ = writer.CloseWithError(err)
		sent <- err
	}()
	tag, err := target.PgConn().CopyFrom(ctx, reader, "COPY "+into+" FROM STDIN (FORMAT binary)")
	_ = reader.CloseWithError(errors.New("the other database takes no more"))
	if sending := <-sent; sending != nil {
		return 0, sending // which the target's error follows from, or the other way round: then this one names it
	}
	return tag.RowsAffected(), err
}

// copyAll copies all rows of the organizations in one snapshot of the source.
func (m *Move) copyAll(ctx context.Context) error {
	if _, err := m.target.work.Exec(ctx, "SET synchronous_commit = off"); err != nil { // the last commit writes all of it to the disk
		return err
	}
	snapshot, err := m.source.work.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = snapshot.Rollback(context.WithoutCancel(ctx)) }()
	filled, err := m.source.filled(ctx, m.source.work, m.Organizations)
	if err != nil {
		return err
	}
	partitions, err := m.source.partitions(ctx)
	if err != nil {
		return err
	}
	if err := m.target.makePartitions(ctx, partitions); err != nil {
		return err
	}
	for i, t := range filled {
		var rows int64
		err := pgx.BeginFunc(ctx, m.target.work, func(tx pgx.Tx) (err error) {
			rows, err = m.insert(ctx, tx, t, i)
			return err
		})
		if err != nil {
			return fmt.Errorf("copy %s: %w", t, err)
		}
		m.result.Rows += rows
		m.report("copy", t.String(), rows)
	}
	_, err = m.target.work.Exec(ctx, "SET synchronous_commit = on")
	return err
}

// insert copies the rows of a table.
func (m *Move) insert(ctx context.Context, tx pgx.Tx, t table, number int) (int64, error) {
	incoming, columns := fmt.Sprintf("pg_temp.incoming_%d", number), quote(t.columns, "")
	if _, err := tx.Exec(ctx,
		fmt.Sprintf("CREATE TEMP TABLE incoming_%d ON COMMIT DROP AS SELECT %s FROM %s WITH NO DATA", number, columns, t)); err != nil {
		return 0, err
	}
	rows, err := transfer(ctx, m.source.work, tx.Conn(),
		fmt.Sprintf("SELECT %s FROM %s t WHERE t.organization_id IN (%s)", columns, t, list(m.Organizations)), incoming)
	if err != nil {
		return rows, err
	}
	tag, err := tx.Exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s", t, columns, columns, incoming))
	if err == nil && tag.RowsAffected() != rows {
		err = fmt.Errorf("%d rows were sent, %d arrived", rows, tag.RowsAffected())
	}
	return rows, err
}
