import { webCrypto } from './crypto.js';
import { WebhookError } from './errors.js';
import type { Schemas } from './operations.js';

const tolerance = 5 * 60;

/** The headers of a request: those of fetch, or of Node with their names in lower case. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * The event of a webhook, after its signature has been checked: HMAC-SHA256 over id, timestamp and the body as it was received.
 * While the secret is being replaced, give both. Throws a WebhookError where none fits, or where the call is older than five minutes.
 */
export async function verifyWebhook(
  body: string | Uint8Array, headers: WebhookHeaders, secret: string | readonly string[],
): Promise<Schemas['Event']> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature').split(' ');
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > tolerance) {
    throw new WebhookError('The webhook is not of the last five minutes.');
  }
  const encoder = new TextEncoder();
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const before = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(before.length + bytes.length);
  signed.set(before);
  signed.set(bytes, before.length);
  const { subtle } = await webCrypto();
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await subtle.importKey('raw', decode(one.replace(/^whsec_/, '')), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) {
      if (signature.startsWith('v1,') && await fits(subtle, key, signature.slice(3), signed)) {
        return JSON.parse(new TextDecoder().decode(bytes)) as Schemas['Event'];
      }
    }
  }
  throw new WebhookError('No signature of the webhook fits.');
}

/** WebCrypto compares in constant time. */
async function fits(subtle: SubtleCrypto, key: CryptoKey, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    return await subtle.verify('HMAC', key, decode(signature), signed);
  } catch {
    return false; // not base64
  }
}

function header(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string') throw new WebhookError(`The header ${name} is missing.`);
  return value;
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
