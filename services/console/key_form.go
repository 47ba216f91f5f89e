package main

import (
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
)

const (
	mostName      = 100
	mostRateLimit = 1000
	usualDays     = 90
	mostDays      = 365
)

type keyFormPage struct {
	Form           *form
	Sent           string // names this form: it is taken once
	Groups         []scopeGroup
	Presets        []preset
	Missing        map[string]bool // resources that the plan does not include
	First, Last    string          // days that may be chosen
	APIAccess      bool
	Usual          int
	MostDays, Most int
}

func newKey(v *visit) error {
	f := &form{values: map[string][]string{"rate_limit": {"60"}, "expires_on": {v.today().AddDate(0, 0, usualDays).Format(time.DateOnly)}}}
	return v.askKey(http.StatusOK, f)
}

func (v *visit) today() time.Time { return time.Now().In(v.zone) }

func (v *visit) askKey(status int, f *form) error {
	plan, err := v.plan()
	if err != nil {
		return err
	}
	shown := keyFormPage{
		Form: f, Sent: newFormID(), Groups: scopeGroups, Presets: presets, Missing: map[string]bool{}, APIAccess: plan.has("api_access"),
		First: v.today().Format(time.DateOnly), Last: v.today().AddDate(0, 0, mostDays).Format(time.DateOnly),
		Usual: usualDays, MostDays: mostDays, Most: mostRateLimit,
	}
	for _, group := range scopeGroups {
		for _, resource := range group.Resources {
			feature := catalogue.Product().FeatureOf(resource)
			shown.Missing[resource] = feature != "" && !plan.has(feature)
		}
	}
	return v.show(status, "key_new", v.language.say("key_new.title"), shown)
}

// createKey makes the key and shows its value, this once. The page is the answer to the form itself: the value is never kept
// for a page that comes later. A form that is sent again makes no second key.
func createKey(v *visit) error {
	f := v.typed()
	if chosen := f.Value("preset"); chosen != "" {
		f.values["scopes"] = presetScopes(chosen)
		return v.askKey(http.StatusOK, f)
	}
	wanted := v.readKey(f)
	if f.wrong() {
		return v.askKey(http.StatusBadRequest, f)
	}
	first, err := v.takeForm(v.ctx(), v.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return v.leadWith("/settings/keys", "already_sent")
	}
	var made key
	err = v.gateway(http.MethodPost, "/keys", wanted, &made)
	if e := faultOf(err); e != nil && e.Kind == fault.KindInvalid {
		v.explainKey(f, e)
		return v.askKey(http.StatusBadRequest, f)
	}
	if err != nil {
		return err
	}
	return v.showValue(made, nil)
}

type valuePage struct {
	Key       key
	Replaced  *key
	Addresses addresses
	Curl      string
}

// showValue is the one page with a key's value.
func (v *visit) showValue(made key, replaced *key) error {
	plan, err := v.plan()
	if err != nil {
		plan = planAnswer{} // the value must be shown now or never: the page does without the addresses
	}
	where := plan.addresses()
	curl := "curl -H 'Authorization: Bearer " + made.Value + "' " + where.Base + "/v1/me"
	return v.show(http.StatusOK, "key_value", v.language.say("key_value.title"), valuePage{made, replaced, where, curl})
}

// readKey reads the form and words what is wrong with it, beside each field. The gateway checks all of it again.
func (v *visit) readKey(f *form) map[string]any {
	say := v.language.say
	wanted := map[string]any{"confirm_privacy": f.Value("confirm_privacy") == "yes"}

	name := strings.TrimSpace(f.Value("name"))
	switch {
	case name == "":
		f.add("name", say("problem.key.name.missing"))
	case len([]rune(name)) > mostName:
		f.add("name", say("problem.key.name.long", mostName))
	}
	wanted["name"] = name

	scopes := f.values["scopes"]
	if len(scopes) == 0 {
		f.add("scopes", say("problem.key.scopes"))
	}
	wanted["scopes"] = scopes
	if showsPeople(scopes) && wanted["confirm_privacy"] == false {
		f.add("confirm_privacy", say("problem.key.privacy"))
	}
	if expires, wrong := v.readExpiry(f.Value("expires_on")); wrong != "" {
		f.add("expires_on", say(wrong, mostDays))
	} else if !expires.IsZero() {
		wanted["expires_at"] = expires.UTC().Format(time.RFC3339)
	}
	if text := strings.TrimSpace(f.Value("rate_limit")); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 || limit > mostRateLimit {
			f.add("rate_limit", say("problem.key.rate_limit", mostRateLimit))
		}
		wanted["rate_limit"] = limit
	}
	networks, wrong := readNetworks(f.Value("allowed_networks"))
	if wrong != "" {
		f.add("allowed_networks", say("problem.key.network", wrong))
	}
	wanted["allowed_networks"] = networks
	return wanted
}

// readExpiry takes a day, which is meant to its last second where the person is; the last day that may be chosen ends
// with the 365 days. It gives the key of a problem. No day is the default.
func (v *visit) readExpiry(text string) (at time.Time, problem string) {
	if text == "" {
		return time.Time{}, ""
	}
	day, err := time.ParseInLocation(time.DateOnly, text, v.zone)
	if err != nil {
		return time.Time{}, "problem.key.expiry.unreadable"
	}
	now := v.today()
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, v.zone)
	at = day.AddDate(0, 0, 1).Add(-time.Second)
	latest := now.Add(mostDays*24*time.Hour - time.Minute)
	switch {
	case day.Before(today):
		return time.Time{}, "problem.key.expiry.past"
	case day.After(today.AddDate(0, 0, mostDays)):
		return time.Time{}, "problem.key.expiry.far"
	case at.After(latest):
		return latest, ""
	}
	return at, ""
}

// readNetworks takes one network a line, or separated by commas; it gives the first entry that is none.
func readNetworks(text string) (networks []string, wrong string) {
	networks = []string{}
	for _, entry := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", ;\r\n\t", r) }) {
		if prefix, err := netip.ParsePrefix(entry); err == nil && prefix.Masked() == prefix {
			networks = append(networks, entry)
		} else if _, err := netip.ParseAddr(entry); err == nil {
			networks = append(networks, entry)
		} else {
			return nil, entry
		}
	}
	return networks, ""
}

// explainKey words what only the gateway found: each field's rule stands in the catalogue.
func (v *visit) explainKey(f *form, e *fault.Error) {
	fields := map[string]string{"expires_at": "expires_on"}
	for _, each := range e.Fields {
		name := each.Field
		if shown, found := fields[name]; found {
			name = shown
		}
		key := "problem.rule." + name
		if _, found := v.language.words[key]; !found {
			name, key = "name", "problem.rule.name"
		}
		f.add(name, v.language.say(key))
	}
	if len(e.Fields) == 0 {
		f.add("name", v.language.say("problem.rule.name"))
	}
	slices.SortStableFunc(f.problems, func(a, b problem) int { return fieldOrder(a.Field) - fieldOrder(b.Field) })
}

// fieldOrder is the place of a field in the form: the summary lists problems as the eye meets them.
func fieldOrder(name string) int {
	return slices.Index([]string{"name", "scopes", "confirm_privacy", "expires_on", "rate_limit", "allowed_networks"}, name)
}
