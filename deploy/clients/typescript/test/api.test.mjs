// The library against the API itself: AMS_BASE_URL and a key for everything in AMS_API_KEY.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { AMSError, Client, verifyWebhook } from '@ams/client';

const client = new Client(process.env.AMS_BASE_URL, process.env.AMS_API_KEY);
const run = randomUUID().slice(0, 8);
let site;

before(async () => {
  site = await client.sites.create({ name: `Library ${run}`, external_id: `S-${run}` });
  const rows = Array.from({ length: 30 }, (_, number) => ({ name: `Pump ${number}`, site_id: site.id, external_id: `A-${run}-${number}` }));
  const { summary } = await client.assets.bulkCreate(rows);
  assert.equal(summary.created, 30);
});

after(async () => {
  const rows = [];
  for await (const { id } of client.assets.all({ site_id: site.id })) rows.push({ id });
  assert.equal((await client.assets.bulkDelete(rows)).summary.deleted, rows.length);
  await client.sites.delete(site.id);
  await assert.rejects(client.sites.get(site.id), { status: 404, code: 'not_found' });
});

test('who the key is', async () => {
  const { organization, key } = await client.me();
  assert.ok(organization.id && key.scopes.includes('*:*'));
});

test('a page, all pages and the stream have the same records', async () => {
  const filters = { site_id: site.id };
  const page = await client.assets.list({ ...filters, per_page: 100 });
  assert.equal(page.pagination.total, page.data.length);
  const ids = page.data.map(({ id }) => id);
  const all = [];
  for await (const { id } of client.assets.all({ ...filters, per_page: 7 })) all.push(id);
  const streamed = [];
  for await (const { id } of client.assets.stream(filters)) streamed.push(id);
  assert.ok(ids.length >= 30);
  assert.deepEqual(all, ids);
  assert.deepEqual(streamed, ids);
});

test('a record is created, changed at its version, refused at another, and has a history', async () => {
  const made = await client.assets.create({ name: 'Boiler', site_id: site.id, status: 'planned' });
  const changed = await client.assets.update(made.id, { status: 'in_service' }, { ifMatch: made.version });
  assert.deepEqual([changed.status, changed.version, changed.name], ['in_service', made.version + 1, 'Boiler']);
  await assert.rejects(client.assets.update(made.id, { name: 'Furnace' }, { ifMatch: made.version }), (failed) => {
    assert.ok(failed instanceof AMSError);
    assert.deepEqual([failed.status, typeof failed.code, typeof failed.requestId], [409, 'string', 'string']);
    return true;
  });
  assert.equal((await client.assets.get(made.id)).name, 'Boiler');
  const actions = [];
  for await (const { action } of client.assets.history(made.id)) actions.push(action);
  assert.deepEqual(actions, ['created', 'updated']);
  await client.assets.delete(made.id, { ifMatch: changed.version });
});

test('one record is created, then updated, by external id', async () => {
  const key = `U/${run} é`;
  const made = await client.assets.upsert(key, { name: 'Fan', site_id: site.id });
  const changed = await client.assets.upsert(key, { name: 'Fan 2', site_id: site.id }, { ifMatch: made.version });
  assert.deepEqual([made.external_id, changed.id, changed.name, changed.version], [key, made.id, 'Fan 2', made.version + 1]);
  await assert.rejects(client.assets.upsert(key, { name: 'Fan 3' }, { ifMatch: made.version }), { status: 409, code: 'version_mismatch' });
});

test('rows that are there are updated by external id', async () => {
  const rows = [{ name: 'Pump one', site_id: site.id, external_id: `A-${run}-1` }, { name: 'New', site_external_id: `S-${run}`, external_id: `N-${run}` }];
  const { summary, results } = await client.assets.bulkCreate(rows, { onConflict: 'update' });
  assert.deepEqual([summary.updated, summary.created], [1, 1]);
  assert.equal((await client.assets.get(results[0].id)).name, 'Pump one');
  await assert.rejects(client.assets.bulkCreate(rows), (failed) => failed.status === 409 && failed.body.results.length === 2);
  const partly = await client.assets.bulkUpdate([{ id: results[1].id, name: 'Newer' }, { id: randomUUID(), name: 'None' }], { atomic: false });
  assert.deepEqual([partly.summary.updated, partly.summary.failed], [1, 1]);
});

test('every problem of a body is named', async () => {
  await assert.rejects(client.assets.create({ name: '', condition_rating: 9 }), (failed) => {
    assert.equal(failed.status, 400);
    assert.ok(failed.fields.some(({ field }) => field === 'condition_rating'));
    return true;
  });
});

test('records below another, a path without a method, and a search', async () => {
  const order = await client.workOrders.create({ title: 'Bearings', site_id: site.id });
  const task = await client.workOrders.tasks(order.id).create({ title: 'Look' });
  assert.equal((await client.workOrders.tasks(order.id).list()).data[0].id, task.id);
  const csv = await client.request('GET', '/v1/work-orders', { query: { ids: order.id, fields: 'id,title' }, headers: { Accept: 'text/csv' } });
  assert.equal(csv, `id,title\n${order.id},Bearings\n`);
  const found = await client.search(`Library ${run}`, { kinds: 'site' });
  assert.equal(found.data[0].id, site.id);
  await client.workOrders.delete(order.id);
});

test('documents have files, which are revised, read and uploaded in pieces', async () => {
  const content = 'reading,value\n'.repeat(700_000); // more than a piece
  const made = await client.documents.upload({ collection: 'sites', record_id: site.id }, new Blob([content.slice(1)]), `Relevé ${run}.csv`);
  assert.deepEqual([made.title, made.size_bytes, made.revision], [`Relevé ${run}.csv`, content.length - 1, 1]);
  const upload = await client.documents.beginRevision(made.id, content.length, { comment: 'Whole' });
  assert.equal((await client.documents.resumeUpload(upload.id, new Blob([content]))).revision, 2);
  assert.equal((await client.documents.revise(made.id, new Blob(['a,b\n']), { fileName: "plan (1) 'é'.csv" })).file_name, "plan (1) 'é'.csv");
  for (let tries = 0; tries < 300 && (await client.documents.get(made.id)).scan_status === 'pending'; tries++) {
    await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
  const read = async (part) => {
    const parts = [];
    for await (const one of client.documents.content(made.id, part)) parts.push(one);
    return Buffer.concat(parts).toString();
  };
  assert.equal(await read(), 'a,b\n');
  assert.equal(await read({ revision: 2 }), content);
  assert.equal(await read({ revision: 2, offset: 8, length: 5 }), 'value');
  await assert.rejects(client.documents.thumbnail(made.id), { status: 404, code: 'no_thumbnail' });
  const begun = await client.documents.beginUpload({ collection: 'sites', record_id: site.id, kind: 'data' }, content.length, 'again.csv');
  const again = await client.documents.resumeUpload(begun.id, new Blob([content]));
  assert.deepEqual([again.kind, again.sha256], ['data', createHash('sha256').update(content).digest('hex')]);
  await client.documents.delete(made.id);
  await client.documents.delete(again.id);
});

test('a webhook that was delivered is verified, and is in the feed', async () => {
  let receive;
  const event = new Promise((resolve, reject) => { receive = (given) => given.then(resolve, reject); });
  let secret;
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    receive(verifyWebhook(Buffer.concat(parts), request.headers, secret));
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = await client.webhookEndpoints.create({ url: `http://127.0.0.1:${server.address().port}/`, event_types: ['site.updated'] });
  secret = endpoint.secret;
  try {
    await client.sites.update(site.id, { name: `Library ${run} again` });
    const { id, type, data } = await event;
    assert.deepEqual([type, data.object.id, data.changed], ['site.updated', site.id, ['name']]);
    let cursor;
    for (let more = true, found = false; more || !found;) {
      const page = await client.events(cursor, { limit: 1000, types: ['site.*'], wait: 10 });
      found ||= page.data.some((one) => one.id === id);
      ({ next: cursor, has_more: more } = page);
    }
  } finally {
    server.close();
    await client.webhookEndpoints.delete(endpoint.id);
  }
});
