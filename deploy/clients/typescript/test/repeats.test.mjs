// When a call is repeated, and how long it waits, against a server that answers by a script.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AMSConnectionError, AMSError, version } from '@ams/client';
import { pause } from '../dist/retry.js';
import { fake, json, problem } from './fake.mjs';

const limited = problem(429, 'rate_limited', { 'Retry-After': '0' });
const away = problem(503, 'unavailable', { 'Retry-After': '0' });
const cut = (response) => response.destroy();

test('a create is repeated after 429, 503 and a lost answer, with one Idempotency-Key', async (t) => {
  const { client, received } = await fake(t, [limited, away, cut, json(201, { id: 'a', version: 1 })]);
  assert.equal((await client.sites.create({ name: 'Hall' })).id, 'a');
  assert.equal(received.length, 4);
  assert.equal(new Set(received.map(({ headers }) => headers['idempotency-key'])).size, 1);
  assert.match(received[0].headers['idempotency-key'], /^[0-9a-f]{32}$/);
  assert.equal(received[0].headers['user-agent'], `ams-typescript/${version}`);
  assert.equal(received[0].headers.authorization, 'Bearer ams_live_key');
  assert.deepEqual(JSON.parse(received[3].body), { name: 'Hall' });
});

test('another call has another Idempotency-Key, unless it is given; a patch of one record has none', async (t) => {
  const { client, received } = await fake(t, [json(200, {})]);
  await client.sites.create({ name: 'A' });
  await client.sites.create({ name: 'A' });
  await client.sites.create({ name: 'A' }, { idempotencyKey: 'mine' });
  await client.assets.update('a', { status: 'in_service' });
  await client.assets.bulkUpdate([{ id: 'a', status: 'in_service' }], { idempotencyKey: 'bulk' });
  await client.assets.bulkDelete([{ id: 'a' }], { idempotencyKey: 'gone' });
  const keys = received.map(({ headers }) => headers['idempotency-key']);
  assert.notEqual(keys[0], keys[1]);
  assert.deepEqual(keys.slice(2), ['mine', undefined, 'bulk', 'gone']);
});

test('what is told again and again is an error in the end', async (t) => {
  const { client, received } = await fake(t, [limited], { retries: 2 });
  await assert.rejects(client.me(), (failed) => failed instanceof AMSError && failed.status === 429 && failed.code === 'rate_limited');
  assert.equal(received.length, 3);
});

test('a wait of more than two minutes is the caller’s to decide, and a redirect is not followed', async (t) => {
  const { client, received } = await fake(t, [problem(429, 'rate_limited', { 'Retry-After': '121' })]);
  await assert.rejects(client.me(), { status: 429 });
  assert.equal(received.length, 1);
  const elsewhere = await fake(t, [(response) => response.writeHead(302, { Location: '/v1/other' }).end()]);
  await assert.rejects(elsewhere.client.me(), { status: 302, code: 'http_302' });
  assert.equal(elsewhere.received.length, 1);
});

test('an error has what the answer says, and is not repeated', async (t) => {
  const fields = [{ field: 'name', message: 'must not be empty' }];
  const { client, received } = await fake(t, [problem(409, 'already_exists', {}, { field: 'code', fields, existing_id: 'b' })]);
  await assert.rejects(client.sites.create({ name: 'A' }), (failed) => {
    const { status, code, message, field, fields: problems, requestId, body } = failed;
    assert.deepEqual({ status, code, message, field, problems, requestId, existing: body.existing_id }, {
      status: 409, code: 'already_exists', message: 'It is already_exists.', field: 'code', problems: fields, requestId: 'r-1', existing: 'b',
    });
    return true;
  });
  assert.equal(received.length, 1);
});

test('an error that is not of the API has a code as well', async (t) => {
  const { client } = await fake(t, [(response) => response.writeHead(502).end('<html>')]);
  await assert.rejects(client.me(), { status: 502, code: 'http_502' });
});

test('a delete whose answer was lost is done when the record is gone; after a 429 it is not there', async (t) => {
  const lost = await fake(t, [cut, problem(404, 'not_found')]);
  await lost.client.sites.delete('a');
  assert.equal(lost.received.length, 2);
  const refused = await fake(t, [limited, problem(404, 'not_found')]);
  await assert.rejects(refused.client.sites.delete('a'), { status: 404 });
});

test('an attempt that takes too long is given up', async (t) => {
  const { client, received } = await fake(t, [() => {}, json(200, { id: 'a' })], { timeout: 300 });
  assert.equal((await client.sites.get('a')).id, 'a');
  assert.equal(received.length, 2);
  const never = await fake(t, [() => {}], { timeout: 100, retries: 0 });
  await assert.rejects(never.client.me(), { name: 'AMSConnectionError', code: 'deadline_exceeded', status: 0 });
});

test('a server that cannot be reached is an error that says why', async (t) => {
  const { client } = await fake(t, [cut], { retries: 0 });
  await assert.rejects(client.me(), (failed) => failed instanceof AMSConnectionError && failed.code === 'connection_failed');
});

test('a signal ends a call, and its waiting', async (t) => {
  const reason = new Error('the person went home');
  const waiting = new AbortController();
  const stopped = new AbortController();
  const { client } = await fake(t, [(response) => {
    problem(429, 'rate_limited', { 'Retry-After': '100' })(response);
    setTimeout(() => waiting.abort(reason), 50);
  }]);
  await assert.rejects(client.me({ signal: waiting.signal }), reason);
  const { client: other } = await fake(t, [() => stopped.abort(reason)]);
  await assert.rejects(other.me({ signal: stopped.signal }), reason);
  await assert.rejects(other.me({ signal: AbortSignal.abort(reason) }), reason);
});

test('the wait is what the answer says, and up to a tenth more', () => {
  const date = new Date('2026-11-23T12:00:00Z');
  for (const [headers, least] of [
    [{ 'Retry-After': '20', 'X-RateLimit-Reset': '1' }, 20_000],
    [{ 'Retry-After': new Date(date.getTime() + 30_000).toUTCString(), Date: date.toUTCString() }, 30_000],
    [{ 'X-RateLimit-Reset': String(date.getTime() / 1000 + 40), Date: date.toUTCString() }, 40_000], // by the server's clock
    [{ 'X-RateLimit-Reset': String(date.getTime() / 1000 - 40), Date: date.toUTCString() }, 0],
    [{}, 4000],
  ]) {
    const wait = pause(3, new Headers(headers));
    assert.ok(wait >= least && wait <= least + Math.max(least / 10, 250), `${JSON.stringify(headers)}: ${wait}`);
  }
  assert.ok(pause(20) <= 33_000);
  assert.equal(new Set(Array.from({ length: 20 }, () => pause(2))).size > 1, true);
});
