// What a resident's app does with Open311, by a client that others wrote: it finds the endpoint, lists what can be asked for, sends a
// request (report), and looks at what is public (look NUMBER). Prints what it got.
const Open311 = require("open311");

const city = new Open311({discovery: process.env.DISCOVERY, jurisdiction: process.env.JURISDICTION, apiKey: process.env.API_KEY});
const call = (method, ...given) => new Promise((resolve, reject) =>
  city[method](...given, (error, found) => error ? reject(new Error(`${method}: ${found}`)) : resolve(found)));

async function report() {
  const services = await call("serviceList");
  const service = services.find((each) => each.service_code === process.env.SERVICE);
  const definition = await call("serviceDefinition", service.service_code);
  const given = await call("submitRequest", {service_code: service.service_code, lat: 43.6511, long: -79.347,
    description: "La chaîne <gauche> de la balançoire", email: "anne@example.ca", first_name: "Anne", last_name: "Côté",
    attributes: {[definition.attributes[0].code]: definition.attributes[0].values[0].key}});
  return {endpoint: city.endpoint, service, definition, given};
}

async function look(number) {
  return {one: await call("serviceRequest", number), open: await call("serviceRequests", {status: "open", service_code: process.env.SERVICE}),
    several: await call("serviceRequests", [number, "REQ-999999"], {})};
}

call("serviceDiscovery", {cache: true})
  .then(() => process.argv[2] === "look" ? look(process.argv[3]) : report())
  .then((found) => console.log(JSON.stringify(found)), (error) => { console.error(error.message); process.exitCode = 1; });
