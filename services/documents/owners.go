package documents

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// owners are the collections whose records can have documents: those that name this service among their referrers. The fields collection of
// documents, links and holds list them.
func owners() []catalogue.Collection {
	var all []catalogue.Collection
	for row := range catalogue.Product().Collections() {
		if slices.Contains(row.ReferredBy, "documents") && row.Service != "documents" {
			all = append(all, row)
		}
	}
	return all
}

// mayRead says whether the caller may read the records of a collection, and so what is on them.
func mayRead(p principal.Principal, row catalogue.Collection) bool {
	return p.Has(row.Feature) && p.Allows(row.Scope+":read")
}

// readable lists the collections that the caller may read, for SQL; all says that it is every one.
func readable(p principal.Principal) (list string, all bool) {
	var names []string
	all = true
	for _, row := range owners() {
		if mayRead(p, row) {
			names = append(names, "'"+row.Name+"'")
		} else {
			all = false
		}
	}
	if names == nil {
		return "NULL", all
	}
	return strings.Join(names, ", "), all
}

// visibleDocuments is the condition of a document that the caller may see: one on any record that he may read. Work of this service itself
// sees all.
func visibleDocuments(p principal.Principal) string {
	list, all := readable(p)
	if all || p.Actor.Type == "service" {
		return ""
	}
	return "(t.collection IN (" + list + ") OR EXISTS (SELECT FROM document_link v WHERE v.organization_id = t.organization_id AND " +
		"v.document_id = t.id AND v.collection IN (" + list + ")))"
}

// visibleLinks is the same of a link.
func visibleLinks(p principal.Principal) string {
	list, all := readable(p)
	if all || p.Actor.Type == "service" {
		return ""
	}
	return "t.collection IN (" + list + ")"
}

// mayWrite objects to a caller who may not change records of a collection: whoever changes what is on a record changes the record.
func mayWrite(p principal.Principal, collection string) *fault.Error {
	return mayTouch(p, collection, ":write")
}

// mayTouch objects to a caller without the feature of a collection, or without its scope that ends in this.
func mayTouch(p principal.Principal, collection, verb string) *fault.Error {
	row, found := catalogue.Product().Find(collection)
	if !found || p.Actor.Type == "service" {
		return nil // an unknown one is named by the check of the field
	}
	if !p.Has(row.Feature) {
		return endpoint.NotInPlan(row.Feature)
	}
	return scopeMissing(p, row.Scope+verb, row)
}

// scopeMissing objects to a caller without a scope that a record asks for, beside that of documents.
func scopeMissing(p principal.Principal, scope string, row catalogue.Collection) *fault.Error {
	if p.Allows(scope) {
		return nil
	}
	return endpoint.ScopeMissing(p, scope, "The document is on a record of %s, so this needs the scope %s besides.",
		strings.ReplaceAll(row.Name, "_", " "), scope)
}

// alsoVisible continues a WHERE over the document t: it is one that the caller may see.
func alsoVisible(ctx context.Context) string {
	if condition := visibleDocuments(principal.From(ctx)); condition != "" {
		return " AND " + condition
	}
	return ""
}

// notVisible is the answer about a document, or a content of it, that was not found among those that the caller may see: 403 that names the
// scope where it is one of the organization that he may not see, else 404.
func (d *documents) notVisible(ctx context.Context, id string) error {
	p, visible, collection := principal.From(ctx), false, ""
	condition := visibleDocuments(p)
	if condition == "" {
		condition = "true"
	}
	err := d.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`SELECT t.collection, (`+condition+`) IS TRUE FROM document t
			WHERE t.organization_id = current_organization() AND t.id = $1`, id).
			QueryRow(func(row pgx.Row) error { return row.Scan(&collection, &visible) })
	})
	switch row, _ := catalogue.Product().Find(collection); {
	case errors.Is(err, pgx.ErrNoRows):
		return fault.NotFound("document", id)
	case err != nil:
		return postgres.Fault(err, nil)
	case visible:
		return fault.New(fault.KindNotFound, "no_content", "The document %s has no such content.", id)
	case !p.Has(row.Feature):
		return endpoint.NotInPlan(row.Feature)
	default:
		return scopeMissing(p, row.Scope+":read", row)
	}
}
