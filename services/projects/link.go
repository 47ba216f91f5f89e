package projects

import "ams.internal/libs/resource"

// ProjectLink links a project to a record that it is about: an asset to replace, a segment to reline, a work order.
type ProjectLink struct {
	resource.Record
	ProjectID  string  `json:"project_id" readOnly:"true" references:"projects" doc:"The project." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	TargetType string  `json:"target_type" required:"true" enum:"asset,segment,building,system,site,work_order" filter:"equals" sort:"true" doc:"What kind of record target_id is of." example:"asset"`
	TargetID   string  `json:"target_id" required:"true" references:"@target_type" unique:"project_id,target_type" filter:"equals" doc:"The record; a project has one link to it. It cannot be deleted while the link is there." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Note       *string `json:"note" maxLength:"1000" search:"text" doc:"What the project has to do with it." example:"Remplacée par une pompe à vitesse variable"`
}

var links = resource.Definition[ProjectLink]{
	Collection: "project_links", Table: "project_link", Parent: "project_id", Label: "target_type",
}
