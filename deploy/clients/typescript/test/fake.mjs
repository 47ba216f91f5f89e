import { once } from 'node:events';
import { createServer } from 'node:http';
import { Client } from '@ams/client';

/** A server that answers as its script says, one step for each request, and keeps what it was sent. */
export async function fake(t, steps, options) {
  const received = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const bytes = Buffer.concat(parts);
    received.push({ method: request.method, url: request.url, headers: request.headers, bytes, body: bytes.toString() });
    const step = steps[Math.min(received.length, steps.length) - 1];
    await step(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, client: new Client(`http://127.0.0.1:${server.address().port}`, 'ams_live_key', options) };
}

export const json = (status, body, headers = {}) => (response) => {
  response.writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': 'r-1', ...headers }).end(JSON.stringify(body));
};

export const problem = (status, code, headers, more) => json(status, { error: `It is ${code}.`, code, request_id: 'r-1', ...more }, headers);
