package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
)

// Errors are texts for an assistant: first what happened, in the API's own sentence, then what to do. Without that, an
// assistant repeats calls that cannot succeed and gives up where it could correct the call.

// explain returns the text of a tool's error.
func explain(ctx context.Context, err error) string {
	var refused *apiError
	switch {
	case isProblem(err):
		return err.Error()
	case errors.As(err, &refused):
		sentence, advice := endSentence(abridge(sentenceOf(refused), 200)), " "+advice(refused)+requestIDSuffix(ctx, refused)
		return sentence + details(refused, maxRefusal-len(sentence)-len(advice)) + advice
	case errors.Is(err, context.Canceled):
		return "The call was given up before it was finished. If it was a write, read the record before you repeat it."
	}
	return "Something went wrong on our side. " + uncertainWrite + requestIDSuffix(ctx, nil)
}

const uncertainWrite = "If the call was to write, it may or may not have been done: read first, and repeat it only if it was not. " +
	"Otherwise repeat it once, after a pause."

// maxRefusal is how many characters a refusal has: less than 120 tokens, as the tool list is measured.
const maxRefusal = 440

// few lists names in about so many characters, and says how many there are besides.
func few(names []string, room int) string {
	for shown := len(names); shown > 1; shown-- {
		text := strings.Join(names[:shown], ", ")
		if more := len(names) - shown; more > 0 {
			text += fmt.Sprintf(" … (%d more)", more)
		}
		if utf8.RuneCountInString(text) <= room {
			return text
		}
	}
	return shorten(strings.Join(names, ", "), max(room, 20))
}

// abridge shortens a sentence, and leaves what it may have been meant for, which stands at its end.
func abridge(text string, length int) string {
	end := ""
	if i := strings.LastIndex(text, "; did you mean"); i >= 0 {
		text, end = text[:i], text[i:]
	}
	return shorten(text, max(length-utf8.RuneCountInString(end), 20)) + end
}

// apiMessage is the API's own sentence. The exception is an error about the region, which the assistant did not choose.
func apiMessage(r *apiError) string {
	if r.fault.Code == "region_unavailable" {
		return "The service that this tool needs cannot be reached right now; the others can."
	}
	return r.fault.Message
}

// sentenceOf is the API's sentence where it says more than its fields do, which details lists.
func sentenceOf(r *apiError) string {
	if fields := r.fault.Fields; len(fields) > 0 && strings.HasPrefix(r.fault.Message, fields[0].Field+": ") {
		return "The API refuses this"
	}
	return apiMessage(r)
}

// endSentence adds a full stop where a text has no punctuation at its end.
func endSentence(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// details are the parts of the API's error besides its sentence, of at most about so many characters.
func details(r *apiError, room int) string {
	var b strings.Builder
	if n := len(r.fault.Fields); n > 0 {
		shown := min(n, maxProblems)
		for _, field := range r.fault.Fields[:shown] {
			b.WriteString("\n- " + abridge(field.Field+" "+field.Message, max(room/shown-6, 40)))
		}
		if n > shown {
			fmt.Fprintf(&b, "\n- and %d more", n-shown)
		}
		b.WriteString("\n")
	}
	if len(r.fault.Dependents) > 0 {
		var parts []string
		for _, collection := range slices.Sorted(maps.Keys(r.fault.Dependents)) {
			parts = append(parts, fmt.Sprintf("%d %s", r.fault.Dependents[collection], strings.ReplaceAll(collection, "_", " ")))
		}
		b.WriteString(" Still referring to it: " + few(parts, room-30) + ".")
	}
	return b.String()
}

// advice is what the assistant should do, by status.
func advice(r *apiError) string {
	switch r.status {
	case http.StatusBadRequest:
		return "Correct the arguments and call again."
	case http.StatusUnauthorized:
		return "Do not repeat the call. Tell the user that this connection no longer works: it has to be connected again with an API key that " +
			"is valid."
	case http.StatusForbidden:
		return forbidden(r)
	case http.StatusNotFound:
		return "Ids are never guessed: look the record up with find or a search, and use the id from there."
	case http.StatusConflict:
		return conflict(r)
	case http.StatusTooManyRequests:
		limit := ""
		if r.limit != "" {
			limit = " This key may make " + r.limit + " requests a minute."
		}
		return fmt.Sprintf("Wait %d seconds before the next call.%s Larger pages (limit up to 100) need fewer calls.", wholeSeconds(r.after),
			limit)
	}
	if r.method != http.MethodGet {
		return "It is not certain whether it was written. Read the record (or search for it) first; repeat the call only if the change is not " +
			"there."
	}
	return fmt.Sprintf("Nothing was changed. Wait %d seconds and call once more; if it fails again, tell the user.", wholeSeconds(r.after))
}

func forbidden(r *apiError) string {
	switch {
	case r.fault.Required != "":
		return fmt.Sprintf("Do not repeat the call: the API key of this connection lacks the scope %s. Tell the user; an Administrator of the "+
			"organization can make a key with it under Settings, API keys.", r.fault.Required)
	case r.fault.Feature != "":
		return fmt.Sprintf("Do not repeat the call: the organization's plan does not include %s. Tell the user; an Administrator sees under "+
			"Settings, Plan what would add it.", r.fault.Feature)
	}
	return "Do not repeat the call: it is a matter of the key or the plan. Tell the user; an Administrator of the organization can help."
}

func conflict(r *apiError) string {
	switch {
	case r.fault.ExistingID != "":
		return fmt.Sprintf("Do not repeat the call. The record that has this value already is %s: read it, and update it or leave it as it is.",
			r.fault.ExistingID)
	case r.fault.Allowed != nil && len(r.fault.Allowed) == 0:
		return "Do not repeat the call: this state is final."
	case r.fault.Allowed != nil:
		return "Do not repeat the call as it is. Allowed from here: " + strings.Join(r.fault.Allowed, ", ") + "."
	case r.fault.Code == "version_mismatch":
		return "Somebody changed the record meanwhile. Read it again, decide whether your change still makes sense, and call with the new " +
			"version."
	}
	return "Do not repeat the call as it is: read the record, then decide."
}

// wholeSeconds rounds a wait up to whole seconds, at least one.
func wholeSeconds(d time.Duration) int { return max(1, int((d+time.Second-1)/time.Second)) }

// requestIDSuffix returns the request id of an error that only the platform's administrators can correct.
func requestIDSuffix(ctx context.Context, r *apiError) string {
	if r != nil && r.status < http.StatusInternalServerError {
		return ""
	}
	id := callerFrom(ctx).RequestID
	if r != nil && r.fault.Request != "" {
		id = r.fault.Request
	}
	if id == "" {
		return ""
	}
	return " (request " + id + ")"
}

// unavailableReason is why the caller cannot use a tool. It is empty where the caller can.
func (t *tool) unavailableReason(c caller) string {
	p := principal.Principal{Scopes: c.Scopes, Features: c.Features}
	switch {
	case !c.includes(t):
		return t.name + " is of the toolset " + t.toolset + ", which this connection does not ask for. Do not retry; " +
			"if the user wants it, they add " + t.toolset + " to the header " + toolsetsHeader + " of the connection."
	case t.writes && c.RequestedReadOnly:
		return t.name + " writes, and this connection asks to read only. Do not retry; if the user wants you to write, they take the header " +
			readOnlyHeader + " from the connection."
	case t.writes && c.ReadOnly:
		return t.name + " writes, and this connection was made read-only. Do not retry; if the user wants you to write, they connect again " +
			"without ticking “read only”."
	case !p.Has(t.feature):
		return t.name + " needs " + catalogue.Product().FeatureName(t.feature) + ", which the organization's plan does not include. Do not " +
			"retry. Tell the user; an Administrator sees under Settings, Plan what would add it."
	case len(t.scopes) > 0 && !slices.ContainsFunc(t.scopes, p.Allows):
		return t.name + " needs the scope " + few(t.scopes, 80) + ", and the API key of this connection has " + few(scopesOf(c), 80) +
			". Do not retry. Tell the user; an Administrator of the organization can make a key with it under Settings, API keys."
	}
	return ""
}

// lacks is unavailableReason in a few words, which many tools have in common.
func (t *tool) lacks(c caller) string {
	p := principal.Principal{Scopes: c.Scopes, Features: c.Features}
	switch {
	case t.writes && c.ReadOnly:
		return "this connection is read-only"
	case !p.Has(t.feature):
		return "the plan lacks " + catalogue.Product().FeatureName(t.feature)
	case len(t.scopes) > 0 && !slices.ContainsFunc(t.scopes, p.Allows):
		return "the key lacks " + strings.Join(t.scopes, " or ")
	}
	return ""
}

func scopesOf(c caller) []string {
	if len(c.Scopes) == 0 {
		return []string{"none"}
	}
	return c.Scopes
}
