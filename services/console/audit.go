package console

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// auditEntry is one entry of the audit trail: an action that the gateway recorded, or a write through the API.
type auditEntry struct {
	ID        string          `json:"id"`
	At        string          `json:"at"`
	Actor     actor           `json:"actor"`
	Action    string          `json:"action"`
	Subject   subject         `json:"subject"`
	Changes   json.RawMessage `json:"changes"`
	Address   string          `json:"address"`
	RequestID string          `json:"request_id"`
}

// auditResponse is one page of the audit trail, the newest entries first.
type auditResponse struct {
	Data    []auditEntry `json:"data"`
	Next    string       `json:"next"`    // where the next page begins; empty on the last page
	Missing []string     `json:"missing"` // services that did not respond, whose writes are missing
}

// auditFilter is the filter of the page.
type auditFilter struct{ Key, Person, Record, From, To string }

type auditPage struct {
	Filter   auditFilter
	Form     *form
	Entries  []auditLine
	Missing  []string
	Next     template.URL // query of the next page
	Export   template.URL // query of the CSV file
	Keys     []key
	Members  []member
	Filtered bool
}

// auditLine is an entry with its sentence.
type auditLine struct {
	auditEntry
	What    string
	Changed []changedField
}

type changedField struct{ Name, Before, After string }

func showAudit(req *pageRequest) error {
	filter, f := req.auditFilter()
	shown := auditPage{Filter: filter, Form: f, Filtered: filter != auditFilter{}, Export: address(filter.query(""))}
	var err error
	if shown.Keys, err = req.allKeys(); err != nil {
		return err
	}
	if shown.Members, err = req.members(); err != nil {
		return err
	}
	if !f.hasProblems() {
		response, err := req.auditEntries(filter, req.r.URL.Query().Get("after"), 50)
		if err != nil {
			return err
		}
		for _, entry := range response.Data {
			shown.Entries = append(shown.Entries, auditLine{entry, req.language.actionSentence(entry), changed(entry.Changes)})
		}
		shown.Missing = response.Missing
		if response.Next != "" {
			shown.Next = address(filter.query(response.Next))
		}
	}
	status := http.StatusOK
	if f.hasProblems() {
		status = http.StatusBadRequest
	}
	return req.show(status, "audit", req.language.translate("audit.title"), shown)
}

// auditFilter reads the filter from the query.
func (req *pageRequest) auditFilter() (auditFilter, *form) {
	query := req.r.URL.Query()
	text := func(name string) string {
		return strings.ToValidUTF8(strings.ReplaceAll(strings.TrimSpace(query.Get(name)), "\x00", ""), "")
	}
	filter := auditFilter{text("key"), text("person"), text("record"), text("from"), text("to")}
	f := &form{values: query}
	if filter.Record != "" && uuid.Validate(filter.Record) != nil {
		f.add("record", req.language.translate("problem.record"))
	}
	if uuid.Validate(filter.Key) != nil { // chosen from a list
		filter.Key = ""
	}
	if uuid.Validate(filter.Person) != nil {
		filter.Person = ""
	}
	req.checkDays(f, filter.From, filter.To)
	return filter, f
}

// checkDays adds the problems of the first and the last day of a filter.
func (req *pageRequest) checkDays(f *form, from, to string) {
	for name, day := range map[string]string{"from": from, "to": to} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			f.add(name, req.language.translate("problem.day"))
		}
	}
	if !f.hasProblems() && from != "" && to != "" && from > to {
		f.add("to", req.language.translate("problem.day.order"))
	}
}

// query is the filter as the query of a page.
func (f auditFilter) query(after string) url.Values {
	values := url.Values{}
	for name, value := range map[string]string{"key": f.Key, "person": f.Person, "record": f.Record,
		"from": f.From, "to": f.To, "after": after} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values
}

// address is a query for a template, after the question mark. It is encoded already.
func address(query url.Values) template.URL { return template.URL(query.Encode()) } // #nosec G203 -- encoded

// auditEntries reads a page of the audit trail. Days are in the person's time zone, from the first moment of the first
// day to the end of the last.
func (req *pageRequest) auditEntries(filter auditFilter, after string, limit int) (response auditResponse, err error) {
	values := filter.query(after)
	values.Set("limit", strconv.Itoa(limit))
	if from, err := time.ParseInLocation(time.DateOnly, filter.From, req.zone); err == nil {
		values.Set("from", from.UTC().Format(time.RFC3339))
	}
	if to, err := time.ParseInLocation(time.DateOnly, filter.To, req.zone); err == nil {
		values.Set("to", to.AddDate(0, 0, 1).UTC().Format(time.RFC3339))
	}
	err = req.callGateway(http.MethodGet, "/audit?"+values.Encode(), nil, &response)
	return response, err
}

// actionSentence describes an action. Some actions have a sentence of their own ("revoked the key"). The others combine
// the verb and the kind of record ("changed: building").
func (l *language) actionSentence(entry auditEntry) string {
	if words, found := l.words["action."+entry.Action]; found {
		return words
	}
	if finer := endpointAction(entry); finer != "" {
		return l.translate("action.webhook_endpoint." + finer)
	}
	kind, verb, found := strings.Cut(entry.Action, ".")
	words, known := l.words["verb."+verb]
	if !found || !known {
		return entry.Action
	}
	return fmt.Sprintf(words, l.recordName(kind))
}

// changed lists the fields of an entry. A value is an object or a pair with the values before and after, or the new
// value alone.
func changed(raw json.RawMessage) []changedField {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	var all []changedField
	for name, value := range fields {
		field := changedField{Name: name, After: readable(value)}
		var both []json.RawMessage
		var named struct{ From, To, Before, After, Old, New json.RawMessage }
		switch {
		case json.Unmarshal(value, &both) == nil && len(both) == 2:
			field.Before, field.After = readable(both[0]), readable(both[1])
		case json.Unmarshal(value, &named) == nil && (named.From != nil || named.To != nil):
			field.Before, field.After = readable(named.From), readable(named.To)
		case json.Unmarshal(value, &named) == nil && (named.Before != nil || named.After != nil):
			field.Before, field.After = readable(named.Before), readable(named.After)
		case json.Unmarshal(value, &named) == nil && (named.Old != nil || named.New != nil):
			field.Before, field.After = readable(named.Old), readable(named.New)
		}
		all = append(all, field)
	}
	slices.SortFunc(all, func(a, b changedField) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// readable writes a JSON value for people.
func readable(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
