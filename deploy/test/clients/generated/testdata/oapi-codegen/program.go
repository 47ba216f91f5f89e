// Program is a mirror of a city's assets, with the client that oapi-codegen makes of /openapi.json.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	ams "ams.example/program/generated"
)

func main() {
	ctx, url, key, port := context.Background(), os.Getenv("AMS_BASE_URL"), os.Getenv("AMS_API_KEY"), os.Getenv("PORT")
	client, err := ams.NewClientWithResponses(url, ams.WithHTTPClient(caller{key}))
	check(err)

	// All pages, by cursor.
	names := map[string]string{}
	params := ams.ListAssetsParams{PerPage: new(100), Sort: &[]ams.AssetSort{ams.AssetSortMinusName}}
	for more := true; more; more = params.Cursor != nil {
		page, err := client.ListAssetsWithResponse(ctx, &params)
		check(err)
		for _, asset := range page.JSON200.Data {
			names[asset.Id.String()] = asset.Name
		}
		params.Cursor = page.JSON200.Pagination.NextCursor
		fmt.Printf("read %d of %d\n", len(names), page.JSON200.Pagination.Total)
	}

	// A webhook, which a change will reach.
	endpoint, err := client.CreateWebhookEndpointWithResponse(ctx, nil,
		ams.WebhookEndpointWrite{Url: "http://127.0.0.1:" + port + "/", EventTypes: &[]string{"asset.updated"}})
	check(err)
	calls := received(port, *endpoint.JSON201.Secret)

	// Create; change that version, and no other.
	created, err := client.CreateAssetWithResponse(ctx, nil, ams.AssetWrite{Name: "Boiler"})
	check(err)
	asset, mine := created.JSON201, &ams.UpdateAssetParams{IfMatch: new(created.HTTPResponse.Header.Get("ETag"))}
	changed, err := client.UpdateAssetWithResponse(ctx, asset.Id, mine, ams.AssetPatch{Location: new("Room 103")})
	check(err)
	_, err = client.UpdateAssetWithResponse(ctx, asset.Id, mine, ams.AssetPatch{Location: new("Room 104")})
	var stale *refusal
	if errors.As(err, &stale) {
		fmt.Printf("%s: %s, then %d %s\n", changed.JSON200.Name, *changed.JSON200.Location, stale.Status, stale.Body.Code)
	}

	// The event of the change.
	var event ams.AssetEvent
	check(json.Unmarshal(<-calls, &event))
	fmt.Printf("%s: %s of %s\n", event.Type, (*event.Data.Changed)[0], event.Data.Object.Name)

	// Upsert by your own ids: the second call changes what the first has made.
	for _, location := range []string{"Room 101", "Room 102"} {
		var rows []ams.AssetBulkCreateRow
		for _, id := range []string{"P-1", "P-2"} {
			rows = append(rows, ams.AssetBulkCreateRow{ExternalId: &id, Name: "Pump " + id, SiteExternalId: new("S-1"), Location: &location})
		}
		update := &ams.CreateAssetsBulkParams{OnConflict: new(ams.CreateAssetsBulkParamsOnConflictUpdate)}
		upserted, err := client.CreateAssetsBulkWithResponse(ctx, update, ams.AssetBulkCreate{Data: rows})
		check(err)
		fmt.Printf("upserted: %d created, %d updated\n", upserted.JSON200.Summary.Created, upserted.JSON200.Summary.Updated)
	}

	// Everything at once, into a file.
	stream, err := client.ListAssets(ctx, nil, func(_ context.Context, r *http.Request) error {
		r.Header.Set("Accept", "application/x-ndjson")
		return nil
	})
	check(err)
	file, err := os.Create("assets.ndjson")
	check(err)
	_, err = io.Copy(file, stream.Body)
	check(errors.Join(err, file.Close()))
}
