const longestBackoff = 30_000;

/** How long to wait before the next attempt, in milliseconds: as long as the answer says, and a little more, so that not all come back at once. */
export function pause(attempt: number, headers?: Headers): number {
  const told = headers && (retryAfter(headers) ?? untilReset(headers));
  const least = told ?? Math.min(500 * 2 ** attempt, longestBackoff);
  return least + Math.random() * Math.max(least / 10, 250);
}

/** Seconds, or the date that a proxy may give. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('Retry-After');
  if (value === null) return undefined;
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - serverTime(headers);
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}

function untilReset(headers: Headers): number | undefined {
  const value = headers.get('X-RateLimit-Reset');
  return value !== null && /^\d+$/.test(value) ? Math.max(Number(value) * 1000 - serverTime(headers), 0) : undefined;
}

/** The clock of the server, because that of this machine may be wrong. */
function serverTime(headers: Headers): number {
  const date = Date.parse(headers.get('Date') ?? '');
  return Number.isNaN(date) ? Date.now() : date;
}

/** Waits, or throws the signal's reason when it is aborted meanwhile. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
