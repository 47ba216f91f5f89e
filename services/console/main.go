// The console is the settings screens: where an Administrator signs in with a browser and manages API keys, webhooks
// and members, and reads the audit trail, the usage and the plan. It is the one place where people touch the product.
package main

import (
	"context"
	"embed"
	"net/http"
	"time"

	"ams.internal/libs/reference"
	"ams.internal/libs/service"
)

//go:embed migrations/*.sql
var migrations embed.FS

func main() {
	service.Main("console", migrations, func(s *service.Service) (http.Handler, error) {
		languages, err := loadLanguages()
		if err != nil {
			return nil, err
		}
		c := &console{
			db: s.DB, log: s.Log, languages: languages,
			services: newServices(reference.NewClient(s.Directory, s.Signer), s.Config.Region),
		}
		s.Background("sweep sessions", c.sweepHourly)
		return c.handler(), nil
	})
}

// sweepHourly forgets old sessions until ctx ends.
func (c *console) sweepHourly(ctx context.Context) {
	ticker := time.NewTicker(time.Hour)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := c.sweep(ctx); err != nil {
				c.log.WarnContext(ctx, "old sessions could not be forgotten; the next hour tries again", "error", err)
			}
		}
	}
}
