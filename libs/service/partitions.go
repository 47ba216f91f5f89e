package service

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/postgres"
	"ams.internal/libs/telemetry"
)

// partitionCheck is how often a process looks whether partitions are to be made or dropped.
const partitionCheck = time.Hour

// keepPartitions makes and drops partitions by time in the cell of ctx, at once and then every hour: a program that was not running for a
// year has those of today a moment after its start.
func (s *Service) keepPartitions(ctx context.Context) {
	changes, err := otel.Meter("ams.internal/libs/service").Int64Counter("ams.partitions.changes", metric.WithUnit("{change}"),
		metric.WithDescription("partitions by time that were made or dropped, and deletions of old rows that lay in none."))
	if err != nil {
		s.Log.ErrorContext(ctx, "changes of partitions cannot be counted", "error", err)
		return
	}
	for _, change := range []string{"made", "dropped", "deleted"} { // reported from the start, though there may be none for a month
		changes.Add(ctx, 0, metric.WithAttributes(attribute.String("change", change)))
	}
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		_ = telemetry.Work(ctx, "partitions", func(ctx context.Context) error {
			err := s.DB.KeepPartitions(ctx, func(c postgres.PartitionChange) {
				changes.Add(ctx, 1, metric.WithAttributes(attribute.String("change", c.Change)))
				s.Log.InfoContext(ctx, "a partition was changed", "change", c.Change, "partition", c.Partition, "rows", c.Rows)
			})
			if err != nil && ctx.Err() == nil {
				s.Log.WarnContext(ctx, "partitions were not all made or dropped; it is tried again in an hour", "error", err)
			}
			return err
		})
		next.Reset(partitionCheck)
	}
}
