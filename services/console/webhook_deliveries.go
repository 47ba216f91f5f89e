package console

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// delivery is the delivery of one event to one endpoint. Only the response for a single delivery has Attempts.
type delivery struct {
	ID            string            `json:"id"`
	EndpointID    string            `json:"endpoint_id"`
	EventID       string            `json:"event_id"`
	Sequence      *int64            `json:"sequence"`
	EventType     string            `json:"event_type"`
	RecordID      string            `json:"record_id"`
	Status        string            `json:"state"`
	Cause         string            `json:"cause"`
	AttemptCount  int               `json:"attempt_count"`
	NextAttemptAt *string           `json:"next_attempt_at"`
	CreatedAt     string            `json:"created_at"`
	FinishedAt    *string           `json:"finished_at"`
	LastStatus    *int              `json:"last_status"`
	LastError     *string           `json:"last_error"`
	Attempts      []deliveryAttempt `json:"attempts"`
}

// State is the state on the page. A pending delivery with a failed attempt is retrying.
func (d delivery) State() string {
	if d.Status == "pending" && d.AttemptCount > 0 {
		return "retrying"
	}
	return d.Status
}

// deliveryAttempt is one call of the receiver, with its request and its response.
type deliveryAttempt struct {
	Number     int    `json:"number"`
	At         string `json:"at"`
	DurationMS int    `json:"duration_ms"`
	Request    struct {
		Headers wireHeaders `json:"headers"`
		Body    wireBody    `json:"body"`
	} `json:"request"`
	Response *struct {
		Status  int         `json:"status"`
		Headers wireHeaders `json:"headers"`
		Body    string      `json:"body"`
	} `json:"response"`
	Error *string `json:"error"`
}

// Accepted reports whether the receiver accepted the call.
func (a deliveryAttempt) Accepted() bool { return a.Error == nil }

// deliveryStates are the states to filter by.
var deliveryStates = []string{"pending", "delivered", "failed"}

// deliveryFilter is the filter of the page.
type deliveryFilter struct{ State, EventType, Record, From, To string }

type deliveryList struct {
	Data       []delivery `json:"data"`
	Pagination struct {
		Page       int `json:"page"`
		Total      int `json:"total"`
		TotalPages int `json:"total_pages"`
	} `json:"pagination"`
}

// deliveries reads a page of an endpoint's deliveries, the newest first. Days are in the person's time zone.
func (req *pageRequest) deliveries(endpoint string, filter deliveryFilter, page, perPage int) (found deliveryList, err error) {
	query := url.Values{"sort": {"-created_at"}, "page": {strconv.Itoa(page)}, "per_page": {strconv.Itoa(perPage)}}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	set("state", filter.State)
	set("event_type", filter.EventType)
	set("record_id", filter.Record)
	if from, err := time.ParseInLocation(time.DateOnly, filter.From, req.zone); err == nil {
		set("created_from", from.UTC().Format(time.RFC3339))
	}
	if to, err := time.ParseInLocation(time.DateOnly, filter.To, req.zone); err == nil {
		set("created_to", to.AddDate(0, 0, 1).Add(-time.Microsecond).UTC().Format(time.RFC3339Nano))
	}
	err = req.callWebhooks(http.MethodGet, "/v1/webhook-endpoints/"+endpoint+"/deliveries?"+query.Encode(), nil, &found)
	return found, err
}

type deliveriesPage struct {
	Endpoint     webhookEndpoint
	Form         *form
	Filter       deliveryFilter
	Filtered     bool
	Deliveries   []delivery
	Total        int
	States       []string
	Types        []eventType
	Newer, Older template.URL // queries of the neighbouring pages
}

func listDeliveries(req *pageRequest) error {
	found, err := req.webhook()
	if err != nil {
		return err
	}
	shown := deliveriesPage{Endpoint: found, States: deliveryStates}
	if shown.Types, err = req.eventTypes(); err != nil {
		return err
	}
	shown.Filter, shown.Form = req.deliveryFilter(shown.Types)
	shown.Filtered = shown.Filter != deliveryFilter{}
	title := req.language.translate("deliveries.title")
	if shown.Form.hasProblems() {
		return req.show(http.StatusBadRequest, "deliveries", title, shown)
	}
	page := pageNumber(req.r.URL.Query().Get("page"))
	list, err := req.deliveries(found.ID, shown.Filter, page, 25)
	if err != nil {
		return err
	}
	shown.Deliveries, shown.Total = list.Data, list.Pagination.Total
	if page > 1 {
		shown.Newer = address(shown.Filter.query(min(page-1, list.Pagination.TotalPages)))
	}
	if page < list.Pagination.TotalPages {
		shown.Older = address(shown.Filter.query(page + 1))
	}
	return req.show(http.StatusOK, "deliveries", title, shown)
}

// deliveryFilter reads the filter from the query.
func (req *pageRequest) deliveryFilter(types []eventType) (deliveryFilter, *form) {
	query := req.r.URL.Query()
	text := func(name string) string {
		return strings.ToValidUTF8(strings.ReplaceAll(strings.TrimSpace(query.Get(name)), "\x00", ""), "")
	}
	filter := deliveryFilter{text("state"), text("event_type"), text("record"), text("from"), text("to")}
	f := &form{values: query}
	if !slices.Contains(deliveryStates, filter.State) { // chosen from a list
		filter.State = ""
	}
	if filter.EventType != "webhook.test" && !slices.ContainsFunc(types, func(t eventType) bool { return t.Name == filter.EventType }) {
		filter.EventType = ""
	}
	if filter.Record != "" && uuid.Validate(filter.Record) != nil {
		f.add("record", req.language.translate("problem.record"))
	}
	req.checkDays(f, filter.From, filter.To)
	return filter, f
}

// query is the filter as the query of a page.
func (f deliveryFilter) query(page int) url.Values {
	values := url.Values{}
	for name, value := range map[string]string{"state": f.State, "event_type": f.EventType, "record": f.Record, "from": f.From, "to": f.To} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if page > 1 {
		values.Set("page", strconv.Itoa(page))
	}
	return values
}

func pageNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1_000_000 {
		return 1
	}
	return n
}

type deliveryPage struct {
	Endpoint webhookEndpoint
	Delivery delivery
	Sent     string // id of the form that sends it again
}

func showDelivery(req *pageRequest) error {
	endpoint, found, err := req.delivery()
	if err != nil {
		return err
	}
	slices.SortFunc(found.Attempts, func(a, b deliveryAttempt) int { return b.Number - a.Number }) // the last first
	return req.show(http.StatusOK, "delivery", req.language.translate("delivery.title", found.EventType),
		deliveryPage{endpoint, found, newFormID()})
}

// delivery returns the delivery and the endpoint that the path names.
func (req *pageRequest) delivery() (endpoint webhookEndpoint, found delivery, err error) {
	if endpoint, err = req.webhook(); err != nil {
		return endpoint, found, err
	}
	id := req.r.PathValue("delivery")
	if uuid.Validate(id) != nil {
		return endpoint, found, req.refuseUnknown("webhook_delivery", id, notFound)
	}
	if err := req.callWebhooks(http.MethodGet, "/v1/webhook-deliveries/"+id, nil, &found); err != nil {
		return endpoint, found, req.refuseUnknown("webhook_delivery", id, err)
	}
	if found.EndpointID != endpoint.ID {
		return endpoint, found, notFound
	}
	return endpoint, found, nil
}

// redeliver queues the same event for the same endpoint again. A form that is sent twice queues one delivery.
func redeliver(req *pageRequest) error {
	endpoint, found, err := req.delivery()
	if err != nil {
		return err
	}
	path := "/settings/webhooks/" + endpoint.ID + "/deliveries/"
	first, err := req.claimForm(req.ctx(), req.session, req.r.PostFormValue("sent"))
	if err != nil {
		return err
	}
	if !first {
		return req.redirectWithNotice(path+found.ID, "already_sent")
	}
	var made delivery
	if err := req.callWebhooks(http.MethodPost, "/v1/webhook-deliveries/"+found.ID+"/redeliver", struct{}{}, &made); err != nil {
		return err
	}
	return req.redirectWithNotice(path+made.ID, "redelivered")
}
