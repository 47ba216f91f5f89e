package webhooks

import (
	"crypto/tls"
	"net/netip"
	"strings"

	"ams.internal/libs/service"
)

// config is what this service is configured by, besides what every service is.
type config struct {
	service.Config
	Secrets []string `env:"AMS_WEBHOOK_SECRETS" secret:"true" required:"true" each:"32" doc:"Root keys that seal the secrets of webhook endpoints in the database, separated by commas. The first seals, all of them open. The same for every instance; what was sealed with one that is lost cannot be opened again."`
	// What receivers may know us by.
	SourceAddresses   []string `env:"AMS_WEBHOOK_SOURCE_ADDRESSES" example:"203.0.113.7,203.0.113.8" doc:"Addresses or networks that calls to webhook endpoints come from, separated by commas, as those who receive them see it: of the NAT gateway or the egress. GET /v1/webhook-endpoints/sender and the settings screen show them; nothing else follows from them."`
	ClientCertificate string   `env:"AMS_WEBHOOK_CLIENT_CERTIFICATE" secret:"true" doc:"The client certificate that is shown to receivers that ask for one (mutual TLS): PEM of the certificate, of those between it and its authority, of the authority, and of the private key. GET /v1/webhook-endpoints/sender shows all but the key. Without it: none is shown."`
	AllowPrefixes     []string `env:"AMS_WEBHOOK_ALLOW_PREFIXES" example:"10.20.30.0/24" doc:"Networks that webhooks may call although they are not public, also by plain http and on any port; separated by commas. Without it: the public internet only."`
}

// Check implements service.Checked.
func (c config) Check() []service.Problem {
	problems := c.Config.Check()
	if _, err := c.allowed(); err != nil {
		problems = append(problems, service.Problem{Variable: "AMS_WEBHOOK_ALLOW_PREFIXES",
			Message: "cannot be read: give networks such as 10.20.30.0/24, separated by commas"})
	}
	if _, err := c.sourceAddresses(); err != nil {
		problems = append(problems, service.Problem{Variable: "AMS_WEBHOOK_SOURCE_ADDRESSES",
			Message: "cannot be read: give addresses such as 203.0.113.7 or networks such as 203.0.113.0/28, separated by commas"})
	}
	if _, err := c.clientCertificate(); err != nil {
		problems = append(problems, service.Problem{Variable: "AMS_WEBHOOK_CLIENT_CERTIFICATE",
			Message: "cannot be read: give the certificate, those up to its authority, and the private key of the first, " +
				"all as PEM one after the other"})
	}
	return problems
}

func (c config) allowed() ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, text := range c.AllowPrefixes {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		prefixes = append(prefixes, prefix)
	}
	return prefixes, nil
}

// sourceAddresses are the networks that calls come from, each spelled in one way.
func (c config) sourceAddresses() ([]string, error) {
	addresses := []string{}
	for _, text := range c.SourceAddresses {
		text = strings.TrimSpace(text)
		if address, err := netip.ParseAddr(text); err == nil {
			addresses = append(addresses, address.String())
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, network.Masked().String())
	}
	return addresses, nil
}

// clientCertificate is the one that is shown to receivers, with its key; nil where there is none.
func (c config) clientCertificate() (*tls.Certificate, error) {
	if c.ClientCertificate == "" {
		return nil, nil
	}
	certificate, err := tls.X509KeyPair([]byte(c.ClientCertificate), []byte(c.ClientCertificate))
	return &certificate, err
}
