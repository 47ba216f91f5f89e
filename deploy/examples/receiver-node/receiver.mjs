// Takes the webhooks of an endpoint: a small program to start from. It believes nothing that is not signed, applies each
// event once, and never puts an older version of a record over a newer one.
//
//   WEBHOOK_SECRET=whsec_… node receiver.mjs [port]
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

// One secret, or two with a comma between them while the endpoint's secret is being replaced.
const secrets = (process.env.WEBHOOK_SECRET ?? '').split(',').map((secret) => {
  if (!secret.startsWith('whsec_') || secret.length < 'whsec_'.length + 32) {
    console.error('Error: WEBHOOK_SECRET must be the whsec_… that the endpoint was created with');
    process.exit(1);
  }
  return new Webhook(secret);
});

// A real receiver keeps these in its database, in the transaction that applies the event.
const seen = new Set(); // webhook-id: a call that was answered too late comes again
const versions = new Map(); // record → the newest version that was applied

const say = (line) => process.stdout.write(JSON.stringify(line) + '\n');

// verified gives the event, or nothing when no secret fits.
function verified(body, headers) {
  for (const secret of secrets) {
    try {
      return secret.verify(body, headers);
    } catch {
      // perhaps the next one
    }
  }
}

// state is which record an event is about, and as of which version. Thin and truncated bodies have no object.
const state = (event) => event.data?.object ?? event.data ?? {};

// take applies the event unless it, or a later state of its record, was applied before.
function take(event) {
  if (seen.has(event.id)) return 'duplicate';
  seen.add(event.id);
  const { id, version } = state(event);
  if (id && version) {
    if (version < (versions.get(id) ?? 0)) return 'outdated'; // two types of event may tell of the same version
    versions.set(id, version);
  }
  return 'applied';
}

const server = createServer((request, response) => {
  const parts = [];
  let length = 0;
  request.on('data', (part) => {
    if ((length += part.length) > 1 << 20) request.destroy();
    else parts.push(part);
  });
  request.on('end', () => {
    const event = verified(Buffer.concat(parts).toString('utf8'), request.headers); // the very bytes that were signed
    if (!event) {
      say({ outcome: 'refused' });
      response.writeHead(401).end('the signature does not fit\n');
      return;
    }
    const { id, type, sequence } = event;
    const record = state(event);
    say({
      outcome: take(event), id, type, sequence, record: record.id ?? '', version: record.version ?? 0,
      delivery: request.headers['webhook-delivery-id'] ?? '', attempt: request.headers['webhook-attempt'] ?? '',
    });
    response.writeHead(204).end();
  });
});

server.listen(Number(process.argv[2] ?? 8090), '127.0.0.1', () => say({ listening: `http://127.0.0.1:${server.address().port}` }));
