// A mirror of a city's assets, with the types that openapi-typescript makes of /openapi.json, and openapi-fetch.
import { writeFile } from "node:fs/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/ams";
import { patient, received } from "./support";

const { AMS_BASE_URL = "http://127.0.0.1:8080", AMS_API_KEY = "", PORT = "9000" } = process.env;
const ams = createClient<paths>({ baseUrl: AMS_BASE_URL, headers: { Authorization: `Bearer ${AMS_API_KEY}` }, fetch: patient });

function done<T>({ data, error }: { data?: T; error?: components["schemas"]["Error"] }): T {
  if (data === undefined) throw new Error(error?.error);
  return data;
}

// All pages, by cursor.
const names = new Map<string, string>();
let cursor: string | undefined;
do {
  const page = done(await ams.GET("/v1/assets", { params: { query: { per_page: 100, sort: ["-name"], cursor } } }));
  for (const asset of page.data) names.set(asset.id, asset.name);
  cursor = page.pagination.next_cursor ?? undefined;
  console.log(`read ${names.size} of ${page.pagination.total}`);
} while (cursor);

// A webhook, which a change will reach.
const endpoint = done(
  await ams.POST("/v1/webhook-endpoints", { body: { url: `http://127.0.0.1:${PORT}/`, event_types: ["asset.updated"] } }),
);
const call = received(Number(PORT), endpoint.secret ?? "");

// Create; change that version, and no other.
const asset = done(await ams.POST("/v1/assets", { body: { name: "Boiler" } }));
const mine = { path: { id: asset.id }, header: { "If-Match": `"${asset.version}"` } };
const changed = done(await ams.PATCH("/v1/assets/{id}", { params: mine, body: { location: "Room 103" } }));
const stale = await ams.PATCH("/v1/assets/{id}", { params: mine, body: { location: "Room 104" } });
console.log(`${changed.name}: ${changed.location}, then ${stale.response.status} ${stale.error?.code}`);

// The event of the change.
const event: components["schemas"]["AssetEvent"] = JSON.parse(await call);
console.log(`${event.type}: ${event.data.changed} of ${event.data.object?.name}`);

// Upsert by your own ids: the second call changes what the first has made.
for (const location of ["Room 101", "Room 102"]) {
  const rows = ["P-1", "P-2"].map((id) => ({ external_id: id, name: `Pump ${id}`, site_external_id: "S-1", location }));
  const upserted = done(await ams.POST("/v1/assets/bulk", { params: { query: { on_conflict: "update" } }, body: { data: rows } }));
  console.log(`upserted: ${upserted.summary.created} created, ${upserted.summary.updated} updated`);
}

// Everything at once, into a file.
const stream = done(await ams.GET("/v1/assets", { headers: { Accept: "application/x-ndjson" }, parseAs: "stream" }));
if (stream) await writeFile("assets.ndjson", stream);
