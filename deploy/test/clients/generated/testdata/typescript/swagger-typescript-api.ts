// A mirror of a city's assets, with the client that swagger-typescript-api makes of /openapi.json.
import { writeFile } from "node:fs/promises";
import { Api, type AssetEvent } from "./generated/ams";
import { patient, received } from "./support";

const { AMS_BASE_URL = "http://127.0.0.1:8080", AMS_API_KEY = "", PORT = "9000" } = process.env;
const { v1: ams } = new Api({
  baseUrl: AMS_BASE_URL,
  baseApiParams: { headers: { Authorization: `Bearer ${AMS_API_KEY}` } },
  customFetch: patient,
});

// All pages, by cursor.
const names = new Map<string, string>();
let cursor: string | undefined;
do {
  const { data: page } = await ams.listAssets({ per_page: 100, sort: ["-name"], cursor });
  for (const asset of page.data) names.set(asset.id, asset.name);
  cursor = page.pagination.next_cursor ?? undefined;
  console.log(`read ${names.size} of ${page.pagination.total}`);
} while (cursor);

// A webhook, which a change will reach.
const { data: endpoint } = await ams.createWebhookEndpoint({ url: `http://127.0.0.1:${PORT}/`, event_types: ["asset.updated"] });
const call = received(Number(PORT), endpoint.secret ?? "");

// Create; change that version, and no other.
const { data: asset } = await ams.createAsset({ name: "Boiler" });
const mine = { headers: { "If-Match": `"${asset.version}"` } };
const { data: changed } = await ams.updateAsset(asset.id, { location: "Room 103" }, mine);
const stale = await ams.updateAsset(asset.id, { location: "Room 104" }, mine).catch((refused: Response) => refused);
const { code }: { code: string } = await stale.json();
console.log(`${changed.name}: ${changed.location}, then ${stale.status} ${code}`);

// The event of the change.
const event: AssetEvent = JSON.parse(await call);
console.log(`${event.type}: ${event.data.changed} of ${event.data.object?.name}`);

// Upsert by your own ids: the second call changes what the first has made.
for (const location of ["Room 101", "Room 102"]) {
  const rows = ["P-1", "P-2"].map((id) => ({ external_id: id, name: `Pump ${id}`, site_external_id: "S-1", location }));
  const { data: upserted } = await ams.createAssetsBulk({ data: rows }, { on_conflict: "update" });
  console.log(`upserted: ${upserted.summary.created} created, ${upserted.summary.updated} updated`);
}

// Everything at once, into a file.
const stream = await ams.listAssets({}, { headers: { Accept: "application/x-ndjson" }, format: undefined });
if (stream.body) await writeFile("assets.ndjson", stream.body);
