package webhooks

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"strings"
	"time"

	"ams.internal/libs/transport"
)

// Sender is what receivers may know our calls by, besides their signature.
type Sender struct {
	SourceAddresses            []string `json:"source_addresses" doc:"Addresses and networks that calls come from; empty where the installation promises none." example:"[\"203.0.113.7\"]"`
	ClientCertificate          *string  `json:"client_certificate" doc:"What is shown to receivers that ask for a client certificate (mutual TLS), as PEM: the certificate, then those up to its authority. null: none is shown."`
	ClientCertificateSHA256    *string  `json:"client_certificate_sha256" doc:"The fingerprint of the certificate itself: SHA-256 of its DER, in hexadecimal."`
	ClientCertificateExpiresAt *string  `json:"client_certificate_expires_at" format:"date-time" doc:"Until when it is valid. It is replaced before."`
}

// senderOf says what receivers may know of an installation.
func senderOf(addresses []string, certificate *tls.Certificate) Sender {
	known := Sender{SourceAddresses: addresses}
	if addresses == nil {
		known.SourceAddresses = []string{}
	}
	if certificate == nil {
		return known
	}
	var chain strings.Builder
	for _, der := range certificate.Certificate {
		_ = pem.Encode(&chain, &pem.Block{Type: certificateBlock, Bytes: der}) // into memory
	}
	sum := sha256.Sum256(certificate.Certificate[0])
	known.ClientCertificate, known.ClientCertificateSHA256 = new(chain.String()), new(hex.EncodeToString(sum[:]))
	known.ClientCertificateExpiresAt = formatTime(&certificate.Leaf.NotAfter)
	return known
}

func (p public) mountSender() {
	transport.Get(p.registry.API, transport.Operation{
		Path: "/v1/webhook-endpoints/sender", ID: "get_webhook_sender", ResponseName: "WebhookSender", Scope: scope + ":read",
		Summary: "Show what webhook calls are known by",
		Description: "The addresses that calls come from, and the client certificate that is shown to receivers that ask for one. " +
			"For firewalls and servers that let nobody else in; who sent a call, its signature says.",
	}, func(context.Context, struct{}) (Sender, error) { return p.known, nil })
}

const (
	certificateBlock = "CERTIFICATE"
	maxAuthorities   = 10
)

// readAuthorities reads the certificates that a receiver's own is verified by, as PEM, and gives them spelled in one way, and when the
// first of them ends. problem says what is wrong with them.
func readAuthorities(text string, now time.Time) (normal string, ends time.Time, problem string) {
	var spelled strings.Builder
	rest, count := []byte(strings.TrimSpace(text)), 0
	for len(rest) > 0 {
		block, behind := pem.Decode(rest)
		switch {
		case block == nil || !strings.HasPrefix(string(rest), "-----BEGIN "):
			return "", ends, "must be one or more certificates as PEM, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----"
		case strings.Contains(block.Type, "PRIVATE KEY"):
			return "", ends, "must hold certificates only, and a private key is in it: leave it out, and replace the key, which others have seen now"
		case block.Type != certificateBlock:
			return "", ends, fmt.Sprintf("must hold certificates only, and a %.40s is in it", block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return "", ends, "holds a certificate that cannot be read: copy it again, whole"
		}
		if certificate.NotAfter.Before(now) {
			return "", ends, fmt.Sprintf("holds a certificate that ended at %s (%.100s): send one that is valid",
				certificate.NotAfter.UTC().Format(timestampFormat), certificate.Subject)
		}
		if count++; count > maxAuthorities {
			return "", ends, fmt.Sprintf("must hold %d certificates at most", maxAuthorities)
		}
		if ends.IsZero() || certificate.NotAfter.Before(ends) {
			ends = certificate.NotAfter
		}
		_ = pem.Encode(&spelled, &pem.Block{Type: certificateBlock, Bytes: block.Bytes}) // into memory
		rest = []byte(strings.TrimSpace(string(behind)))
	}
	return spelled.String(), ends, ""
}

// takeAuthorities checks the certificates that an endpoint's server is verified by, where they have changed.
func (e *WebhookEndpoint) takeAuthorities(before *WebhookEndpoint, now time.Time, fail func(field, format string, args ...any)) {
	switch {
	case e.CACertificate == nil:
		e.CACertificateExpiresAt = nil
	case before.CACertificate == nil || strings.TrimSpace(*before.CACertificate) != strings.TrimSpace(*e.CACertificate):
		normal, ends, problem := readAuthorities(*e.CACertificate, now)
		if problem != "" {
			fail("ca_certificate", "%s", problem)
			return
		}
		e.CACertificate, e.CACertificateExpiresAt = &normal, formatTime(&ends)
	}
}
