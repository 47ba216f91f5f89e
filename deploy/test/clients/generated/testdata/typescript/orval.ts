// A mirror of a city's assets, with the functions and the zod schemas that orval makes of /openapi.json. Every response is parsed by them.
import { writeFile } from "node:fs/promises";
import { createAsset, createAssetsBulk, createWebhookEndpoint, getListAssetsUrl, listAssets, updateAsset } from "./generated/ams";
import type { AssetEvent } from "./generated/ams.schemas";
import {
  CreateAssetBody,
  CreateAssetResponse,
  CreateAssetsBulkBody,
  CreateAssetsBulkResponse,
  CreateWebhookEndpointResponse,
  ListAssetsResponse,
  UpdateAssetBody,
  UpdateAssetResponse,
} from "./generated/ams.zod";
import { patient, received } from "./support";

const { AMS_BASE_URL = "http://127.0.0.1:8080", AMS_API_KEY = "", PORT = "9000" } = process.env;
globalThis.fetch = (input, init) => {
  const request = new Request(input instanceof Request ? input : new URL(input, AMS_BASE_URL), init);
  request.headers.set("Authorization", `Bearer ${AMS_API_KEY}`);
  return patient(request);
};

// All pages, by cursor.
const names = new Map<string, string>();
let cursor: string | undefined;
do {
  const page = ListAssetsResponse.parse((await listAssets({ per_page: 100, sort: ["-name"], cursor })).data);
  for (const asset of page.data) names.set(asset.id, asset.name);
  cursor = page.pagination.next_cursor ?? undefined;
  console.log(`read ${names.size} of ${page.pagination.total}`);
} while (cursor);

// A webhook, which a change will reach.
const made = await createWebhookEndpoint({ url: `http://127.0.0.1:${PORT}/`, event_types: ["asset.updated"] });
const call = received(Number(PORT), CreateWebhookEndpointResponse.parse(made.data).secret ?? "");

// Create; change that version, and no other.
const asset = CreateAssetResponse.parse((await createAsset(CreateAssetBody.parse({ name: "Boiler" }))).data);
const mine = { headers: { "If-Match": `"${asset.version}"` } };
const patched = await updateAsset(asset.id, UpdateAssetBody.parse({ location: "Room 103" }), mine);
const changed = UpdateAssetResponse.parse(patched.data);
const stale = await updateAsset(asset.id, UpdateAssetBody.parse({ location: "Room 104" }), mine);
if (stale.status === 409) console.log(`${changed.name}: ${changed.location}, then ${stale.status} ${stale.data.code}`);

// The event of the change.
const event: AssetEvent = JSON.parse(await call);
console.log(`${event.type}: ${event.data.changed} of ${event.data.object?.name}`);

// Upsert by your own ids: the second call changes what the first has made.
for (const location of ["Room 101", "Room 102"]) {
  const rows = ["P-1", "P-2"].map((id) => ({ external_id: id, name: `Pump ${id}`, site_external_id: "S-1", location }));
  const answer = await createAssetsBulk(CreateAssetsBulkBody.parse({ data: rows }), { on_conflict: "update" });
  const upserted = CreateAssetsBulkResponse.parse(answer.data);
  console.log(`upserted: ${upserted.summary.created} created, ${upserted.summary.updated} updated`);
}

// Everything at once, into a file.
const stream = await fetch(getListAssetsUrl(), { headers: { Accept: "application/x-ndjson" } });
if (stream.body) await writeFile("assets.ndjson", stream.body);
