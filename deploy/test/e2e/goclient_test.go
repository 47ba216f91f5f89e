package e2e

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	ams "ams.internal/clients/go"
)

func (c caller) library() *ams.Client { return ams.NewClient(c.base, c.key) }

// TestTheGoClientReadsWhatTheServiceSends makes records and reads them in every way that the library has.
func TestTheGoClientReadsWhatTheServiceSends(t *testing.T) {
	ctx, client := t.Context(), fresh(t, city).library()
	site := value(client.Sites.Create(ctx, ams.SiteWrite{Name: "Go client"}))(t)
	rows := make([]ams.AssetBulkCreateRow, 25)
	for i := range rows {
		rows[i] = ams.AssetBulkCreateRow{Name: fmt.Sprintf("Go client %d", i), ExternalID: new(fmt.Sprintf("go-client-%d", i)), SiteID: &site.ID,
			CustomFields: map[string]any{"floor": i}}
	}
	made := value(client.Assets.BulkCreateRows(ctx, rows, ams.BulkOptions{}))(t)
	if made.Summary.Created != 25 || made.Results[24].Index != 24 || made.Data[24].Name != "Go client 24" {
		t.Fatalf("%+v", made.Summary)
	}
	here := ams.Filters{"site_id": site.ID}
	page := value(client.Assets.List(ctx, ams.Filters{"site_id": site.ID, "per_page": 10}))(t)
	if len(page.Data) != 10 || page.Pagination.Total != 25 || page.Pagination.NextCursor == nil {
		t.Errorf("a page is %+v", page.Pagination)
	}
	var names, streamed []string
	for asset, err := range client.Assets.All(ctx, ams.Filters{"site_id": site.ID, "per_page": 10}) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, asset.Name)
	}
	for asset, err := range client.Assets.Stream(ctx, here) {
		if err != nil {
			t.Fatal(err)
		}
		streamed = append(streamed, asset.Name)
	}
	if len(names) != 25 || !slices.Equal(names, streamed) {
		t.Errorf("by pages %v, by stream %v", names, streamed)
	}
	updated := value(client.Assets.BulkUpdate(ctx, []ams.PatchRow[ams.AssetPatch]{
		{Key: ams.Key{ExternalID: "go-client-1"}, Patch: ams.AssetPatch{Location: ams.Set("Salle 2")}}}, ams.BulkOptions{}))(t)
	if asset := updated.Data[0]; asset.Location == nil || *asset.Location != "Salle 2" || asset.Version != 2 {
		t.Errorf("updated to %+v", asset)
	}
	one := value(client.Assets.Update(ctx, updated.Data[0].ID, ams.AssetPatch{Location: ams.Null[string]()}, 2))(t)
	if one.Location != nil || one.Version != 3 {
		t.Errorf("cleared to %+v", one)
	}
	fan := value(client.Assets.Upsert(ctx, "go/client é", ams.AssetWrite{Name: "Fan", SiteID: &site.ID}))(t)
	again := value(client.Assets.Upsert(ctx, "go/client é", ams.AssetWrite{Name: "Fan 2"}))(t)
	if fan.ExternalID == nil || *fan.ExternalID != "go/client é" || again.ID != fan.ID || again.Name != "Fan 2" || again.Version != 2 {
		t.Errorf("created %+v, then %+v", fan, again)
	}
	changes := 0
	for change, err := range client.Assets.History(ctx, one.ID) {
		if err != nil {
			t.Fatal(err)
		}
		if changes++; int(change.Version) != changes || change.Actor.Name == "" {
			t.Errorf("a change is %+v", change)
		}
	}
	if changes != 3 {
		t.Errorf("the history has %d changes", changes)
	}

	var refused *ams.Error
	if err := client.Sites.Delete(ctx, site.ID, 0); !errors.As(err, &refused) || refused.Status != 409 || refused.Dependents["assets"] != 26 {
		t.Errorf("a site with assets: %v", err)
	}
	if _, err := client.Sites.Create(ctx, ams.SiteWrite{Name: "Again", Code: site.Code}); !errors.As(err, &refused) ||
		refused.Field != "code" || refused.ExistingID != site.ID {
		t.Errorf("a code that is taken: %v", err)
	}
	if _, err := client.Assets.List(ctx, ams.Filters{"nonsense": 1}); !errors.As(err, &refused) || refused.Status != 400 ||
		refused.RequestID == "" {
		t.Errorf("a filter that is none: %v", err)
	}
	summary := value(client.Sites.Summary(ctx, site.ID, nil))(t)
	if summary.ID != site.ID || summary.Currency != "CAD" {
		t.Errorf("the summary is %+v", summary)
	}
	order := value(client.WorkOrders.Create(ctx, ams.WorkOrderWrite{Title: "Go client", SiteID: &site.ID}))(t)
	value(client.WorkOrders.Comments(order.ID).Create(ctx, ams.CommentWrite{Body: "Seen"}))(t)
	if moved := value(client.WorkOrders.Transition(ctx, order.ID, "in_progress", nil))(t); moved.Version <= order.Version {
		t.Errorf("moved to %+v", moved)
	}
	if me := value(client.Me(ctx))(t); me.Organization.Name != city {
		t.Errorf("the key is of %s", me.Organization.Name)
	}
	value(client.Search(ctx, "Go client", ams.Filters{"kinds": []string{"asset"}}))(t)
	value(client.StateOfAssets(ctx, nil))(t)
	value(client.StateOfInfrastructure(ctx, nil))(t)
	value(client.Projects.Plan(ctx, nil))(t)
	if events := value(client.Events(ctx, "", ams.Filters{"wait": 5}))(t); events.Next == "" {
		t.Errorf("the feed is %+v", events)
	}
	deleted := value(client.Assets.BulkDelete(ctx, []ams.Key{{ExternalID: "go-client-0"}, {ID: one.ID}}, ams.BulkOptions{}))(t)
	if deleted.Summary.Deleted != 2 {
		t.Errorf("deleted %+v", deleted.Summary)
	}
	if err := client.Assets.Delete(ctx, made.Data[2].ID, 1); err != nil {
		t.Error(err)
	}
}

// TestTheGoClientListsEveryCollection decodes a page of each.
func TestTheGoClientListsEveryCollection(t *testing.T) {
	client := fresh(t, city).library()
	fields := reflect.ValueOf(client.Collections)
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		if name == "MeterReadings" { // takes readings of any meters; they are listed below their meter
			continue
		}
		list := fields.Field(i).MethodByName("List")
		result := list.Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(ams.Filters{"per_page": 100})})
		if err, is := result[1].Interface().(error); is {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// value is a result that must be without an error.
func value[T any](result T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}
