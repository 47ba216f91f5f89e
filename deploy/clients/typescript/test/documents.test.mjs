// Documents with their files, against a server that answers by a script.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { fake, json, problem } from './fake.mjs';

const cut = (response) => response.destroy();
const bytes = (status, content, headers = {}) => (response) => response.writeHead(status, headers).end(content);

async function read(parts) {
  const all = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}

test('a document is uploaded with its file, and sent again with its Idempotency-Key', async (t) => {
  const { client, received } = await fake(t, [problem(503, 'unavailable', { 'Retry-After': '0' }), json(201, { id: 'd1' })]);
  const content = 'a,b\n'.repeat(100_000);
  const document = { collection: 'assets', record_id: 'a1' };
  assert.equal((await client.documents.upload(document, new Blob([content]), 'relevé.csv')).id, 'd1');
  assert.equal(received.length, 2);
  assert.equal(received[0].headers['idempotency-key'], received[1].headers['idempotency-key']);
  for (const { method, url, headers, body } of received) {
    assert.deepEqual([method, url], ['POST', '/v1/documents']);
    const [, boundary] = /^multipart\/form-data; boundary=(.+)$/.exec(headers['content-type']);
    const [before, described, file, end] = body.split(`--${boundary}`);
    assert.match(described, /name="document"\r\n\r\n\{"collection":"assets","record_id":"a1"\}\r\n$/);
    assert.match(file, /name="file"; filename="relevé.csv"\r\n/);
    assert.ok(file.endsWith(`\r\n\r\n${content}\r\n`));
    assert.deepEqual([before, end.trim()], ['', '--']);
  }
});

test('a document is revised', async (t) => {
  const { client, received } = await fake(t, [json(201, { id: 'd1' })]);
  await client.documents.revise('d1', new Blob(['bytes'], { type: 'text/plain' }), { fileName: "plan é'(1).pdf", comment: 'As built' });
  await client.documents.revise('d1', new Blob(['bytes']), { idempotencyKey: 'mine' });
  const [named, unnamed] = received;
  assert.deepEqual([named.url, named.body, named.headers['content-type'], named.headers['content-disposition']], [
    '/v1/documents/d1/revisions?comment=As+built', 'bytes', 'application/octet-stream', "attachment; filename*=UTF-8''plan%20%C3%A9%27%281%29.pdf",
  ]);
  assert.deepEqual([unnamed.url, unnamed.headers['idempotency-key'], unnamed.headers['content-disposition']], ['/v1/documents/d1/revisions', 'mine', undefined]);
});

test('a content comes in parts, and is compared with its digest', async (t) => {
  const content = Buffer.alloc(300_000, 'content');
  const digest = { 'Repr-Digest': `sha-256=:${createHash('sha256').update(content).digest('base64')}:` };
  const { client, received } = await fake(t, [problem(409, 'scan_pending', { 'Retry-After': '0' }), bytes(200, content, digest)]);
  assert.ok((await read(client.documents.content('d1'))).equals(content));
  assert.deepEqual([received[1].url, received[1].headers.accept, received[1].headers.range], ['/v1/documents/d1/content', '*/*', undefined]);
  const other = await fake(t, [bytes(200, 'other', digest)]);
  await assert.rejects(read(other.client.documents.content('d1')), { name: 'AMSConnectionError', code: 'digest_mismatch' });
  const broken = await fake(t, [(response) => {
    response.writeHead(200, { ...digest, 'Content-Length': '300000' }).write('con');
    setTimeout(cut, 50, response);
  }]);
  await assert.rejects(read(broken.client.documents.content('d1')), { code: 'stream_broken' });
});

test('a part of a content is asked for, and nothing else is taken for it', async (t) => {
  const { client, received } = await fake(t, [bytes(206, 'part', { 'Repr-Digest': 'sha-256=:AAAA:' })]);
  for (const part of [{ offset: 4 }, { length: 3 }, { offset: 4, length: 3, revision: 2 }]) {
    assert.equal(String(await read(client.documents.content('d1', part))), 'part');
  }
  assert.deepEqual(received.map(({ url, headers }) => `${url} ${headers.range}`), [
    '/v1/documents/d1/content bytes=4-', '/v1/documents/d1/content bytes=0-2', '/v1/documents/d1/revisions/2/content bytes=4-6',
  ]);
  const whole = await fake(t, [bytes(200, 'whole')]);
  await assert.rejects(read(whole.client.documents.content('d1', { offset: 4 })), { code: 'stream_broken' });
});

test('a thumbnail is a picture', async (t) => {
  const { client, received } = await fake(t, [bytes(200, Buffer.from([0xff, 0xd8]))]);
  const small = await client.documents.thumbnail('d1', 1024);
  assert.deepEqual([received[0].url, small.type, new Uint8Array(await small.arrayBuffer())], [
    '/v1/documents/d1/thumbnail?size=1024', 'image/jpeg', new Uint8Array([0xff, 0xd8]),
  ]);
});

test('an upload says what becomes of it', async (t) => {
  const { client, received } = await fake(t, [json(201, { id: 'u1' })]);
  await client.documents.beginUpload({ collection: 'assets' }, 20, 'visité.mp4');
  await client.documents.beginRevision('d1', 21, { comment: 'As built' });
  assert.deepEqual(received.map(({ method, url, headers }) => [method, url, headers['upload-length'], headers['tus-resumable']]), [
    ['POST', '/v1/uploads', '20', '1.0.0'], ['POST', '/v1/uploads', '21', '1.0.0'],
  ]);
  const metadata = received.map(({ headers }) => headers['upload-metadata'].split(',').map((pair) => pair.split(' '))
    .map(([name, value]) => `${name}: ${Buffer.from(value, 'base64')}`));
  assert.deepEqual(metadata, [['document: {"collection":"assets"}', 'filename: visité.mp4'], ['document_id: d1', 'comment: As built']]);
});

test('an upload goes on where it stopped', async (t) => {
  const content = Buffer.alloc(12_500_000, '0123456789'); // a piece and a half
  const piece = 8 << 20;
  const at = (offset, document = null) => json(200, { id: 'u1', offset, length: content.length, document_id: document });
  const { client, received } = await fake(t, [
    at(0), cut, problem(409, 'offset_mismatch'), at(piece), problem(409, 'upload_busy'), at(piece + 5), bytes(204), at(content.length),
    at(content.length, 'd1'), json(200, { id: 'd1' }),
  ]);
  const begun = Date.now();
  assert.equal((await client.documents.resumeUpload('u1', new Blob([content]))).id, 'd1');
  assert.ok(Date.now() - begun >= 2000, 'it waits for the request that sends, and for the one that makes the document');
  const sent = received.filter(({ method }) => method === 'PATCH');
  assert.deepEqual(sent.map(({ headers }) => headers['upload-offset']), ['0', '0', String(piece), String(piece + 5)]);
  [content.subarray(0, piece), content.subarray(0, piece), content.subarray(piece), content.subarray(piece + 5)]
    .forEach((want, number) => assert.ok(sent[number].bytes.equals(want), `request ${number}`));
  assert.equal(sent[0].headers['content-type'], 'application/offset+octet-stream');
  const short = await fake(t, [at(0)]);
  await assert.rejects(short.client.documents.resumeUpload('u1', new Blob(['short'])), RangeError);
  const gone = await fake(t, [at(0), problem(404, 'not_found')]);
  await assert.rejects(gone.client.documents.resumeUpload('u1', new Blob([content])), { status: 404 });
});
