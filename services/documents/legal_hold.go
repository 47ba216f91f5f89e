package main

import (
	"ams.internal/libs/resource"
)

// LegalHold keeps documents that somebody may ask for in a court: those that it names, or all that are on a record, also later ones.
type LegalHold struct {
	resource.Record
	Name        string   `json:"name" required:"true" unique:"true" filter:"prefix" sort:"true" search:"name" doc:"What it is about." example:"Smith v. Ville de Rivière-Claire"`
	Reason      string   `json:"reason" required:"true" maxLength:"2000" search:"text" doc:"Why the documents must be kept." example:"Claim of 2026-05-04"`
	Collection  *string  `json:"collection" enum:"sites,buildings,systems,assets,condition_assessments,deficiencies,work_orders,work_order_tasks,vendors,job_plans,pm_plans,meters,form_responses,requests,los_service_areas,los_measures,los_measurements,networks,segments,inspections,infrastructure_deficiencies,projects,project_phases,project_funding_sources" filter:"equals" doc:"What record_id is of." example:"buildings"`
	RecordID    *string  `json:"record_id" references:"@collection" filter:"equals" doc:"All documents on this record are held, also those that come later. Either this or document_ids." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	DocumentIDs []string `json:"document_ids" format:"uuid" writeOnly:"true" maxItems:"10000" uniqueItems:"true" doc:"The documents that are held; a PATCH replaces them. GET /v1/documents?legal_hold_id= lists them."`
	Status      string   `json:"status" default:"active" enum:"active,released" filter:"equals" sort:"true" doc:"released is final." example:"active"`
	Documents   int      `json:"documents" readOnly:"true" doc:"How many documents it holds."`
	ReleasedAt  *string  `json:"released_at" format:"date-time" readOnly:"true" filter:"range" sort:"true" doc:"When it was released."`
}

func (d *documents) legalHolds() resource.Definition[LegalHold] {
	return resource.Definition[LegalHold]{
		Collection: "legal_holds", Table: "legal_hold", NaturalKey: "name",
		Computed: map[string]string{
			"documents": "(SELECT count(*) FROM document d WHERE d.organization_id = t.organization_id AND " + holds + ")",
		},
		Transitions: resource.Transitions{Field: "status", From: map[string][]string{"active": {"released"}}},
	}
}

// holds is the condition that the hold t keeps the document d, were it active.
const holds = `(d.record_id = t.record_id AND d.collection = t.collection
	OR EXISTS (SELECT FROM legal_hold_document x WHERE x.organization_id = t.organization_id AND x.legal_hold_id = t.id AND x.document_id = d.id)
	OR t.record_id IS NOT NULL AND EXISTS (SELECT FROM document_link x WHERE x.organization_id = d.organization_id AND x.document_id = d.id
		AND x.collection = t.collection AND x.record_id = t.record_id))`
