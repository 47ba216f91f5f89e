package requests

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// feature is what an organization's plan must include for links, services and the public door.
const feature = "maintenance"

// RequestService is something that people can ask for.
type RequestService struct {
	resource.Record
	ServiceCode   string             `json:"service_code" required:"true" maxLength:"50" pattern:"^[A-Za-z0-9_.-]+$" patternDescription:"letters, digits, points, hyphens and underscores" unique:"true" filter:"equals" sort:"true" search:"code" doc:"Its code, which Open311 shows." example:"PLAYGROUND"`
	Name          string             `json:"name" required:"true" maxLength:"200" filter:"equals" sort:"true" search:"name" doc:"What people read, in English." example:"Broken playground equipment"`
	NameFR        *string            `json:"name_fr" maxLength:"200" search:"text" doc:"What people read, in French." example:"Équipement de jeu brisé"`
	Description   *string            `json:"description" maxLength:"1000" doc:"A sentence about it, in English." example:"Swings, slides, climbing frames"`
	DescriptionFR *string            `json:"description_fr" maxLength:"1000" doc:"A sentence about it, in French." example:"Balançoires, glissades, modules"`
	Group         *string            `json:"group" column:"service_group" maxLength:"100" filter:"equals" sort:"true" doc:"What it is listed under." example:"Parks"`
	Keywords      []string           `json:"keywords" maxItems:"30" maxLength:"100" uniqueItems:"true" doc:"Other words by which it is found in Open311 apps." example:"[\"swing\",\"slide\"]"`
	Priority      string             `json:"priority" default:"medium" enum:"low,medium,high,urgent" filter:"equals" sort:"true" doc:"Of requests that say nothing else, and of their work orders." example:"medium"`
	Type          string             `json:"type" default:"corrective" enum:"corrective,preventive,inspection,emergency,other" filter:"equals" sort:"true" doc:"The type of work orders that are made for it." example:"corrective"`
	TeamID        *string            `json:"team_id" references:"teams" filter:"equals" doc:"The team that gets the work orders." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	ExpectedDays  *int               `json:"expected_days" minimum:"0" maximum:"3650" unit:"day" filter:"range" sort:"true" doc:"Within how many days it is commonly done; Open311 shows the day." example:"5"`
	Public        bool               `json:"public" default:"false" filter:"equals" doc:"Whether Open311 lists it, and shows its published requests."`
	Attributes    []ServiceAttribute `json:"attributes" maxItems:"30" doc:"Questions that are asked with it, in their order."`
}

// ServiceAttribute is a question that is asked with a request for a service, as Open311 has them.
type ServiceAttribute struct {
	Code       string           `json:"code" maxLength:"50" pattern:"^[A-Za-z0-9_.-]+$" doc:"Its code; unique in the service." example:"EQUIPMENT"`
	Question   string           `json:"question" maxLength:"200" doc:"The question, in English. Of a text that asks nothing (variable false): the text." example:"Which equipment?"`
	QuestionFR *string          `json:"question_fr" required:"false" maxLength:"200" doc:"The question, in French." example:"Quel équipement?"`
	Datatype   string           `json:"datatype" required:"false" enum:"string,number,datetime,text,singlevaluelist,multivaluelist" doc:"What the answer is: a line, a number, a time, several lines, one or several of values. A line where it is left out." example:"singlevaluelist"`
	Hint       *string          `json:"hint" required:"false" maxLength:"200" doc:"What the answer looks like; datatype_description in Open311." example:"See the plate"`
	Required   bool             `json:"required" required:"false" doc:"Whether it must be answered."`
	Variable   *bool            `json:"variable" required:"false" doc:"false: a text that is shown and asks nothing."`
	Values     []AttributeValue `json:"values" required:"false" maxItems:"100" doc:"What can be chosen, for the two kinds of list."`
}

// AttributeValue is one of the answers that can be chosen.
type AttributeValue struct {
	Key    string  `json:"key" maxLength:"50" doc:"What is kept." example:"swing"`
	Name   string  `json:"name" maxLength:"200" doc:"What people read, in English." example:"Swing"`
	NameFR *string `json:"name_fr" required:"false" maxLength:"200" doc:"What people read, in French." example:"Balançoire"`
}

var requestServices = resource.Definition[RequestService]{
	Collection: "request_services", Table: "request_service", NaturalKey: "service_code", Category: "type",
	BeforeWrite: prepareServices,
}

func prepareServices(ctx context.Context, tx pgx.Tx, changes []*resource.Change[RequestService]) error {
	var leaving []*resource.Change[RequestService] // services whose code nobody finds any more
	for _, c := range changes {
		if c.After == nil {
			leaving = append(leaving, c)
			continue
		}
		checkAttributes(c)
		if c.Before != nil && c.Before.ServiceCode != c.After.ServiceCode {
			leaving = append(leaving, c)
		}
	}
	return rejectUsedServices(ctx, tx, leaving)
}

// complete fills in what was left out.
func (a *ServiceAttribute) complete() {
	if a.Datatype == "" {
		a.Datatype = "string"
	}
	if a.Variable == nil {
		variable := true
		a.Variable = &variable
	}
	if a.Values == nil {
		a.Values = []AttributeValue{}
	}
}

// isQuestion reports whether the attribute is a question, and no text to read.
func (a ServiceAttribute) isQuestion() bool { return a.Variable == nil || *a.Variable }

// checkAttributes checks what the declaration of an attribute cannot say.
func checkAttributes(c *resource.Change[RequestService]) {
	seen := map[string]bool{}
	c.After.Attributes = slices.Clone(c.After.Attributes)
	for i, a := range c.After.Attributes {
		at := fmt.Sprintf("attributes[%d].", i)
		a.complete()
		c.After.Attributes[i] = a
		if seen[a.Code] {
			c.FieldError(at+"code", "%s is there twice", a.Code)
		}
		seen[a.Code] = true
		if !a.isQuestion() && a.Required {
			c.FieldError(at+"required", "cannot be true of a text that asks nothing")
		}
		chosen := a.Datatype == "singlevaluelist" || a.Datatype == "multivaluelist"
		if chosen != (len(a.Values) > 0) {
			c.FieldError(at+"values", "are for singlevaluelist and multivaluelist, and needed there")
		}
		keys := map[string]bool{}
		for j, v := range a.Values {
			if keys[v.Key] {
				c.FieldError(fmt.Sprintf("%svalues[%d].key", at, j), "%s is there twice", v.Key)
			}
			keys[v.Key] = true
		}
	}
}

// rejectUsedServices keeps the codes that requests and links name.
func rejectUsedServices(ctx context.Context, tx pgx.Tx, changes []*resource.Change[RequestService]) error {
	if len(changes) == 0 {
		return nil
	}
	byCode, codes := map[string]*resource.Change[RequestService]{}, []string{}
	for _, c := range changes {
		byCode[c.Before.ServiceCode] = c
		codes = append(codes, c.Before.ServiceCode)
	}
	rows, err := tx.Query(ctx, `SELECT c.code, (SELECT count(*) FROM request r WHERE r.organization_id = current_organization()
		AND r.service_code = c.code),
			(SELECT count(*) FROM request_link l WHERE l.organization_id = current_organization() AND l.service_codes ? c.code)
		FROM unnest($1::text[]) AS c (code)`, codes)
	if err != nil {
		return err
	}
	var code string
	var used, linked int
	_, err = pgx.ForEachRow(rows, []any{&code, &used, &linked}, func() error {
		if used+linked > 0 {
			byCode[code].Reject(fault.StillInUse("service_code", code, map[string]int{"requests": used, "request_links": linked},
				"The service %s is named by %d requests and %d links; its code stays. Set public to false to offer it no longer, and take it out of "+
					"the links.", code, used, linked))
		}
		return nil
	})
	return err
}

// readServices gives services of the transaction's organization by their codes, which compare without regard to case.
func readServices(ctx context.Context, tx pgx.Tx, codes []string) (map[string]*RequestService, error) {
	found := map[string]*RequestService{}
	if len(codes) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, serviceColumns+` AND s.service_code_key IN (SELECT unique_key(c) FROM unnest($1::text[]) c)`, codes)
	if err != nil {
		return nil, err
	}
	services, err := collectServices(rows)
	for _, s := range services {
		for _, code := range codes {
			if sameCode(code, s.ServiceCode) {
				found[code] = s
			}
		}
	}
	return found, err
}

const serviceColumns = `SELECT s.id::text, s.service_code, s.name, s.name_fr, s.description, s.description_fr, s.service_group, s.keywords,
	s.priority, s.type, s.team_id::text, s.expected_days, s.public, s.attributes
	FROM request_service s WHERE s.organization_id = current_organization()`

func collectServices(rows pgx.Rows) ([]*RequestService, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*RequestService, error) {
		s := &RequestService{}
		return s, row.Scan(&s.ID, &s.ServiceCode, &s.Name, &s.NameFR, &s.Description, &s.DescriptionFR, &s.Group, &s.Keywords, &s.Priority,
			&s.Type, &s.TeamID, &s.ExpectedDays, &s.Public, &s.Attributes)
	})
}

// checkServices finds the services that new or changed requests name, and checks the answers to their questions.
func checkServices(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Request]) error {
	var codes []string
	var touched []*resource.Change[Request]
	for _, c := range changes {
		if c.Before != nil && resource.Same(c.Before.ServiceCode, c.After.ServiceCode) && !c.Sets("attributes") {
			continue
		}
		if c.After.ServiceCode == nil {
			if len(c.After.Attributes) > 0 {
				c.FieldError("attributes", "are answers to the questions of a service; send service_code, or leave them out")
			}
			continue
		}
		touched = append(touched, c)
		codes = append(codes, *c.After.ServiceCode)
	}
	found, err := readServices(ctx, tx, codes)
	if err != nil {
		return err
	}
	for _, c := range touched {
		s := found[*c.After.ServiceCode]
		if s == nil {
			c.FieldError("service_code", "there is no service %s; GET /v1/request-services lists them", *c.After.ServiceCode)
			continue
		}
		c.After.ServiceCode = &s.ServiceCode
		if c.Before == nil && !c.Sets("priority") {
			c.After.Priority = s.Priority
		}
		for code := range c.After.Attributes {
			if !slices.ContainsFunc(s.Attributes, func(a ServiceAttribute) bool { return a.isQuestion() && a.Code == code }) {
				c.FieldError("attributes."+code, "is no question of the service %s", s.ServiceCode)
			}
		}
	}
	return nil
}
