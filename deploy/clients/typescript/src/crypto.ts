/** WebCrypto, which Node 18 has only as a module; bundlers for browsers must not look for it. */
export async function webCrypto(): Promise<Crypto> {
  const module = 'node:crypto';
  return globalThis.crypto ?? ((await import(module)) as { webcrypto: Crypto }).webcrypto;
}

/** A value that nobody else has. Not randomUUID: pages without TLS have none. */
export async function uniqueKey(): Promise<string> {
  const bytes = (await webCrypto()).getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A SHA-256 of bytes as they come, in Node and Deno. Pages have none: WebCrypto takes only what is whole in memory. */
export async function runningSHA256(): Promise<{ update(part: Uint8Array): unknown; digest(encoding: 'base64'): string }> {
  const module = 'node:crypto';
  return (await import(module)).createHash('sha256');
}
