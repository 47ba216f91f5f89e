// A mirror of a city's assets, with the client that @hey-api/openapi-ts makes of /openapi.json.
import { writeFile } from "node:fs/promises";
import type { AssetEvent } from "./generated";
import { createAsset, createAssetsBulk, createWebhookEndpoint, listAssets, updateAsset } from "./generated";
import { client } from "./generated/client.gen";
import { patient, received } from "./support";

const { AMS_BASE_URL = "http://127.0.0.1:8080", AMS_API_KEY = "", PORT = "9000" } = process.env;
client.setConfig({ baseUrl: AMS_BASE_URL, auth: AMS_API_KEY, fetch: patient });
const throwOnError = true;

// All pages, by cursor.
const names = new Map<string, string>();
let cursor: string | undefined;
do {
  const { data: page } = await listAssets({ query: { per_page: 100, sort: ["-name"], cursor }, throwOnError });
  for (const asset of page.data) names.set(asset.id, asset.name);
  cursor = page.pagination.next_cursor ?? undefined;
  console.log(`read ${names.size} of ${page.pagination.total}`);
} while (cursor);

// A webhook, which a change will reach.
const { data: endpoint } = await createWebhookEndpoint({
  body: { url: `http://127.0.0.1:${PORT}/`, event_types: ["asset.updated"] },
  throwOnError,
});
const call = received(Number(PORT), endpoint.secret ?? "");

// Create; change that version, and no other.
const { data: asset } = await createAsset({ body: { name: "Boiler" }, throwOnError });
const mine = { path: { id: asset.id }, headers: { "If-Match": `"${asset.version}"` } };
const { data: changed } = await updateAsset({ ...mine, body: { location: "Room 103" }, throwOnError });
const stale = await updateAsset({ ...mine, body: { location: "Room 104" } });
console.log(`${changed.name}: ${changed.location}, then ${stale.response?.status} ${stale.error?.code}`);

// The event of the change.
const event: AssetEvent = JSON.parse(await call);
console.log(`${event.type}: ${event.data.changed} of ${event.data.object?.name}`);

// Upsert by your own ids: the second call changes what the first has made.
for (const location of ["Room 101", "Room 102"]) {
  const rows = ["P-1", "P-2"].map((id) => ({ external_id: id, name: `Pump ${id}`, site_external_id: "S-1", location }));
  const { data: upserted } = await createAssetsBulk({ query: { on_conflict: "update" }, body: { data: rows }, throwOnError });
  console.log(`upserted: ${upserted.summary.created} created, ${upserted.summary.updated} updated`);
}

// Everything at once, into a file.
const { response: stream } = await listAssets({ headers: { Accept: "application/x-ndjson" }, parseAs: "stream", throwOnError });
if (stream.body) await writeFile("assets.ndjson", stream.body);
