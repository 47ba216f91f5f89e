// Reads everything of a service in OData with clients of others: @odata/client reads the sets page by page, odata-csdl and the JSON Schema of
// OASIS judge $metadata. Prints what it found as JSON. Arguments: the URL of the service and a key.
import { createRequire } from "node:module"
import { readFileSync } from "node:fs"
import { OData } from "@odata/client"
import csdl from "odata-csdl"
import Ajv from "ajv"

const require = createRequire(import.meta.url)
const [root, key] = process.argv.slice(2)
const headers = { Authorization: "Basic " + Buffer.from("bi:" + key).toString("base64") }
const client = OData.New4({ serviceEndpoint: root, commonHeaders: headers })

async function get(path, accept) {
  const response = await fetch(new URL(path, root), { headers: accept ? { ...headers, Accept: accept } : headers })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response
}

const messages = []
const model = csdl.xml2json(await (await get("$metadata")).text(), { strict: true, messages })
const schema = JSON.parse(readFileSync(require.resolve("odata-csdl/schemas/csdl.schema.json"), "utf8"))
const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false, unicodeRegExp: true }).compile(schema)
if (!validate(model)) messages.push(...validate.errors.slice(0, 10))

const types = model.AMS
const container = types.Container
const sums = {}
const counts = {}
const expanded = {} // by relation, how many records it led to
const wrong = []

// fits says whether a value is one of the declared type.
function fits(value, property) {
  if (property.$Collection) return Array.isArray(value) && value.every((entry) => fits(entry, { ...property, $Collection: false }))
  if (value === null) return property.$Nullable === true
  switch (property.$Type ?? "Edm.String") {
    case "Edm.String": return typeof value === "string"
    case "Edm.Guid": return /^[0-9a-f-]{36}$/.test(value)
    case "Edm.Date": return /^\d{4}-\d{2}-\d{2}$/.test(value)
    case "Edm.DateTimeOffset": return typeof value === "string" && !Number.isNaN(Date.parse(value))
    case "Edm.Boolean": return typeof value === "boolean"
    case "Edm.Int32": case "Edm.Int64": return Number.isInteger(value)
    case "Edm.Decimal": case "Edm.Double": return typeof value === "number"
    case "Edm.Geography": return typeof value.type === "string" && Array.isArray(value.coordinates)
  }
  return object(value, types[property.$Type.replace("AMS.", "")])
}

// object says whether an object has the members of its type and no others; those that may be null may be missing.
function object(value, type) {
  if (typeof value !== "object" || Array.isArray(value)) return false
  for (const [name, property] of Object.entries(type)) {
    if (name.startsWith("$")) continue
    if (value[name] === undefined) {
      if (!property.$Nullable && !property.$Collection && !String(property.$Type).startsWith("AMS.")) return note(name, "is missing")
    } else if (!fits(value[name], property)) return note(name, JSON.stringify(value[name]))
  }
  for (const name of Object.keys(value)) {
    if (!type.$OpenType && type[name] === undefined && !name.startsWith("@")) return note(name, "is not declared")
  }
  return true
}

let about = ""
function note(name, what) {
  if (wrong.length < 40) wrong.push(`${about}: ${name} ${what}`)
  return false
}

for (const [name, set] of Object.entries(container)) {
  if (!set.$Collection) continue // a function
  about = name
  const type = types[set.$Type.replace("AMS.", "")]
  counts[name] = 0
  let page = await client.newRequest({ collection: name, params: client.newOptions().top(2500).custom("$count", "true") })
  for (;;) {
    if (page.error) throw new Error(`${name}: ${JSON.stringify(page.error)}`)
    counts[name] += page.value.length
    for (const record of page.value) {
      object(record, type)
      if (typeof record.replacement_cost === "number") sums[name] = (sums[name] ?? 0) + Math.round(record.replacement_cost * 100)
    }
    if (!page["@odata.nextLink"]) break
    page = await (await get(page["@odata.nextLink"])).json()
  }
}

// Each relation that $metadata declares is followed: what is shown is of the declared type, and has the id that it goes by.
for (const [name, set] of Object.entries(container)) {
  if (!set.$Collection) continue
  const type = types[set.$Type.replace("AMS.", "")]
  const relations = Object.keys(type).filter((member) => type[member].$Kind === "NavigationProperty")
  if (relations.length === 0) continue
  about = `${name}?$expand=${relations}`
  for (const record of (await (await get(`${about}&$top=50`)).json()).value) {
    object(record, type)
    for (const relation of relations) {
      const to = record[relation]
      if (to === undefined || (to === null) !== (record[`${relation}_id`] === null)) note(relation, `is ${to}, its id ${record[`${relation}_id`]}`)
      if (!to) continue
      if (to.id !== record[`${relation}_id`]) note(relation, `is ${to.id}, not ${record[`${relation}_id`]}`)
      expanded[`${name}/${relation}`] = (expanded[`${name}/${relation}`] ?? 0) + 1
    }
  }
}
const exact = await (await get("assets?$filter=replacement_cost gt 0 and site_id ne null&$top=1&$expand=site", "application/json;IEEE754Compatible=true")).json()
const one = exact.value[0]
const behind = await (await get(`assets(${one.id})/site`)).json()
if (behind.id !== one.site_id || behind.name !== one.site.name) wrong.push(`assets(${one.id})/site is ${JSON.stringify(behind)}`)

const assets = client.getEntitySet("assets")
const filter = client.newFilter().property("category").eq("hvac").property("replacement_cost").gt(10000)
const found = await assets.query(client.newOptions().filter(filter).select(["name", "replacement_cost"]).top(1000))
const applied = await (await get("assets?$apply=groupby((category),aggregate(replacement_cost with sum as cost,$count as n))")).json()
console.log(JSON.stringify({ messages, counts, sums, wrong, filtered: found.length, expanded, exact: [one.replacement_cost, one.version, one.site.version], applied: applied.value }))
