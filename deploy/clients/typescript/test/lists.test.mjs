// Pages and streams, against a server that answers by a script.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fake, json, problem } from './fake.mjs';

const page = (ids, next) => json(200, { data: ids.map((id) => ({ id })), pagination: { next_cursor: next } });

async function collect(records) {
  const ids = [];
  for await (const { id } of records) ids.push(id);
  return ids;
}

test('all follows the cursor with the same filters', async (t) => {
  const { client, received } = await fake(t, [page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], null)]);
  assert.deepEqual(await collect(client.assets.all({ status: ['in_service', 'a,b'], 'custom_fields.floor': null, page: 1 })), ['a', 'b', 'c']);
  assert.deepEqual(received.map(({ url }) => url), [
    '/v1/assets?per_page=1000&status=in_service%2Ca%5C%2Cb&custom_fields.floor=null&page=1',
    '/v1/assets?per_page=1000&status=in_service%2Ca%5C%2Cb&custom_fields.floor=null&cursor=c1',
    '/v1/assets?per_page=1000&status=in_service%2Ca%5C%2Cb&custom_fields.floor=null&cursor=c2',
  ]);
});

test('lists without a cursor are read by number', async (t) => {
  const numbered = (ids, page) => json(200, { data: ids.map((id) => ({ id })), pagination: { page, per_page: 1000, total: 3, total_pages: 3 } });
  const { client, received } = await fake(t, [numbered(['a'], 1), numbered(['b'], 2), numbered(['c'], 3)]);
  assert.deepEqual(await collect(client.assets.history('x')), ['a', 'b', 'c']);
  assert.deepEqual(received.map(({ url }) => url), ['', '&page=2', '&page=3'].map((more) => `/v1/assets/x/history?per_page=1000${more}`));
});

test('pages become smaller where records are large, unless the caller chose their size', async (t) => {
  const steps = [page(['a'], 'c1'), problem(400, 'page_too_large'), page(['b'], null)];
  const { client, received } = await fake(t, steps);
  assert.deepEqual(await collect(client.segments.all()), ['a', 'b']);
  assert.equal(received[2].url, '/v1/infrastructure/segments?per_page=500&cursor=c1');
  const chosen = await fake(t, steps);
  await assert.rejects(collect(chosen.client.segments.all({ per_page: 700 })), { code: 'page_too_large' });
});

test('an id is a part of a path, whatever is in it', async (t) => {
  const { client, received } = await fake(t, [json(200, {})]);
  await client.sites.upsert('a/b ?é', { name: 'Hall' }, { ifMatch: 3 });
  await client.workOrders.costs('w/1').get('../x');
  assert.deepEqual(received.map(({ method, url }) => `${method} ${url}`), [
    'PUT /v1/sites/by-external-id/a%2Fb%20%3F%C3%A9', 'GET /v1/work-orders/w%2F1/costs/..%2Fx',
  ]);
  assert.equal(received[0].headers['if-match'], '"3"');
});

// parts writes a stream in pieces that end anywhere, also inside a letter.
const parts = (text, size, end) => async (response) => {
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    response.write(bytes.subarray(at, at + size));
    await new Promise(setImmediate);
  }
  end(response);
};
const whole = (response) => response.end();

test('a stream gives its records, wherever its parts end', async (t) => {
  const records = Array.from({ length: 40 }, (_, number) => ({ id: `é${number}`, text: '😀'.repeat(number) }));
  const text = records.map((record) => JSON.stringify(record) + '\n').join('');
  for (const size of [1, 3, 7, 100, 100_000]) {
    const { client, received } = await fake(t, [problem(503, 'unavailable', { 'Retry-After': '0' }), parts(text, size, whole)]);
    const read = [];
    for await (const record of client.assets.stream({ q: 'pump' })) read.push(record);
    assert.deepEqual(read, records);
    assert.equal(received[1].headers.accept, 'application/x-ndjson');
    assert.equal(received[1].headers['accept-encoding'], 'identity');
  }
  const { client } = await fake(t, [parts('', 1, whole)]);
  assert.deepEqual(await collect(client.assets.stream()), []);
});

test('a stream that broke off is an error, also between two lines', async (t) => {
  for (const [text, end] of [
    ['{"id":"a"}\n{"id":"b"}\n', (response) => response.destroy()],
    ['{"id":"a"}\n{"id":', (response) => response.destroy()],
    ['{"id":"a"}\n{"id":"b"}', whole],
  ]) {
    const { client, received } = await fake(t, [parts(text, 1000, end)]);
    await assert.rejects(collect(client.assets.stream()), { name: 'AMSConnectionError', code: 'stream_broken' });
    assert.equal(received.length, 1, 'a stream that has begun is not repeated');
  }
});

test('a stream that brings nothing any more is an error', async (t) => {
  const { client } = await fake(t, [parts('{"id":"a"}\n', 100, () => {})], { timeout: 200 });
  const read = [];
  await assert.rejects(async () => {
    for await (const { id } of client.assets.stream()) read.push(id);
  }, { code: 'deadline_exceeded' });
  assert.deepEqual(read, ['a']);
});

test('a signal ends a stream, and so does who stops reading', async (t) => {
  const reason = new Error('enough');
  const stopped = new AbortController();
  const { client } = await fake(t, [parts('{"id":"a"}\n', 100, () => {})]);
  await assert.rejects(async () => {
    for await (const { id } of client.assets.stream({}, { signal: stopped.signal })) if (id) stopped.abort(reason);
  }, reason);
  let closed;
  const left = new Promise((resolve) => { closed = resolve; });
  const { client: other } = await fake(t, [(response) => {
    response.on('close', closed);
    return parts('{"id":"a"}\n', 100, () => {})(response);
  }]);
  for await (const { id } of other.assets.stream()) if (id) break;
  await left;
});
