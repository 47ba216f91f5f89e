import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { verifyWebhook, WebhookError } from '@ams/client';

// The example of https://www.standardwebhooks.com, as in docs/webhooks.md.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"test": 2432232314}';
const example = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

function at(t, seconds) {
  t.mock.method(Date, 'now', () => seconds * 1000);
}

test('the documented example fits', async (t) => {
  at(t, 1614265330);
  assert.deepEqual(await verifyWebhook(body, example, secret), { test: 2432232314 });
  assert.deepEqual(await verifyWebhook(new TextEncoder().encode(body), new Headers(example), secret), { test: 2432232314 });
});

test('either secret fits while it is replaced, and either signature', async (t) => {
  at(t, 1614265330);
  const other = 'whsec_' + Buffer.from('another secret of some length').toString('base64');
  await verifyWebhook(body, example, [other, secret]);
  await verifyWebhook(body, { ...example, 'webhook-signature': `v1,AAAA v1a,x v1,! ${example['webhook-signature']}` }, secret);
});

test('what does not fit is refused', async (t) => {
  at(t, 1614265330 + 299);
  await verifyWebhook(body, example, secret);
  const late = createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`m.1614265000.${body}`).digest('base64');
  for (const [given, headers, key] of [
    [body + ' ', example, secret],
    [body, { ...example, 'webhook-id': 'msg_other' }, secret],
    [body, { ...example, 'webhook-timestamp': '1614265331' }, secret],
    [body, { ...example, 'webhook-timestamp': 'now' }, secret],
    [body, { ...example, 'webhook-signature': example['webhook-signature'].slice(3) }, secret],
    [body, { ...example, 'webhook-signature': '' }, secret],
    [body, {}, secret],
    [body, example, 'whsec_' + Buffer.from('another secret').toString('base64')],
    [body, { 'webhook-id': 'm', 'webhook-timestamp': '1614265000', 'webhook-signature': `v1,${late}` }, secret],
  ]) await assert.rejects(verifyWebhook(given, headers, key), WebhookError);
});
