// Changes one field of a record, with the body that a validating client sends: what its schema makes of that field.
import { getAsset, updateAsset } from "./generated/ams";
import { GetAssetResponse, UpdateAssetBody } from "./generated/ams.zod";

const { AMS_BASE_URL = "http://127.0.0.1:8080", AMS_API_KEY = "", ASSET = "" } = process.env;
const send = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const request = new Request(input instanceof Request ? input : new URL(input, AMS_BASE_URL), init);
  request.headers.set("Authorization", `Bearer ${AMS_API_KEY}`);
  return send(request);
};

const body = UpdateAssetBody.parse({ location: "Depot" });
console.log(`sent ${JSON.stringify(body)}`);
const changed = await updateAsset(ASSET, body);
const asset = GetAssetResponse.parse((await getAsset(ASSET)).data);
console.log(`${changed.status}: ${asset.status} in ${asset.location}`);
