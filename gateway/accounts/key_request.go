package accounts

import (
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"ams.internal/gateway/keys"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/schema"
)

const (
	defaultRateLimit = 60
	maxRateLimit     = 1000
	maxExpiry        = 365 * 24 * time.Hour
	maxNetworks      = 50
	maxName          = 100
)

// readDraft checks the key that an Administrator wants, and names every field that is wrong.
func readDraft(given map[string]any, now time.Time) (keys.Draft, error) {
	draft := keys.Draft{ExpiresAt: now.Add(keys.DefaultExpiry), RateLimit: defaultRateLimit, Networks: []string{}}
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
			draft.Name = readName(value, &problems)
		case "scopes":
			draft.Scopes = readScopes(value, &problems)
		case "expires_at":
			draft.ExpiresAt = readExpiry(value, now, &problems)
		case "rate_limit":
			draft.RateLimit = readRateLimit(value, &problems)
		case "allowed_networks":
			draft.Networks = readNetworks(value, &problems)
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
	if catalogue.ShowsPeople(draft.Scopes) {
		if draft.Privacy = confirmed; !confirmed {
			problems.Add("confirm_privacy",
				"must be true for users:read, requests:read or *:*: the key's holder will see names and e-mail addresses of members or residents")
		}
	}
	slices.SortFunc(problems, func(a, b fault.Field) int { return strings.Compare(a.Field, b.Field) })
	return draft, problems.Err()
}

func readName(value any, problems *schema.Problems) string {
	text, isText := value.(string)
	if problem := schema.LineProblem(text); problem != "" {
		problems.Add("name", "%s", problem)
	}
	text = schema.Line(text)
	if length := len([]rune(text)); !isText || length < 1 || length > maxName {
		problems.Add("name", "must be a text of 1 to %d characters", maxName)
	}
	return text
}

func readScopes(value any, problems *schema.Problems) []string {
	entries, isList := value.([]any)
	if !isList || len(entries) == 0 {
		problems.Add("scopes", "must be a list of at least one of %s", strings.Join(keys.Scopes(), ", "))
		return nil
	}
	var wanted []string
	for _, entry := range entries {
		scope, _ := entry.(string)
		if !slices.Contains(keys.Scopes(), scope) {
			problems.Add("scopes", "has %s, which is no scope; the scopes are %s", keys.Quote(scope), strings.Join(keys.Scopes(), ", "))
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
	case at.After(now.Add(maxExpiry)):
		problems.Add("expires_at", "must be at most 365 days from now, which is %s", keys.Timestamp(now.Add(maxExpiry)))
	}
	return at.Truncate(time.Microsecond)
}

func readRateLimit(value any, problems *schema.Problems) int {
	number, isNumber := value.(float64)
	if !isNumber || number != math.Trunc(number) || number < 1 || number > maxRateLimit {
		problems.Add("rate_limit", "must be a whole number of requests a minute from 1 to %d", maxRateLimit)
		return 0
	}
	return int(number)
}

func readNetworks(value any, problems *schema.Problems) []string {
	entries, isList := value.([]any)
	if !isList || len(entries) > maxNetworks {
		problems.Add("allowed_networks", "must be a list of at most %d networks", maxNetworks)
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
			problems.Add("allowed_networks", "has %s, which is no network such as 203.0.113.0/24", keys.Quote(text))
		case network.Masked() != network:
			problems.Add("allowed_networks", "has %s, which is an address inside a network; the network is %s", text, network.Masked())
		default:
			wanted = append(wanted, network.String())
		}
	}
	return wanted
}
