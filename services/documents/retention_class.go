package documents

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// RetentionClass says how long documents are kept, and what is done then.
type RetentionClass struct {
	resource.Record
	Code        string  `json:"code" required:"true" maxLength:"50" unique:"true" filter:"prefix" sort:"true" search:"code" doc:"Its code in the records by-law or file plan." example:"C-07"`
	Name        string  `json:"name" required:"true" filter:"prefix" sort:"true" search:"name" doc:"What it is of." example:"Building maintenance"`
	NameFR      *string `json:"name_fr" search:"text" doc:"The same in French." example:"Entretien des bâtiments"`
	Description *string `json:"description" maxLength:"2000" doc:"What belongs to it, and by which rule it is kept." example:"Maintenance records of buildings"`
	Trigger     string  `json:"trigger" required:"true" enum:"created,issued,expires,superseded,base_date" filter:"equals" sort:"true" doc:"From which day on years count: that on which the document was created here; its issued_on; its expires_on; that on which its latest revision took the place of the one before; its retention_base_date." example:"issued"`
	Years       *int    `json:"years" minimum:"0" maximum:"150" filter:"range" sort:"true" doc:"For how many years documents are kept. Either this or permanent." example:"5"`
	Permanent   bool    `json:"permanent" default:"false" filter:"equals" sort:"true" doc:"They are kept for good." example:"false"`
	Action      string  `json:"action" default:"review" enum:"review,trash" filter:"equals" sort:"true" doc:"What is done when the time has come. review: documents are listed with retention_due=true. trash: they are put into the trash, from which they go after 30 days; not while they are under a legal hold." example:"review"`
	Active      bool    `json:"active" default:"true" filter:"equals" sort:"true" doc:"Whether its action is carried out, and documents may be given it. One that is switched off keeps the documents that have it." example:"true"`
}

func (d *documents) retentionClasses() resource.Definition[RetentionClass] {
	return resource.Definition[RetentionClass]{
		Collection: "retention_classes", Table: "retention_class", NaturalKey: "code",
		BeforeWrite: func(_ context.Context, _ pgx.Tx, changes []*resource.Change[RetentionClass]) error {
			for _, c := range changes {
				if c.After != nil && c.After.Permanent == (c.After.Years != nil) {
					c.FieldError("years", "must be given, or permanent must be true; not both")
				}
			}
			return nil
		},
	}
}

// rejectInactiveClasses objects to retention classes that are switched off, of documents that did not have them before.
func rejectInactiveClasses(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Document]) error {
	given := map[string][]*resource.Change[Document]{} // by class
	for _, c := range changes {
		if c.After != nil && c.After.RetentionClassID != nil &&
			(c.Before == nil || !resource.Same(c.Before.RetentionClassID, c.After.RetentionClassID)) {
			given[*c.After.RetentionClassID] = append(given[*c.After.RetentionClassID], c)
		}
	}
	if len(given) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT id::text, code FROM retention_class WHERE organization_id = current_organization() AND NOT active
		AND id = ANY($1::uuid[])`, slices.Collect(maps.Keys(given)))
	if err != nil {
		return err
	}
	var id, code string
	_, err = pgx.ForEachRow(rows, []any{&id, &code}, func() error {
		for _, c := range given[id] {
			c.FieldError("retention_class_id", "names the class %s, which is switched off; make it active first", code)
		}
		return nil
	})
	return err
}
