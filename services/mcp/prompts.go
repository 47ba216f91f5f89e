package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// prompt is a task that people repeat: the tools to use, their order, and the content of the report.
type prompt struct {
	name, title, description string
	arguments                []promptArgument
	tools                    []string // the prompt is offered only with all of them
	text                     string   // {argument} is replaced by its value
}

type promptArgument struct {
	name, description string
	required          bool
	defaultText       string      // replaces the argument where it is left out
	completes         *collection // the collection whose names complete it
}

var prompts = []*prompt{
	{
		name: "building_condition_review", title: "Building condition review",
		description: "The condition of a building: figures, worst systems and assets, open work, what to do.",
		arguments:   []promptArgument{{name: "building", description: "Name or code of the building.", required: true, completes: buildings}},
		tools:       []string{"find", "get_summary", "search_assets"},
		text: `Review the condition of the building “{building}”.
1. find it (kinds: building); if several fit, ask which is meant.
2. get_summary for it with horizon_years 0, 5 and 10.
3. search_assets in it: the worst first (filters condition_rating_min 4, sort -risk_score), then those past their useful life (past_useful_life true).
4. search_work_orders in it that are open or overdue, if that tool is there.
Write one page: the condition in two sentences with FCI and its horizon; a table of the ten assets that matter most with condition, risk, renewal year and cost; what is already under way; three recommendations in order of urgency. Name what the data does not tell (data_quality).`,
	},
	{
		name: "capital_plan_briefing", title: "Capital plan briefing",
		description: "Cost, funding and gap of the years ahead, with the projects behind them.",
		arguments: []promptArgument{{name: "from_year", description: "First year; this year if left out.", defaultText: "this year"},
			{name: "years", description: "How many; 10 if left out.", defaultText: "10"}},
		tools: []string{"capital_plan", "search_projects"},
		text: `Brief the council on the capital plan: {years} years from {from_year}.
1. capital_plan for these years, grouped by lifecycle_activity, and once more by source_type.
2. search_projects: the largest funding gaps (sort -funding_gap), and what is at risk (filters health at_risk, off_track).
Write: the sum, what of it is confirmed, and the gap; the years in which the gap is largest, and why; five projects that need a decision, each with cost, gap and priority score; what waits without a year (unscheduled). Figures with currency, rounded to thousands.`,
	},
	{
		name: "overdue_work_triage", title: "Overdue work triage",
		description: "Overdue work orders: what is dangerous, what is blocked, what may wait.",
		arguments: []promptArgument{{name: "place", description: "Name of a site or building; the whole organization if left out.",
			defaultText: "the whole organization", completes: sites}},
		tools: []string{"find", "search_work_orders"},
		text: `Sort the overdue work orders of {place}.
1. If a place is named, find it and search there only.
2. search_work_orders with overdue true, sort due_date; read on while "more" says so, up to 300.
3. For the ten most serious, get_work_order with comments.
Put each into one group: act today (safety, urgent, critical assets), blocked (on hold: why, and who can help), reassign (nobody assigned), reschedule, close (looks done). Show each group as a table with number, title, place, due date, days overdue and who. Propose changes; write nothing before the user agrees.`,
	},
	{
		name: "level_of_service_report", title: "Level-of-service report",
		description: "Measures against targets, as O. Reg. 588/17 asks for.",
		arguments: []promptArgument{{name: "service_area", description: "Name of a service area; all if left out.",
			defaultText: "every service area", completes: serviceAreas}},
		tools: []string{"los_scorecard"},
		text: `Report on the levels of service of {service_area}.
1. los_scorecard without an id lists the service areas; with the id of each that is meant, its measures.
Write for each area: what it promises; a table of its measures with target, latest value, period, attainment and trend; what was missed and the likely reason; which measures have no data, no target or are stale. Begin with the core areas of O. Reg. 588/17.`,
	},
	{
		name: "data_quality_check", title: "Data quality check",
		description: "What is missing in the asset register before figures can be believed.",
		arguments: []promptArgument{{name: "site", description: "Name of a site; the whole organization if left out.",
			defaultText: "the whole organization", completes: sites}},
		tools: []string{"state_of_assets", "search_assets"},
		text: `Check the quality of the asset data of {site}.
1. state_of_assets grouped by site with fields counts, data_quality (or get_summary of the site that is named): data_quality says how many assets lack replacement cost, installation, useful life, condition, renewal year or site.
2. search_assets for examples, ten of each kind of gap, the most expensive first.
3. Look for likely mistakes: install years in the future, the same serial number twice, in service though far past their useful life.
Write: how far FCI and the capital plan can be trusted, in percent of assets and of value; the gaps in order of their effect; a list to work off. Write nothing to the data before the user agrees.`,
	},
}

// available reports whether the tools of the prompt are available.
func (p *prompt) available(available map[string]bool) bool {
	return !slices.ContainsFunc(p.tools, func(name string) bool { return !available[name] })
}

func (p *prompt) definition() *mcp.Prompt {
	listed := &mcp.Prompt{Name: p.name, Title: p.title, Description: p.description}
	for _, a := range p.arguments {
		listed.Arguments = append(listed.Arguments, &mcp.PromptArgument{Name: a.name, Description: a.description, Required: a.required})
	}
	return listed
}

// get returns the text with its arguments filled in.
func (p *prompt) get(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := p.text
	for _, a := range p.arguments {
		given := shorten(strings.Join(strings.Fields(r.Params.Arguments[a.name]), " "), 200)
		if given == "" {
			if a.required {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("The prompt %s needs the argument %s: %s",
					p.name, a.name, a.description)}
			}
			given = a.defaultText
		}
		text = strings.ReplaceAll(text, "{"+a.name+"}", given)
	}
	return &mcp.GetPromptResult{Description: p.description,
		Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
}
