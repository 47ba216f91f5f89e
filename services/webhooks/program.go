// Package webhooks stores the events of all services, numbered per organization without a gap. It delivers them to the
// organizations' webhook endpoints, in the order of each record and with retries, and serves them as a feed.
package webhooks

import (
	"embed"
	"time"

	"ams.internal/libs/external"
	"ams.internal/libs/reference"
	"ams.internal/libs/service"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Program is this service.
var Program = service.DefineWith("webhooks", migrations, func(s *service.Service, c config) ([]service.Listener, error) {
	allowed, err := c.allowed()
	if err != nil {
		return nil, err
	}
	certificate, err := c.clientCertificate()
	if err != nil {
		return nil, err
	}
	addresses, err := c.sourceAddresses()
	if err != nil {
		return nil, err
	}
	client := external.New(external.Rules{Allow: allowed, Certificate: certificate})
	w, err := build(s, c.Secrets, client, senderOf(addresses, certificate), reference.NewClient(s.Directory, s.Signer), time.Now)
	if err != nil {
		return nil, err
	}
	s.PerCell("dispatcher", w.dispatcher.run)
	s.PerCell("replays", w.replayer.run)
	s.PerCell("purge", w.purger.run)
	return []service.Listener{{Name: s.Name, Address: c.Listen, Advertise: c.Advertise, Handler: w, OnDrain: w.feedWaiters.release}}, nil
})
