// The official TypeScript client through the whole way in: it is refused, finds out where to ask, registers, sends a person
// to the page that asks for an API key, redeems the code, calls tools, refreshes, and is revoked. And its refusals.
//
// BASE is the API's address, KEY an API key, ERA the protocol version: 2026-07-28 is spoken by the client of version 2, the
// handshake by that of version 1. VERSION is what the server must say that it is. One line per step; all keys, codes and tokens that it saw go to the file SECRETS.
import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"

const { BASE, KEY, ERA, VERSION, SECRETS } = process.env
const MCP = BASE + "/mcp"
const CALLBACK = "http://127.0.0.1:45454/callback"
const secrets = new Set([KEY])
const modern = ERA === "2026-07-28"
const library = modern
  ? await import("@modelcontextprotocol/client")
  : {
      ...(await import("@modelcontextprotocol/sdk/client/index.js")),
      ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
      ...(await import("@modelcontextprotocol/sdk/client/auth.js")),
    }
const { Client, StreamableHTTPClientTransport, UnauthorizedError } = library

// Person is somebody at a browser: opens the page, fills in the form, and is sent back to where the page says.
class Person {
  async open(url) {
    this.page = await fetch(url, { redirect: "manual" })
    this.cookie = this.page.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ")
    this.html = await this.page.text()
    return this
  }
  async answer(fields) {
    const transaction = this.html.match(/name="transaction" value="([^"]*)"/)[1]
    const sent = await fetch(BASE + "/oauth/authorize", {
      method: "POST", redirect: "manual",
      headers: { Cookie: this.cookie, Origin: BASE, "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams({ transaction, ...fields }),
    })
    this.html = await sent.text()
    return { status: sent.status, back: sent.headers.get("location") && new URL(sent.headers.get("location")), html: this.html }
  }
}

// Provider keeps what a client keeps for one server.
class Provider {
  redirectUrl = CALLBACK
  clientMetadata = { client_name: "TypeScript client", redirect_uris: [CALLBACK], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"], token_endpoint_auth_method: "none" }
  #state = crypto.randomUUID()
  state() { return this.#state }
  clientInformation() { return this.information }
  saveClientInformation(information) { this.information = information }
  tokens() { return this.kept }
  saveTokens(tokens) {
    this.kept = tokens
    secrets.add(tokens.access_token).add(tokens.refresh_token)
  }
  saveCodeVerifier(verifier) { this.verifier = verifier }
  codeVerifier() { return this.verifier }
  saveDiscoveryState(state) { this.discovery = state }
  discoveryState() { return this.discovery }
  redirectToAuthorization(url) { this.page = url }
  invalidateCredentials(what) { if (what === "all" || what === "tokens") this.kept = undefined }
}

const transport = (options) => new StreamableHTTPClientTransport(new URL(MCP), options)

async function connect(options) {
  const client = new Client({ name: "typescript", version: "1" }, modern ? { versionNegotiation: { mode: { pin: ERA } } } : {})
  await client.connect(transport(options))
  return client
}

// approve takes a client through the page, and gives it tokens.
async function approve(provider, fields) {
  const way = transport({ authProvider: provider })
  const { status, back } = await (await new Person().open(provider.page)).answer({ answer: "connect", key: KEY, ...fields })
  assert.equal(status, 303)
  assert.equal(back.origin + back.pathname, CALLBACK)
  assert.equal(back.searchParams.get("state"), provider.state())
  assert.equal(back.searchParams.get("iss"), BASE)
  secrets.add(back.searchParams.get("code"))
  await way.finishAuth(modern ? back.searchParams : back.searchParams.get("code"))
  assert.ok(provider.kept.access_token && provider.kept.refresh_token)
}

// connected is a client with tokens of its own.
async function connected(fields) {
  const provider = new Provider()
  await assert.rejects(connect({ authProvider: provider }), UnauthorizedError)
  await approve(provider, fields)
  return { provider, client: await connect({ authProvider: provider }) }
}

const post = (path, fields) => fetch(BASE + path, { method: "POST", body: new URLSearchParams(fields) })

// status asks for the tools with a token, and gives the HTTP status.
async function status(token) {
  const answer = await fetch(MCP, {
    method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    headers: { Authorization: "Bearer " + token, "Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18" },
  })
  return { status: answer.status, challenge: answer.headers.get("www-authenticate") ?? "", body: await answer.text() }
}

let failures = 0
async function step(name, run) {
  try {
    await run()
    console.log("ok      " + name)
  } catch (error) {
    failures++
    console.log("not ok  " + name + "\n" + (error?.stack ?? error))
  }
}

const first = new Provider()
await step("without a key the client is refused, discovers, registers and asks for the page", async () => {
  await assert.rejects(connect({ authProvider: first }), UnauthorizedError)
  assert.match(first.information.client_id, /^ams_client_/)
  assert.equal(first.information.client_secret, undefined)
  assert.equal(first.page.origin + first.page.pathname, BASE + "/oauth/authorize")
  const asked = first.page.searchParams
  assert.equal(asked.get("resource"), MCP)
  assert.equal(asked.get("code_challenge_method"), "S256")
  assert.equal(asked.get("client_id"), first.information.client_id)
})
await step("the page says what is wrong with a key, and leads nowhere", async () => {
  const person = await new Person().open(first.page)
  assert.equal(person.page.status, 200)
  assert.match(person.html, /<strong id="receiver">127\.0\.0\.1<\/strong>/)
  for (const key of ["", "nonsense", KEY.slice(0, -1), KEY.slice(0, -1) + (KEY.endsWith("a") ? "b" : "a")]) {
    const { status, back, html } = await person.answer({ answer: "connect", key })
    assert.ok(status >= 400 && status < 500 && !back, key + " " + status)
    assert.match(html, /role="alert"/)
    assert.ok(key === "" || !html.includes(key))
  }
})
await step("a person who cancels sends access_denied, and no code", async () => {
  const { back } = await (await new Person().open(first.page)).answer({ answer: "cancel", key: KEY })
  assert.equal(back.searchParams.get("error"), "access_denied")
  assert.equal(back.searchParams.get("code"), null)
  assert.equal(back.searchParams.get("iss"), BASE)
})
let client
await step("a pasted key becomes a code, and the code tokens", () => approve(first, {}))
await step("with them it lists tools, prompts and resources, and calls a tool", async () => {
  client = await connect({ authProvider: first })
  if (modern) assert.equal(client.getNegotiatedProtocolVersion(), ERA)
  assert.equal(client.getServerVersion().name, "asset-management")
  assert.equal(client.getServerVersion().version, VERSION)
  assert.equal((await client.listTools()).tools.length, 30)
  assert.ok((await client.listPrompts()).prompts.length >= 5)
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 4)
  const context = await client.callTool({ name: "get_context", arguments: {} })
  assert.ok(!context.isError && context.structuredContent.organization.name)
  const wrong = await client.callTool({ name: "search_assets", arguments: { limit: "many" } })
  assert.ok(wrong.isError)
  assert.match(wrong.content[0].text, /limit/)
})
await step("a token that is not good any more is refreshed by the client itself", async () => {
  const before = first.kept
  first.kept = { ...before, access_token: "ams_access_expired" }
  assert.ok(!(await client.callTool({ name: "get_context", arguments: {} })).isError)
  assert.notEqual(first.kept.access_token, before.access_token)
  assert.notEqual(first.kept.refresh_token, before.refresh_token)
})
await step("revoking stops the very next call", async () => {
  assert.ok(!(await client.callTool({ name: "get_context", arguments: {} })).isError)
  const { access_token, refresh_token } = first.kept
  assert.equal((await post("/oauth/revoke", { token: refresh_token, client_id: first.information.client_id })).status, 200)
  await assert.rejects(client.callTool({ name: "get_context", arguments: {} }), UnauthorizedError)
  const refused = await status(access_token)
  assert.equal(refused.status, 401)
  assert.ok(refused.challenge.includes(`resource_metadata="${BASE}/.well-known/oauth-protected-resource/mcp"`))
  assert.equal((await (await post("/oauth/token", { grant_type: "refresh_token", refresh_token, client_id: first.information.client_id })).json()).error, "invalid_grant")
})
await step("a connection that only reads has no tool that writes", async () => {
  const { client } = await connected({ read_only: "yes" })
  const { tools } = await client.listTools()
  assert.ok(tools.length === 20 && tools.every((tool) => tool.annotations.readOnlyHint))
  const refused = await client.callTool({ name: "create_asset", arguments: { name: "Pump" } })
  assert.ok(refused.isError)
  assert.match(refused.content[0].text, /read.only/i)
})

// manual goes through the flow by the library's single functions, up to a code that is not redeemed yet.
async function manual() {
  const found = await library.discoverOAuthServerInfo(MCP)
  const metadata = found.authorizationServerMetadata
  const information = await library.registerClient(BASE, { metadata, clientMetadata: new Provider().clientMetadata })
  const { authorizationUrl, codeVerifier } = await library.startAuthorization(BASE, {
    metadata, clientInformation: information, redirectUrl: CALLBACK, state: "state", resource: new URL(MCP),
  })
  const { back } = await (await new Person().open(authorizationUrl)).answer({ answer: "connect", key: KEY })
  const code = back.searchParams.get("code")
  const iss = back.searchParams.get("iss")
  secrets.add(code)
  const redeem = async (other) => {
    const tokens = await library.exchangeAuthorization(BASE, {
      metadata, clientInformation: information, authorizationCode: code, iss, codeVerifier, redirectUri: CALLBACK, resource: new URL(MCP), ...other,
    })
    secrets.add(tokens.access_token).add(tokens.refresh_token)
    return tokens
  }
  const refresh = async (refreshToken) => {
    const tokens = await library.refreshAuthorization(BASE, { metadata, clientInformation: information, refreshToken, resource: new URL(MCP) })
    secrets.add(tokens.access_token).add(tokens.refresh_token)
    return tokens
  }
  return { information, authorizationUrl, redeem, refresh }
}
const refusedAs = (code) => (error) => (error.errorCode ?? error.code) === code

await step("a code that comes twice ends the connection", async () => {
  const { redeem } = await manual()
  const { access_token } = await redeem()
  assert.equal((await status(access_token)).status, 200)
  await assert.rejects(redeem(), refusedAs("invalid_grant"))
  assert.equal((await status(access_token)).status, 401)
})
await step("a code is good for its client, verifier, address and resource alone", async () => {
  const { redeem, information } = await manual()
  await assert.rejects(redeem({ codeVerifier: "x".repeat(43) }), refusedAs("invalid_grant"))
  await assert.rejects(redeem({ redirectUri: "http://127.0.0.1:45454/elsewhere" }), refusedAs("invalid_grant"))
  await assert.rejects(redeem({ clientInformation: { ...information, client_id: information.client_id + "A" } }), refusedAs("invalid_grant"))
  await assert.rejects(redeem({ resource: new URL("https://other.example.ca/mcp") }), refusedAs("invalid_target"))
  assert.ok((await redeem()).access_token)
})
await step("a refresh token of before the last one ends the connection", async () => {
  const { redeem, refresh } = await manual()
  const one = await redeem()
  const two = await refresh(one.refresh_token)
  assert.ok((await refresh(one.refresh_token)).access_token, "the last one is taken for a little longer: its answer may have been lost")
  const three = await refresh(two.refresh_token)
  await assert.rejects(refresh(one.refresh_token), refusedAs("invalid_grant"))
  for (const each of [one, two, three]) assert.equal((await status(each.access_token)).status, 401)
})
await step("a wrong client or redirect is a page, never a redirect", async () => {
  const { authorizationUrl } = await manual()
  for (const [name, value] of [["redirect_uri", "https://evil.example.com/callback"], ["redirect_uri", "http://127.0.0.1/elsewhere"], ["client_id", "nobody"], ["client_id", ""]]) {
    const url = new URL(authorizationUrl)
    url.searchParams.set(name, value)
    const { page } = await new Person().open(url)
    assert.equal(page.status, 400, name + " " + value)
    assert.equal(page.headers.get("location"), null)
  }
})
await step("plain PKCE, none, a repeated parameter and another resource are refused to the client", async () => {
  const { authorizationUrl } = await manual()
  for (const [change, code] of [
    [(asked) => asked.set("code_challenge_method", "plain"), "invalid_request"],
    [(asked) => asked.delete("code_challenge"), "invalid_request"],
    [(asked) => asked.append("state", "again"), "invalid_request"],
    [(asked) => asked.set("response_type", "token"), "unsupported_response_type"],
    [(asked) => asked.set("resource", "https://other.example.ca/mcp"), "invalid_target"],
  ]) {
    const url = new URL(authorizationUrl)
    change(url.searchParams)
    const back = new URL((await new Person().open(url)).page.headers.get("location"))
    assert.equal(back.searchParams.get("error"), code, String(change))
    assert.equal(back.searchParams.get("iss"), BASE)
    assert.equal(back.searchParams.get("code"), null)
  }
})
await step("the API key itself is a bearer too", async () => {
  const client = await connect({ requestInit: { headers: { Authorization: "Bearer " + KEY } } })
  assert.equal((await client.listTools()).tools.length, 30)
})

writeFileSync(SECRETS, JSON.stringify([...secrets]))
console.log(failures === 0 ? "all steps passed" : failures + " steps failed")
process.exit(failures === 0 ? 0 : 1)
