package main

import (
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
)

const (
	defaultRateLimit = 60
	mostRateLimit    = 1000
	defaultExpiry    = 90 * 24 * time.Hour
	mostExpiry       = 365 * 24 * time.Hour
	mostNetworks     = 50
	mostName         = 100
)

// scopes are all that a key may have.
var scopes = append([]string{everything}, catalogue.Product().Scopes()...)

// keyRequest is a new key as it was asked for, checked.
type keyRequest struct {
	name      string
	scopes    []string
	expiresAt time.Time
	rateLimit int
	networks  []string
	replaces  *string
	privacy   bool             // the holder will see names and e-mail addresses, and that was confirmed
	confirmed *principal.Actor // who confirmed it and when, where that was for the key that is replaced
	at        *string
}

// readKeyRequest checks what an Administrator asks for, and names every field that is wrong.
func readKeyRequest(given map[string]any, now time.Time) (keyRequest, error) {
	wanted := keyRequest{expiresAt: now.Add(defaultExpiry), rateLimit: defaultRateLimit, networks: []string{}}
	var problems schema.Problems
	for _, name := range []string{"name", "scopes"} {
		if given[name] == nil {
			problems.Add(name, "must be given")
		}
	}
	confirmed := false
	for name, value := range given {
		if value == nil {
			continue // the default
		}
		switch name {
		case "name":
			wanted.name = readName(value, &problems)
		case "scopes":
			wanted.scopes = readScopes(value, &problems)
		case "expires_at":
			wanted.expiresAt = readExpiry(value, now, &problems)
		case "rate_limit":
			wanted.rateLimit = readRateLimit(value, &problems)
		case "allowed_networks":
			wanted.networks = readNetworks(value, &problems)
		case "confirm_privacy":
			var isBoolean bool
			if confirmed, isBoolean = value.(bool); !isBoolean {
				problems.Add(name, "must be true or false")
			}
		default:
			if !schema.Tenant(name) {
				problems.Add(name, "is not a field of a key")
			}
		}
	}
	if showsPeople(wanted.scopes) {
		if wanted.privacy = confirmed; !confirmed {
			problems.Add("confirm_privacy", "must be true for users:read or *:*: the key's holder will see members' names and e-mail addresses")
		}
	}
	slices.SortFunc(problems, func(a, b fault.Field) int { return strings.Compare(a.Field, b.Field) })
	return wanted, problems.Err()
}

// again asks for the key once more, as a replacement. What was confirmed for the old one holds for the new one.
func (k shownKey) again(now time.Time) keyRequest {
	return keyRequest{name: k.Name, scopes: k.Scopes, expiresAt: now.Add(defaultExpiry), rateLimit: k.RateLimit, networks: k.AllowedNetworks,
		replaces: &k.ID, privacy: k.PrivacyConfirmedAt != nil, confirmed: k.PrivacyConfirmedBy, at: k.PrivacyConfirmedAt}
}

func showsPeople(scopes []string) bool {
	return slices.Contains(scopes, "users:read") || slices.Contains(scopes, everything)
}

func readName(value any, problems *schema.Problems) string {
	text, isText := value.(string)
	text = strings.TrimSpace(text)
	if length := len([]rune(text)); !isText || length < 1 || length > mostName {
		problems.Add("name", "must be a text of 1 to %d characters", mostName)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		problems.Add("name", "must have no control characters")
	}
	return text
}

func readScopes(value any, problems *schema.Problems) []string {
	entries, isList := value.([]any)
	if !isList || len(entries) == 0 {
		problems.Add("scopes", "must be a list of at least one of %s", strings.Join(scopes, ", "))
		return nil
	}
	var wanted []string
	for _, entry := range entries {
		scope, _ := entry.(string)
		if !slices.Contains(scopes, scope) {
			problems.Add("scopes", "has %s, which is no scope; the scopes are %s", quote(scope), strings.Join(scopes, ", "))
			return nil
		}
		wanted = append(wanted, scope)
	}
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

func readExpiry(value any, now time.Time, problems *schema.Problems) time.Time {
	text, _ := value.(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse(time.DateOnly, text) // ISO 8601 allows a date; it means that day's first moment, UTC
	}
	switch {
	case err != nil:
		problems.Add("expires_at", "must be a time as in 2026-01-31T14:00:00Z")
	case !at.After(now):
		problems.Add("expires_at", "must be in the future")
	case at.After(now.Add(mostExpiry)):
		problems.Add("expires_at", "must be at most 365 days from now, which is %s", timestamp(now.Add(mostExpiry)))
	}
	return at.Truncate(time.Microsecond)
}

func readRateLimit(value any, problems *schema.Problems) int {
	number, isNumber := value.(float64)
	if !isNumber || number != math.Trunc(number) || number < 1 || number > mostRateLimit {
		problems.Add("rate_limit", "must be a whole number of requests a minute from 1 to %d", mostRateLimit)
		return 0
	}
	return int(number)
}

func readNetworks(value any, problems *schema.Problems) []string {
	entries, isList := value.([]any)
	if !isList || len(entries) > mostNetworks {
		problems.Add("allowed_networks", "must be a list of at most %d networks", mostNetworks)
		return nil
	}
	wanted := []string{}
	for _, entry := range entries {
		text, _ := entry.(string)
		network, err := netip.ParsePrefix(strings.TrimSpace(text))
		if single, notSingle := netip.ParseAddr(strings.TrimSpace(text)); notSingle == nil {
			network, err = single.Prefix(single.BitLen())
		}
		switch {
		case err != nil:
			problems.Add("allowed_networks", "has %s, which is no network such as 203.0.113.0/24", quote(text))
		case network.Masked() != network:
			problems.Add("allowed_networks", "has %s, which is an address inside a network; the network is %s", text, network.Masked())
		default:
			wanted = append(wanted, network.String())
		}
	}
	return wanted
}
