package accounts

import (
	"context"
	"log/slog"
	"time"

	"ams.internal/libs/postgres"
)

// purge deletes the entries of the audit trail that are older than 400 days, once a day until ctx ends. Each gateway does it;
// it does no harm when another has done it already.
func purge(ctx context.Context, pool postgres.Pool, log *slog.Logger) {
	next := time.NewTimer(time.Minute)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
			if err := purgeAudit(ctx, pool, log); err != nil {
				log.WarnContext(ctx, "old entries of the audit trail were not purged; they will be tomorrow", "error", err)
			}
			next.Reset(24 * time.Hour)
		}
	}
}

func purgeAudit(ctx context.Context, pool postgres.Pool, log *slog.Logger) error {
	for {
		var purged int64
		if err := pool.QueryRow(ctx, "SELECT purge_audit()").Scan(&purged); err != nil || purged == 0 {
			return err
		}
		log.InfoContext(ctx, "entries of the audit trail that are older than 400 days were purged", "entries", purged)
	}
}
