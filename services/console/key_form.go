package console

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
	maxName      = 100
	maxRateLimit = 1000
	defaultDays  = 90
	maxDays      = 365
)

type keyFormPage struct {
	Form                  *form
	Sent                  string // id of this form, which is accepted once
	Groups                []scopeGroup
	Presets               []preset
	Missing               map[string]bool // resources that the plan does not include
	First, Last           string          // first and last day that may be chosen
	APIAccess             bool
	DefaultDays           int
	MaxDays, MaxRateLimit int
}

func newKey(req *pageRequest) error {
	f := &form{values: map[string][]string{"rate_limit": {"60"}, "expires_on": {req.today().AddDate(0, 0, defaultDays).Format(time.DateOnly)}}}
	return req.showKeyForm(http.StatusOK, f)
}

func (req *pageRequest) today() time.Time { return time.Now().In(req.zone) }

func (req *pageRequest) showKeyForm(status int, f *form) error {
	plan, err := req.plan()
	if err != nil {
		return err
	}
	shown := keyFormPage{
		Form: f, Sent: newFormID(), Groups: scopeGroups, Presets: presets, Missing: map[string]bool{}, APIAccess: plan.has("api_access"),
		First: req.today().Format(time.DateOnly), Last: req.today().AddDate(0, 0, maxDays).Format(time.DateOnly),
		DefaultDays: defaultDays, MaxDays: maxDays, MaxRateLimit: maxRateLimit,
	}
	for _, group := range scopeGroups {
		for _, resource := range group.Resources {
			feature := catalogue.Product().FeatureOf(resource)
			shown.Missing[resource] = feature != "" && !plan.has(feature)
		}
	}
	return req.show(status, "key_new", req.language.translate("key_new.title"), shown)
}

// createKey creates the key and shows its value once. The page is the response to the form itself, so the value is never
// stored. A form that is sent twice creates one key.
func createKey(req *pageRequest) error {
	f := req.readForm()
	if chosen := f.Value("preset"); chosen != "" {
		f.values["scopes"] = presetScopes(chosen)
		return req.showKeyForm(http.StatusOK, f)
	}
	wanted := req.readKey(f)
	if f.hasProblems() {
		return req.showKeyForm(http.StatusBadRequest, f)
	}
	first, err := req.claimForm(req.ctx(), req.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return req.redirectWithNotice(req.base()+"/keys", "already_sent")
	}
	var made key
	err = req.callGateway(http.MethodPost, "/keys", wanted, &made)
	if e := faultOf(err); e != nil && e.Kind == fault.KindInvalid {
		req.explainKey(f, e)
		return req.showKeyForm(http.StatusBadRequest, f)
	}
	if refusedWith(err, "too_many_keys") {
		f.add("name", req.language.translate("problem.too_many_keys"))
		return req.showKeyForm(http.StatusConflict, f)
	}
	if err != nil {
		return err
	}
	return req.showValue(made, nil)
}

type valuePage struct {
	Key       key
	Replaced  *key
	Addresses addresses
	Curl      string
}

// showValue is the only page with a key's value.
func (req *pageRequest) showValue(made key, replaced *key) error {
	plan, err := req.plan()
	if err != nil {
		plan = planResponse{} // the value can be shown only now, so the page does without the addresses
	}
	where := plan.addresses()
	curl := "curl -H 'Authorization: Bearer " + made.Value + "' " + where.Base + "/v1/me"
	return req.show(http.StatusOK, "key_value", req.language.translate("key_value.title"), valuePage{made, replaced, where, curl})
}

// readKey reads the form and adds the problems of each field. The gateway checks all of it again.
func (req *pageRequest) readKey(f *form) map[string]any {
	translate := req.language.translate
	wanted := map[string]any{"confirm_privacy": f.Value("confirm_privacy") == "yes"}

	name := strings.TrimSpace(f.Value("name"))
	switch {
	case name == "":
		f.add("name", translate("problem.key.name.missing"))
	case len([]rune(name)) > maxName:
		f.add("name", translate("problem.key.name.long", maxName))
	}
	wanted["name"] = name

	scopes := f.values["scopes"]
	if len(scopes) == 0 {
		f.add("scopes", translate("problem.key.scopes"))
	}
	wanted["scopes"] = scopes
	if catalogue.ShowsPeople(scopes) && wanted["confirm_privacy"] == false {
		f.add("confirm_privacy", translate("problem.key.privacy"))
	}
	if expires, wrong := req.readExpiry(f.Value("expires_on")); wrong != "" {
		f.add("expires_on", translate(wrong, maxDays))
	} else if !expires.IsZero() {
		wanted["expires_at"] = expires.UTC().Format(time.RFC3339)
	}
	if text := strings.TrimSpace(f.Value("rate_limit")); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 || limit > maxRateLimit {
			f.add("rate_limit", translate("problem.key.rate_limit", maxRateLimit))
		}
		wanted["rate_limit"] = limit
	}
	networks, wrong := readNetworks(f.Value("allowed_networks"))
	if wrong != "" {
		f.add("allowed_networks", translate("problem.key.network", wrong))
	}
	wanted["allowed_networks"] = networks
	return wanted
}

// readExpiry reads the last day of a key. The key expires at the end of that day in the person's time zone, and at most
// after 365 days. An empty text means the default. The second result is the message key of a problem.
func (req *pageRequest) readExpiry(text string) (at time.Time, problem string) {
	if text == "" {
		return time.Time{}, ""
	}
	day, err := time.ParseInLocation(time.DateOnly, text, req.zone)
	if err != nil {
		return time.Time{}, "problem.key.expiry.unreadable"
	}
	now := req.today()
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, req.zone)
	at = day.AddDate(0, 0, 1).Add(-time.Second)
	latest := now.Add(maxDays*24*time.Hour - time.Minute)
	switch {
	case day.Before(today):
		return time.Time{}, "problem.key.expiry.past"
	case day.After(today.AddDate(0, 0, maxDays)):
		return time.Time{}, "problem.key.expiry.far"
	case at.After(latest):
		return latest, ""
	}
	return at, ""
}

// readNetworks reads networks that are separated by lines or commas. The second result is the first entry that is no
// network.
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

// explainKey adds the problems that only the gateway found. There is a message for each field.
func (req *pageRequest) explainKey(f *form, e *fault.Error) {
	fields := map[string]string{"expires_at": "expires_on"}
	for _, each := range e.Fields {
		name := each.Field
		if shown, found := fields[name]; found {
			name = shown
		}
		key := "problem.rule." + name
		if _, found := req.language.words[key]; !found {
			name, key = "name", "problem.rule.name"
		}
		f.add(name, req.language.translate(key))
	}
	if len(e.Fields) == 0 {
		f.add("name", req.language.translate("problem.rule.name"))
	}
	slices.SortStableFunc(f.problems, func(a, b problem) int { return fieldOrder(a.Field) - fieldOrder(b.Field) })
}

// fieldOrder is the position of a field in the form, for the order of the summary.
func fieldOrder(name string) int {
	return slices.Index([]string{"name", "scopes", "confirm_privacy", "expires_on", "rate_limit", "allowed_networks"}, name)
}
