package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// JobPlan is what is done: the tasks, materials and safety notes of work that comes again. A work order gets a copy of them, and names the
// version; later changes of the job plan leave it as it is.
type JobPlan struct {
	resource.Record
	Name           string     `json:"name" required:"true" maxLength:"200" filter:"equals" sort:"index" search:"name" doc:"What people call the work. It becomes the title of work orders." example:"Inspection mensuelle des extincteurs"`
	Code           *string    `json:"code" maxLength:"50" unique:"true" filter:"equals" sort:"true" search:"code" doc:"Short code; unique in the organization." example:"EXT-M"`
	Type           string     `json:"type" default:"preventive" enum:"corrective,preventive,inspection,emergency,other" filter:"equals" sort:"true" doc:"The type of its work orders." example:"inspection"`
	Priority       string     `json:"priority" default:"medium" enum:"low,medium,high,urgent" filter:"equals" sort:"true" doc:"The priority of its work orders." example:"medium"`
	EstimatedHours *float64   `json:"estimated_hours" minimum:"0" maximum:"1000000" unit:"hour" filter:"range" sort:"true" doc:"Hours of work expected of one work order." example:"0.5"`
	EstimatedCost  *float64   `json:"estimated_cost" money:"true" filter:"range" sort:"true" doc:"Cost expected of one work order. Left out, the forecast takes the sum of the materials." example:"45.00"`
	Trade          *string    `json:"trade" maxLength:"100" filter:"equals" sort:"true" doc:"Who can do it." example:"sécurité incendie"`
	Safety         *string    `json:"safety" maxLength:"5000" doc:"What whoever does it must know before beginning." example:"Cadenasser l'alimentation avant d'ouvrir le panneau"`
	Tasks          []JobTask  `json:"tasks" maxItems:"200" doc:"The steps, in their order; tasks of its work orders." example:"[{\"title\":\"Vérifier le manomètre\",\"required\":true}]"`
	Materials      []Material `json:"materials" maxItems:"200" doc:"What is needed for it." example:"[{\"description\":\"Goupille\",\"quantity\":1,\"unit_cost\":0.85}]"`
	FormTemplateID *string    `json:"form_template_id" references:"form_templates" filter:"equals" doc:"The form that is filled in with it." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Currency       string     `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

// JobTask is one step of a job plan.
type JobTask struct {
	Title    string `json:"title" minLength:"1" maxLength:"200" doc:"What is to be done." example:"Vérifier le manomètre"`
	Required bool   `json:"required,omitempty" required:"false" doc:"The work order cannot be completed without it." example:"true"`
}

// Material is something that is needed for work. Stock and orders are the finance system's: a line names the part and who sells it.
type Material struct {
	Description string   `json:"description" minLength:"1" maxLength:"200" doc:"What it is." example:"Goupille de sécurité"`
	PartNumber  *string  `json:"part_number,omitempty" required:"false" maxLength:"100" doc:"Its number at the vendor's or in stock." example:"GP-12"`
	Vendor      *string  `json:"vendor,omitempty" required:"false" maxLength:"200" doc:"Who sells it." example:"Sécurité Laurentides"`
	Quantity    float64  `json:"quantity" minimum:"0" maximum:"1000000000" doc:"How many or how much." example:"1"`
	UnitCost    *float64 `json:"unit_cost,omitempty" required:"false" minimum:"0" maximum:"9999999999999" doc:"Price of one." example:"0.85"`
}

var jobPlans = resource.Definition[JobPlan]{
	Collection: "job_plans", Table: "job_plan", NaturalKey: "code", Category: "type",
	Computed: map[string]string{"currency": resource.Currency},
}

// cost is what one work order of the job plan is expected to cost; nil where nobody knows.
func (p *JobPlan) cost() *float64 {
	if p.EstimatedCost != nil {
		return p.EstimatedCost
	}
	sum, known := 0.0, false
	for _, m := range p.Materials {
		if m.UnitCost != nil {
			sum, known = sum+m.Quantity**m.UnitCost, true
		}
	}
	if !known {
		return nil
	}
	return &sum
}

// give makes a work order one of the job plan: what it has itself stays.
func (p *JobPlan) give(w *WorkOrder) {
	version := p.Version
	w.JobPlanVersion, w.Safety, w.Materials, w.FormTemplateID = &version, p.Safety, p.Materials, p.FormTemplateID
	if w.EstimatedHours == nil {
		w.EstimatedHours = p.EstimatedHours
	}
	if w.EstimatedCost == nil {
		w.EstimatedCost = p.cost()
	}
}

// tasksOf are the tasks of a work order that is made from the job plan.
func (o orders) tasksOf(p *JobPlan, workOrder string) []*Task {
	all := make([]*Task, len(p.Tasks))
	for i, step := range p.Tasks {
		place := i + 1
		all[i] = resource.New[Task](o.registry, tasks.Collection)
		all[i].WorkOrderID, all[i].Title, all[i].Position = workOrder, step.Title, &place
		all[i].Required = step.Required
	}
	return all
}

// jobPlansOf reads the job plans of that id.
func jobPlansOf(ctx context.Context, tx pgx.Tx, ids []string) (map[string]*JobPlan, error) {
	rows, err := tx.Query(ctx, `SELECT id::text,
		version, name, type, priority, estimated_hours::float8, estimated_cost::float8, safety, tasks::text,
		materials::text, form_template_id::text FROM job_plan WHERE organization_id = current_organization() AND id = ANY($1::uuid[])`, ids)
	if err != nil {
		return nil, err
	}
	found := map[string]*JobPlan{}
	for rows.Next() {
		p, steps, parts := &JobPlan{}, "", ""
		if err := rows.Scan(&p.ID, &p.Version, &p.Name, &p.Type, &p.Priority, &p.EstimatedHours, &p.EstimatedCost, &p.Safety, &steps, &parts,
			&p.FormTemplateID); err != nil {
			return nil, err
		}
		if err := decode(steps, &p.Tasks, parts, &p.Materials); err != nil {
			return nil, err
		}
		found[p.ID] = p
	}
	return found, rows.Err()
}

// copyJobPlans gives work orders that are being made by hand what their job plan has.
func copyJobPlans(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	var ids []string
	for _, c := range changes {
		if givenJobPlan(c) {
			ids = append(ids, *c.After.JobPlanID)
		}
	}
	if ids == nil {
		return nil
	}
	plans, err := jobPlansOf(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if !givenJobPlan(c) {
			continue
		}
		if p := plans[*c.After.JobPlanID]; p != nil { // unknown ids were rejected before
			if c.Before == nil && !c.Sets("type") {
				c.After.Type = p.Type
			}
			if c.Before == nil && !c.Sets("priority") {
				c.After.Priority = p.Priority
			}
			p.give(c.After)
		}
	}
	return nil
}

// givenJobPlan reports whether the work order gets a job plan, or another one than before.
func givenJobPlan(c *resource.Change[WorkOrder]) bool {
	return c.After != nil && c.After.JobPlanID != nil && (c.Before == nil || !resource.Same(c.Before.JobPlanID, c.After.JobPlanID))
}

// addJobTasks adds the tasks of the job plan to new work orders.
func (o orders) addJobTasks(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	var ids []string
	for _, c := range changes {
		if givenJobPlan(c) && c.Before == nil {
			ids = append(ids, *c.After.JobPlanID)
		}
	}
	if ids == nil {
		return nil
	}
	plans, err := jobPlansOf(ctx, tx, ids)
	if err != nil {
		return err
	}
	var made []*Task
	for _, c := range changes {
		if givenJobPlan(c) && c.Before == nil {
			made = append(made, o.tasksOf(plans[*c.After.JobPlanID], c.ID())...)
		}
	}
	return resource.Insert(ctx, tx, o.registry, tasks.Collection, made)
}
