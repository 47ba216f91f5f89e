package webhooks

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/domain/catalogue"
)

// The figures and names in the tables of docs/webhooks.md are those of the program.
func TestTheTablesOfTheDocumentationAreTrue(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "webhooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	row := func(name, value string) string { return "| " + name + " | " + value }
	tag := func(field, key string) string {
		declared, _ := reflect.TypeFor[WebhookEndpoint]().FieldByName(field)
		return declared.Tag.Get(key)
	}
	feed := reflect.TypeFor[feedRequest]()
	limit, _ := feed.FieldByName("Limit")
	wait, _ := feed.FieldByName("Wait")
	wanted := []string{
		row("endpoints of an organization", fmt.Sprint(maxEndpoints)+" |"),
		row("`event_types` of an endpoint", tag("EventTypes", "maxItems")+" |"),
		row("`filters`", fmt.Sprintf("%d fields, %d values each |", maxFilters, maxFilterValues)),
		row("own `headers`", fmt.Sprintf("%d, values of %d characters |", maxHeaders, maxHeaderValue)),
		row("certificates in `ca_certificate`", fmt.Sprintf("%d, %s characters |", maxAuthorities, tag("CACertificate", "maxLength"))),
		row("secrets that are valid at once", fmt.Sprint(maxSecrets)+" |"),
		row("calls to an endpoint at the same time", fmt.Sprint(maxConcurrentCalls)+", "),
		row("time for a response", words(receiverTimeout)+" |"),
		row("length of a body", fmt.Sprintf("%d KiB |", maxBody>>10)),
		row("stored of a response", fmt.Sprintf("%d KiB |", maxStoredBody>>10)),
		row("failures until a delivery no longer holds up its record", fmt.Sprint(blockingFailures)+" |"),
		row("failures in a row until there is a break", fmt.Sprint(breakerFailures)+" |"),
		row("break", words(minBreak)+", doubling up to "+words(maxBreak)+" |"),
		row("without success until the endpoint is disabled", fmt.Sprintf("%d days |", disabledAfter/(24*time.Hour))),
		row("pause that `Retry-After` can ask for", words(maxPause)+" at most, "+words(defaultPause)+" where"),
		row("events, deliveries and attempts are kept for", fmt.Sprintf("%d days |", retention/(24*time.Hour))),
		row("events in an answer of the feed", fmt.Sprintf("%s, %d MiB |", limit.Tag.Get("maximum"), maxFeedBytes>>20)),
		row("longest `wait` of the feed", wait.Tag.Get("maximum")+" s |"),
		fmt.Sprintf("lists the types of events, %d at present", len(slices.Collect(catalogue.Product().EventTypes()))),
	}
	attempts, delays := "| after failure |", "| next attempt in |"
	for i, delay := range retryDelays {
		attempts, delays = attempts+fmt.Sprintf(" %d |", i+1), delays+" "+words(delay)+" |"
	}
	wanted = append(wanted, attempts+"\n", delays+"\n")
	for _, status := range strings.Split(tag("Status", "enum"), ",") {
		wanted = append(wanted, row("`"+status+"`", ""))
	}
	for _, state := range []string{"pending", "delivered", "failed", string(causeEvent), string(causeReplay), string(causeRedelivery),
		string(causeTest)} {
		wanted = append(wanted, row("`"+state+"`", ""))
	}
	for field := range reflect.TypeFor[WebhookEndpoint]().Fields() {
		if name := field.Tag.Get("json"); name != "" { // neither those of every record nor what is the program's own
			wanted = append(wanted, "`"+name+"`")
		}
	}
	for _, header := range callHeaders {
		wanted = append(wanted, "`"+header.Name+"`")
	}
	for _, format := range strings.Split(tag("Format", "enum"), ",") {
		wanted = append(wanted, "`"+format+"`")
	}
	for _, want := range wanted {
		if !strings.Contains(page, want) {
			t.Errorf("docs/webhooks.md lacks %q", want)
		}
	}
}

// words are a time as the tables have it.
func words(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}
