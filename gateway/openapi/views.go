package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"ams.internal/libs/transport"
)

// The views of the document: what programs that make clients read, and everything.
const (
	viewClients = "clients"
	viewFull    = "full"
)

// Views are the two views of the document, as JSON.
type Views struct{ Clients, Full []byte }

// newViews makes both views of a document, which is changed by that. Programs that make clients stumble over what they have no types for:
// the view for them has answers and bodies in JSON alone, no webhooks, of the headers of answers those that not every answer has, since
// some programs write a function for each header of each answer, and defaults in words, since some take a field that has one for required.
// What nothing refers to is in neither view.
func newViews(whole map[string]any) Views {
	prune(whole)
	var views Views
	views.Full = encode(whole)
	delete(whole, "webhooks")
	for _, response := range object(object(whole["components"])["responses"]) {
		onlyItsOwn(object(response))
	}
	for _, operation := range operationsOf(whole) {
		onlyJSON(object(operation["requestBody"]))
		for _, response := range object(operation["responses"]) {
			onlyJSON(object(response))
			onlyItsOwn(object(response))
		}
	}
	for _, schema := range object(object(whole["components"])["schemas"]) {
		for _, property := range object(object(schema)["properties"]) {
			defaultInWords(object(property))
		}
	}
	prune(whole)
	views.Clients = encode(whole)
	return views
}

func encode(value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil { // it was JSON before
		panic(err)
	}
	return encoded
}

// operationsOf gives every operation of the paths.
func operationsOf(whole map[string]any) []map[string]any {
	var operations []map[string]any
	for _, item := range object(whole["paths"]) {
		for _, operation := range object(item) {
			if described := object(operation); described["responses"] != nil {
				operations = append(operations, described)
			}
		}
	}
	return operations
}

// onlyJSON takes all media types besides application/json away.
func onlyJSON(described map[string]any) {
	content := object(described["content"])
	for mediaType := range content {
		if mediaType != "application/json" {
			delete(content, mediaType)
		}
	}
}

// onlyItsOwn takes the headers away that every answer has.
func onlyItsOwn(response map[string]any) {
	headers := object(response["headers"])
	for name := range transport.HeadersOfEvery() {
		delete(headers, name)
	}
	if len(headers) == 0 {
		delete(response, "headers")
	}
}

// defaultInWords puts the default of a field behind its description.
func defaultInWords(property map[string]any) {
	value, has := property["default"]
	if !has {
		return
	}
	delete(property, "default")
	description, _ := property["description"].(string)
	if description != "" && !strings.HasSuffix(description, ".") {
		description += "."
	}
	property["description"] = strings.TrimSpace(description + " Left out: " + string(encode(value)) + ".")
}

// prune takes away the components that nothing refers to, and the tags that no operation has.
func prune(whole map[string]any) {
	components := object(whole["components"])
	used := map[string]bool{}
	var visit func(value any)
	visit = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for name, member := range v {
				reference, isText := member.(string)
				if name != "$ref" || !isText {
					visit(member)
				} else if !used[reference] {
					used[reference] = true
					kind, component, _ := strings.Cut(strings.TrimPrefix(reference, "#/components/"), "/")
					visit(object(components[kind])[component])
				}
			}
		case []any:
			for _, entry := range v {
				visit(entry)
			}
		}
	}
	visit(whole["paths"])
	visit(whole["webhooks"])
	for kind, named := range components {
		if kind == "securitySchemes" {
			continue
		}
		for name := range object(named) {
			if !used["#/components/"+kind+"/"+name] {
				delete(object(named), name)
			}
		}
		if len(object(named)) == 0 {
			delete(components, kind)
		}
	}
	tags := map[string]bool{}
	for _, section := range []string{"paths", "webhooks"} {
		for _, item := range object(whole[section]) {
			collectTags(item, tags)
		}
	}
	list := []any{}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, map[string]any{"name": tag, "description": describeTag(tag)})
	}
	whole["tags"] = list
}

// tagDescriptions say what the operations of a group are about.
var tagDescriptions = map[string]string{
	"accounting": "The ledger of capital assets: fiscal years, classes, what was bought, amortized and disposed of, " +
		"and the schedule and journal that follow.",
	"assets":             "Equipment and other things that are kept up one by one, with their condition assessments.",
	"buildings":          "Buildings on sites.",
	"deficiencies":       "What is wrong with places, systems and assets, and what it costs to correct.",
	"event-types":        "The types of events, with examples.",
	"events":             "The feed of events, and the calls to webhook endpoints.",
	"forms":              "Templates of forms, and the forms that were filled in.",
	"infrastructure":     "Networks, their segments with geometry, inspections, and deficiencies of segments.",
	"los":                "Levels of service: service areas, measures, targets, measurements and scorecards.",
	"maintenance":        "Job plans, preventive maintenance plans, service levels and calendars of working hours.",
	"me":                 "The calling key, its organization and its limits.",
	"meters":             "Meters and gauges with their readings.",
	"planning":           "Lifecycle planning: asset classes, how they deteriorate, what can be done about it, and scenarios.",
	"price-indexes":      "Price indexes, by which costs are brought to the prices of another year.",
	"projects":           "Capital projects with phases, funding, budget lines and links, and the plan over the years.",
	"reports":            "Figures of the whole organization.",
	"request-links":      "Links and QR codes by which people ask for work at one place.",
	"request-services":   "What people can ask for.",
	"requests":           "What residents and staff ask for, until it is done.",
	"search":             "Records of all collections, by what people call them.",
	"sites":              "Places with buildings, systems and assets.",
	"systems":            "Systems of buildings and sites, by UNIFORMAT II.",
	"teams":              "Teams of members, to whom work is given.",
	"users":              "The people of the organization, and their roles.",
	"documents":          "Files and photos on records, with their revisions and links.",
	"legal-holds":        "Documents that must be kept while a court may ask for them.",
	"retention-classes":  "How long documents are kept.",
	"storage":            "How much an organization keeps.",
	"uploads":            "Uploads of large files that can be resumed (tus 1.0.0).",
	"vendors":            "Companies that work for the organization.",
	"webhook-deliveries": "Events on their way to webhook endpoints, with every attempt.",
	"webhook-endpoints":  "Where events are sent.",
	"work-orders":        "Work orders with targets, comments, tasks, costs and effects.",
}

func describeTag(tag string) string {
	if description := tagDescriptions[tag]; description != "" {
		return description
	}
	return "Operations on " + strings.ReplaceAll(tag, "-", " ") + "."
}
