package workorders

import (
	"net/http"
	"testing"

	"ams.internal/libs/principal"
)

// Comments and tasks go with their work order by a foreign key; their words go as well.
func TestTheWordsOfCommentsAndTasksGoWithTheirWorkOrder(t *testing.T) {
	f := newFixtureAlone(t)
	path, _ := f.create(t, fields{"title": "Remplacer le joint"})
	f.Create(t, path+"/comments", fields{"body": "La pièce arrive mardi"})
	f.Create(t, path+"/tasks", fields{"title": "Vérifier la pression"})
	other, _ := f.create(t, fields{"title": "Remplacer la pompe"})
	f.Create(t, other+"/comments", fields{"body": "La pièce est là"})
	if found, pagination := f.List(t, path+"/comments?q=piece"); len(found) != 1 || pagination["total"] != 1.0 {
		t.Errorf("comments of one work order: %v", found)
	}
	if found, _ := f.List(t, path+"/comments?q=piece+arrve&sort=relevance"); len(found) != 1 {
		t.Errorf("with a typing error: %v", found)
	}
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
	ctx := principal.Into(t.Context(), f.Principal)
	for _, collection := range []string{"work_orders", "work_order_comments", "work_order_tasks"} {
		if err := f.registry.VerifyIndex(ctx, collection); err != nil {
			t.Error(err)
		}
		if _, err := f.registry.FoldIndex(ctx, collection); err != nil {
			t.Fatal(err)
		}
		if err := f.registry.VerifyIndex(ctx, collection); err != nil {
			t.Error(err)
		}
	}
	if found, _ := f.List(t, other+"/comments?q=piece"); len(found) != 1 {
		t.Errorf("of the other work order: %v", found)
	}
}
