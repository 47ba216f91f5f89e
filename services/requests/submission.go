package requests

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
)

// submission is what a stranger sends by a link.
type submission struct {
	ServiceCode    *string           `json:"service_code" maxLength:"50"`
	Description    string            `json:"description" required:"true" maxLength:"4000"`
	AddressText    *string           `json:"address_text" maxLength:"500"`
	Latitude       *float64          `json:"latitude" minimum:"-90" maximum:"90"`
	Longitude      *float64          `json:"longitude" minimum:"-180" maximum:"180"`
	MediaURL       *string           `json:"media_url" maxLength:"2000" pattern:"^https?://[^\\s<>\"]+$" patternDescription:"a URL that begins with http:// or https://"`
	RequesterName  *string           `json:"requester_name" maxLength:"200"`
	RequesterEmail *string           `json:"requester_email" maxLength:"254" format:"email" pattern:"^[^@\\s<>\"]+@[^@\\s<>\"]+$" patternDescription:"an e-mail address such as name@example.ca"`
	RequesterPhone *string           `json:"requester_phone" maxLength:"50"`
	Stamp          string            `json:"stamp" required:"true" maxLength:"500"`
	Website        *string           `json:"website" maxLength:"4000"` // a trap: people do not see it
	Attributes     schema.OpenObject `json:"-"`                        // answers, one or a list of them by the code of their question
}

var submissions = schema.Of[submission]()

// readSubmission reads what was sent. The problems name its fields.
func readSubmission(body map[string]any) (*submission, schema.Problems) {
	in := &submission{}
	record := reflect.ValueOf(in).Elem()
	submissions.Defaults(record)
	plain := maps.Clone(body)
	delete(plain, "attributes")
	problems := submissions.Read(plain, "", record, map[string]bool{})
	if given := body["attributes"]; given != nil {
		attributes, is := given.(map[string]any)
		if !is {
			problems.Add("attributes", "must be an object")
		}
		in.Attributes = maps.Clone(attributes)
	}
	return in, append(problems, submissions.Missing(plain, "")...)
}

// isSpam says whether a body was made by a program that fills in forms: the trap is filled, or the form is too young, too old or not ours.
// A body without a stamp is judged by others.
func (p *publicDoor) isSpam(token string, body map[string]any) bool {
	if trap, _ := body["website"].(string); strings.TrimSpace(trap) != "" {
		return true
	}
	stamp, given := body["stamp"].(string)
	return given && !p.stamps.byPerson(token, stamp)
}

// receipt is what a stranger gets for a request.
type receipt struct {
	Number  string `json:"number"`
	Receipt string `json:"receipt"`
	URL     string `json:"url"`
}

// pretend is the receipt of what is not kept. It looks like every other.
func (p *publicDoor) pretend() receipt {
	token := newToken()
	return receipt{fmt.Sprintf("REQ-%06d", 1+rand.IntN(99_999)), token, p.receiptURL(token)} // #nosec G404 -- a number that means nothing
}

func (p *publicDoor) receiptURL(token string) string { return p.baseURL + "/r/status/" + token }

// check completes a submission by its link, and says what is wrong with it.
func (in *submission) check(l *openLink) (problems schema.Problems) {
	var service *RequestService
	switch {
	case in.ServiceCode == nil && len(l.services) == 1:
		service = l.services[0]
	case in.ServiceCode == nil && len(l.services) > 1:
		problems.Add("service_code", "must be one of %s", strings.Join(codesOf(l.services), ", "))
	case in.ServiceCode != nil:
		if service = l.service(*in.ServiceCode); service == nil {
			problems.Add("service_code", "is no service of this link")
		}
	}
	if service != nil {
		in.ServiceCode = &service.ServiceCode
		in.Attributes = checkValues(service, in.Attributes, &problems)
	} else if len(in.Attributes) > 0 && len(problems) == 0 {
		problems.Add("attributes", "are answers to the questions of a service, and none is asked for")
	}
	if (in.Latitude == nil) != (in.Longitude == nil) {
		problems.Add("longitude", "and latitude belong together; send both, or neither")
	}
	switch reachable := in.RequesterEmail != nil || in.RequesterPhone != nil; {
	case l.contact == noContact && (reachable || in.RequesterName != nil):
		problems.Add("requester_email", "is not asked for by this link; send no contact data")
	case l.contact == requiredContact && !reachable:
		problems.Add("requester_email", "or requester_phone must be given, so that somebody can answer")
	}
	return problems
}

func codesOf(services []*RequestService) []string {
	var codes []string
	for _, s := range services {
		codes = append(codes, s.ServiceCode)
	}
	return codes
}

// maxValueLength is how many characters the value of an attribute may have.
const maxValueLength = 1000

// checkValues checks the values of the attributes of a service, and gives them as they are stored: several values of one attribute are one
// text with commas.
func checkValues(s *RequestService, given schema.OpenObject, problems *schema.Problems) schema.OpenObject {
	stored := schema.OpenObject{}
	for _, a := range s.Attributes {
		if !a.isQuestion() {
			continue
		}
		at := "attributes." + a.Code
		values := valuesOf(given[a.Code])
		delete(given, a.Code)
		if len(values) == 0 {
			if a.Required {
				problems.Add(at, "must be answered")
			}
			continue
		}
		if problem := a.wrong(values); problem != "" {
			problems.Add(at, "%s", problem)
			continue
		}
		stored[a.Code] = strings.Join(values, ",")
	}
	for code := range given {
		problems.Add("attributes."+code, "is no question of the service %s", s.ServiceCode)
	}
	return stored
}

// valuesOf gives the values of an attribute as texts: one, or those of a list.
func valuesOf(given any) (values []string) {
	list, isList := given.([]any)
	if !isList {
		list = []any{given}
	}
	for _, one := range list {
		switch one.(type) {
		case nil:
		case string, float64, bool, json.Number:
			if text := schema.LineOrLines(fmt.Sprint(one)); text != "" {
				values = append(values, text)
			}
		default: // no value of any attribute
			values = append(values, strings.Repeat("?", maxValueLength+1))
		}
	}
	return values
}

// wrong says what is wrong with the values of an attribute; "" where nothing is.
func (a ServiceAttribute) wrong(values []string) string {
	if len(values) > 1 && a.Datatype != "multivaluelist" {
		return "takes one answer"
	}
	for _, value := range values {
		switch a.Datatype {
		case "singlevaluelist", "multivaluelist":
			if !slices.ContainsFunc(a.Values, func(v AttributeValue) bool { return v.Key == value }) {
				return "must be one of the answers that can be chosen"
			}
		case "number":
			if _, err := strconv.ParseFloat(strings.Replace(value, ",", ".", 1), 64); err != nil {
				return "must be a number"
			}
		case "datetime":
			if !isMoment(value) {
				return "must be a time as in 2026-01-31T14:00"
			}
		}
		if len([]rune(value)) > maxValueLength {
			return fmt.Sprintf("must have at most %d characters", maxValueLength)
		}
	}
	return ""
}

func isMoment(text string) bool {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02T15:04:05", time.DateOnly} {
		if _, err := time.Parse(form, text); err == nil {
			return true
		}
	}
	return false
}

// body is the request that a submission becomes, about the link's place.
func (in *submission) body(l *openLink) map[string]any {
	body := map[string]any{"title": titleOf(in.Description), "description": in.Description, "attributes": map[string]any(in.Attributes)}
	for name, value := range map[string]*string{
		"service_code": in.ServiceCode, "address_text": in.AddressText, "media_url": in.MediaURL, "requester_name": in.RequesterName,
		"requester_email": in.RequesterEmail, "requester_phone": in.RequesterPhone, "site_id": l.siteID, "building_id": l.buildingID,
		"asset_id": l.assetID,
	} {
		if value != nil {
			body[name] = *value
		}
	}
	if in.Latitude != nil {
		body["latitude"], body["longitude"] = *in.Latitude, *in.Longitude
	}
	return body
}

// longestTitle is how much of a description is a request's title.
const longestTitle = 100

// titleOf is the beginning of a description: its first line, up to a word's end.
func titleOf(description string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(description), "\n")
	line = strings.Join(strings.Fields(line), " ")
	letters := []rune(line)
	if len(letters) <= longestTitle {
		return line
	}
	short := string(letters[:longestTitle])
	if end := strings.LastIndexByte(short, ' '); end > longestTitle/2 {
		short = short[:end]
	}
	return short + "…"
}

// create writes a stranger's request, and gives the receipt.
func (p *publicDoor) create(ctx context.Context, from mark, body map[string]any) (receipt, error) {
	token := newToken()
	hash := sha256.Sum256([]byte(token))
	var number string
	err := p.registry.DB.Write(withDoor(ctx, from), func(ctx context.Context, tx pgx.Tx) error {
		id, err := p.registry.Create(ctx, tx, "requests", "", body)
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, `UPDATE request SET receipt = $2 WHERE organization_id = current_organization() AND id = $1 RETURNING number`,
			id, hash[:]).Scan(&number)
	})
	return receipt{number, token, p.receiptURL(token)}, postgres.Fault(err, nil)
}
