// What generators do not make: requests that wait when they are told to, and webhooks that are verified.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { Webhook } from "standardwebhooks";

const send = globalThis.fetch;

// patient is fetch, which sends a request again when it was too much or too early, as late as the response says.
export async function patient(input: Request | URL | string, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  for (;;) {
    const response = await send(request.clone());
    const seconds = Number(response.headers.get("Retry-After"));
    if (!seconds) return response;
    console.log(`refused with ${response.status}`);
    await setTimeout(1000 * seconds);
  }
}

// received is the body of the first webhook at a port of this machine whose signature fits.
export function received(port: number, secret: string): Promise<string> {
  const webhook = new Webhook(secret);
  return new Promise((resolve) => {
    const receiver = createServer(async (request, response) => {
      const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature } = request.headers;
      const body = await text(request);
      webhook.verify(body, { "webhook-id": `${id}`, "webhook-timestamp": `${timestamp}`, "webhook-signature": `${signature}` });
      response.writeHead(204).end(() => receiver.close());
      resolve(body);
    }).listen(port, "127.0.0.1");
  });
}
