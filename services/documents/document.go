package documents

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// Document is a file on a record: a photo, a manual, a warranty. Its content is that of its latest revision.
type Document struct {
	resource.Record
	Collection     string  `json:"collection" required:"true" enum:"sites,buildings,systems,assets,condition_assessments,deficiencies,work_orders,work_order_tasks,vendors,job_plans,pm_plans,meters,form_responses,requests,los_service_areas,los_measures,los_measurements,networks,segments,inspections,infrastructure_deficiencies,projects,project_phases,project_funding_sources" filter:"equals" facet:"true" doc:"What record_id is of. Reading needs its scope :read besides documents:read, writing :write." example:"assets"`
	RecordID       string  `json:"record_id" required:"true" references:"@collection" filter:"equals" doc:"The record that the document is on; it may be moved to another. As a filter it finds documents that are linked to the record as well." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Kind           *string `json:"kind" enum:"photo,manual,drawing,specification,warranty,certificate,inspection_report,contract,invoice,permit,correspondence,video,data,other" filter:"equals" sort:"true" facet:"true" doc:"What it is. When left out: photo of an image, video of a video, other of everything else, from the first content on." example:"warranty"`
	Title          string  `json:"title" required:"true" maxLength:"300" filter:"prefix" sort:"true" search:"name" doc:"What people call it. With a file, the file's name when left out." example:"Garantie de la chaudière"`
	CaptionEN      *string `json:"caption_en" maxLength:"1000" filter:"prefix" search:"text" doc:"What there is to see, in English." example:"Boiler plate"`
	CaptionFR      *string `json:"caption_fr" maxLength:"1000" filter:"prefix" search:"text" doc:"What there is to see, in French." example:"Plaque de la chaudière"`
	Language       *string `json:"language" enum:"en,fr,mul,zxx" filter:"equals" sort:"true" doc:"Of the content. mul: several; zxx: none, such as of most photos (ISO 639-2)." example:"fr"`
	DocumentNumber *string `json:"document_number" maxLength:"100" filter:"prefix" sort:"true" search:"code" doc:"Its number in your drawing register or document management (ISO 19650)." example:"BLD01-ARC-DR-0042"`
	IssuedOn       *string `json:"issued_on" format:"date" filter:"range" sort:"true" doc:"When it was issued." example:"2024-02-29"`
	ExpiresOn      *string `json:"expires_on" format:"date" filter:"range" sort:"true" doc:"Until when it holds: the end of a warranty, of a permit." example:"2029-02-28"`
	SortOrder      *int    `json:"sort_order" minimum:"-1000000" maximum:"1000000" filter:"range" sort:"true" doc:"Place among the documents of the record." example:"1"`
	IsPrimary      bool    `json:"is_primary" default:"false" filter:"equals" sort:"true" doc:"The one that is shown for the record. A record has one; setting it clears the other." example:"true"`

	RetentionClassID  *string `json:"retention_class_id" references:"retention_classes" filter:"equals" doc:"How long it is kept." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	RetentionBaseDate *string `json:"retention_base_date" format:"date" filter:"range" doc:"From when on that counts, for classes with the trigger base_date." example:"2026-06-30"`

	FileName    *string  `json:"file_name" readOnly:"true" filter:"prefix" sort:"true" search:"text" doc:"Of the latest revision, as it can be saved on every system." example:"chaudiere.jpg"`
	MediaType   *string  `json:"media_type" readOnly:"true" filter:"equals" sort:"true" doc:"What the bytes are." example:"image/jpeg"`
	SizeBytes   *int64   `json:"size_bytes" readOnly:"true" filter:"range" sort:"true" unit:"byte" doc:"Of the latest revision." example:"2480913"`
	SHA256      *string  `json:"sha256" readOnly:"true" filter:"equals" doc:"Of the bytes, in hexadecimal." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Revision    *int     `json:"revision" readOnly:"true" filter:"range" sort:"true" doc:"The number of the latest revision, from 1; null of a draft." example:"1"`
	WidthPx     *int     `json:"width_px" readOnly:"true" filter:"range" sort:"true" unit:"px" doc:"Of a picture, as it is shown." example:"3024"`
	HeightPx    *int     `json:"height_px" readOnly:"true" filter:"range" sort:"true" unit:"px" doc:"Of a picture, as it is shown." example:"4032"`
	TakenAt     *string  `json:"taken_at" format:"date-time" readOnly:"true" filter:"range" sort:"true" doc:"When the picture was taken, as it says itself." example:"2026-07-14T13:30:00Z"`
	Latitude    *float64 `json:"latitude" readOnly:"true" minimum:"-90" maximum:"90" decimals:"6" filter:"range" unit:"degree" doc:"Where the picture was taken, as it says itself." example:"43.6534"`
	Longitude   *float64 `json:"longitude" readOnly:"true" minimum:"-180" maximum:"180" decimals:"6" filter:"range" unit:"degree" doc:"Where the picture was taken, as it says itself." example:"-79.3836"`
	ScanStatus  *string  `json:"scan_status" readOnly:"true" enum:"not_scanned,pending,clean,infected,unscannable" filter:"equals" sort:"true" facet:"true" doc:"What the look for malware found. Content can be read unless it is pending or infected. not_scanned: there is no scanner. unscannable: encrypted, or over the scanner's limits." example:"clean"`
	RetainUntil *string  `json:"retain_until" format:"date" readOnly:"true" doc:"The document cannot be deleted before this day. Null: it has no class, its class is permanent, or the period has not begun; only the first may be deleted." example:"2033-06-30"`
	LegalHolds  []string `json:"legal_holds" format:"uuid" readOnly:"true" doc:"The active legal holds that it is under, by id; it cannot be deleted meanwhile."`
	Status      string   `json:"status" readOnly:"true" enum:"draft,active,trashed" filter:"equals" sort:"true" facet:"true" doc:"draft: it has no content yet. trashed: deleted, and can be restored for 30 days. Lists show draft and active unless status is asked for." example:"active"`
	TrashedAt   *string  `json:"trashed_at" format:"date-time" readOnly:"true" filter:"range" sort:"true" doc:"When it was deleted."`
	RevisedAt   *string  `json:"revised_at" format:"date-time" readOnly:"true" filter:"range" sort:"true" doc:"When the latest revision was made."`
}

// heldBy is the condition that the hold h keeps the document t.
const heldBy = `h.organization_id = t.organization_id AND h.status = 'active' AND (h.record_id = t.record_id AND h.collection = t.collection
	OR EXISTS (SELECT FROM legal_hold_document x WHERE x.organization_id = h.organization_id AND x.legal_hold_id = h.id
		AND x.document_id = t.id)
	OR h.record_id IS NOT NULL AND EXISTS (SELECT FROM document_link x WHERE x.organization_id = t.organization_id AND x.document_id = t.id
		AND x.collection = h.collection AND x.record_id = h.record_id))`

// held is the condition that any hold keeps the document t.
const held = "EXISTS (SELECT FROM legal_hold h WHERE " + heldBy + ")"

// retainUntil is the first day on which the document t may be deleted: that on which its class begins to count, and as many years later.
// The 29th of February is the 28th in a year that has none (as Postgres adds years). NULL where it may be deleted now, or never.
const retainUntil = `(SELECT (CASE c.trigger
		WHEN 'created' THEN (t.created_at AT TIME ZONE current_setting('ams.time_zone'))::date
		WHEN 'issued' THEN t.issued_on
		WHEN 'expires' THEN t.expires_on
		WHEN 'superseded' THEN CASE WHEN t.revision > 1 THEN (t.revised_at AT TIME ZONE current_setting('ams.time_zone'))::date END
		WHEN 'base_date' THEN t.retention_base_date END + make_interval(years => c.years))::date
	FROM retention_class c WHERE c.organization_id = t.organization_id AND c.id = t.retention_class_id AND NOT c.permanent)`

func (d *documents) documents() resource.Definition[Document] {
	return resource.Definition[Document]{
		Collection: "documents", Table: "document", Label: "title", Category: "kind",
		Computed: map[string]string{
			"retain_until": retainUntil + "::text",
			"legal_holds":  "coalesce((SELECT jsonb_agg(h.id ORDER BY h.position) FROM legal_hold h WHERE " + heldBy + "), '[]')",
		},
		Also: map[string]string{
			"record_id": "SELECT document_id FROM document_link WHERE organization_id = $1 AND record_id = ANY($2::text[]::uuid[])",
		},
		Filters: map[string]resource.Filter{
			"held": {Kind: schema.Boolean, Doc: "Under a legal hold, or under none.", SQL: "(" + held + ") = $2"},
			"legal_hold_id": {Kind: schema.UUID, Doc: "Under this legal hold.",
				SQL: "EXISTS (SELECT FROM legal_hold h WHERE h.id = $2 AND " + heldBy + ")"},
			"retention_due": {Kind: schema.Boolean, Doc: "Whose retain_until has come, or has not.",
				SQL: "coalesce(" + retainUntil + " <= " + indicators.Today + ", false) = $2"},
			"retain_until_from": {Kind: schema.Date, Doc: "Kept until this day or later.", SQL: retainUntil + " >= $2"},
			"retain_until_to":   {Kind: schema.Date, Doc: "Kept until this day or before.", SQL: retainUntil + " <= $2"},
			"has_position":      {Kind: schema.Boolean, Doc: "Whether the picture says where it was taken.", SQL: "(t.latitude IS NOT NULL) = $2"},
		},
		Visible:    visibleDocuments,
		Hidden:     d.notVisible,
		Default:    map[string]string{"status": "draft,active"},
		Holds:      "t.status <> 'trashed'",
		SoftDelete: func(document *Document) { document.trash(time.Now()) },
		Events: map[string]resource.Emits[Document]{
			"document.scanned": resource.WhenUpdated(func(before, after *Document) bool { return scanned(before, after) }),
			"document.infected": resource.WhenUpdated(func(before, after *Document) bool {
				return scanned(before, after) && *after.ScanStatus == "infected"
			}),
		},
		BeforeWrite: d.prepareDocuments,
		AfterWrite:  d.keepContent,
	}
}

// trash puts the document into the trash.
func (d *Document) trash(at time.Time) {
	text := at.UTC().Format(time.RFC3339Nano)
	d.Status, d.TrashedAt, d.IsPrimary = "trashed", &text, false
}

// scanned says whether a change is that the content was looked through.
func scanned(before, after *Document) bool {
	return before.ScanStatus != nil && after.ScanStatus != nil && *before.ScanStatus != *after.ScanStatus && *after.ScanStatus != "pending" &&
		before.Revision != nil && after.Revision != nil && *before.Revision == *after.Revision
}

func (d *documents) prepareDocuments(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Document]) error {
	p := principal.From(ctx)
	var trashed []*resource.Change[Document]
	var leaving []leaves
	primary := map[string]string{} // documents that are to be shown for their records, by record
	for _, c := range changes {
		for _, of := range []*Document{c.Before, c.After} {
			if of != nil {
				if reason := mayWrite(p, of.Collection); reason != nil {
					c.Reject(reason)
				}
			}
		}
		if c.After == nil {
			continue
		}
		if c.Before == nil {
			c.After.Status = "draft"
			c.After.fill(ctx)
		}
		if c.After.Status == "trashed" {
			if c.Before != nil && c.Before.Status != "trashed" {
				trashed = append(trashed, c)
			} else if c.Before != nil {
				c.Reject(inTrash(c.ID()))
			}
			continue
		}
		if c.Before != nil && c.Before.RecordID != c.After.RecordID {
			leaving = append(leaving, leaves{c.Before.Collection, c.Before.RecordID, c.Reject})
		}
		if c.After.IsPrimary && (c.Before == nil || !c.Before.IsPrimary || c.Before.RecordID != c.After.RecordID) {
			if primary[c.After.RecordID] != "" {
				c.FieldError("is_primary", "is set of two documents of one record")
			}
			primary[c.After.RecordID] = c.ID()
		}
	}
	if err := d.rejectRetained(ctx, tx, trashed); err != nil {
		return err
	}
	if err := rejectLeaving(ctx, tx, leaving); err != nil {
		return err
	}
	if err := rejectInactiveClasses(ctx, tx, changes); err != nil {
		return err
	}
	return d.clearPrimary(ctx, tx, primary)
}

// inTrash is the 409 of a change of a document that was deleted.
func inTrash(id string) *fault.Error {
	return fault.Conflict("document_trashed", "status", "trashed",
		"The document is in the trash; POST /v1/documents/%s/restore first.", id)
}

// clearPrimary lets the documents that were shown for records make way for others.
func (d *documents) clearPrimary(ctx context.Context, tx pgx.Tx, primary map[string]string) error {
	if len(primary) == 0 {
		return nil
	}
	var records, ids []string
	for record := range primary {
		records = append(records, record)
	}
	slices.Sort(records) // the locks of two calls are taken in one order
	for _, record := range records {
		ids = append(ids, primary[record])
	}
	if _, err := tx.Exec(ctx,
		`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' primary ' || current_organization() || r, 0))
		FROM unnest($1::text[]) r ORDER BY r`, records); err != nil {
		return err
	}
	return d.registry.UpdateWhere(ctx, tx, "documents", []string{"is_primary"}, `SELECT id, false AS is_primary FROM document
		WHERE organization_id = $1 AND is_primary AND record_id = ANY($2::uuid[]) AND id <> ALL($3::uuid[])`, records, ids)
}
