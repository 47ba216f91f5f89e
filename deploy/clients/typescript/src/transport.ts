import { uniqueKey } from './crypto.js';
import { AMSConnectionError, AMSError, type ErrorBody } from './errors.js';
import { lines } from './lines.js';
import { pause, sleep } from './retry.js';
import { version } from './version.js';

export interface ClientOptions {
  /** Milliseconds for one attempt, body included; of a stream, for each part of it. 60,000 when left out. A file that is sent gets more by its size. */
  timeout?: number;
  /** How often a call is repeated that found a limit reached or the service unavailable. 4 when left out. */
  retries?: number;
}

export interface CallOptions {
  /** Ends the call, its waiting and its repetitions. */
  signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Made anew for each call when left out. Give your own to repeat a call after your program was started again. */
  idempotencyKey?: string;
}

export interface RequestOptions extends WriteOptions {
  query?: object | undefined;
  /** Sent as JSON; a Blob or FormData as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

interface Page<Item> {
  data: Item[];
  pagination: { page: number | null; total_pages: number; next_cursor?: string | null };
}

const largestPage = 1000;
const longestWait = 120_000;
/** How many bytes a millisecond of a file must arrive: what is slower for long, the service ends. */
const slowest = 65.536;

interface Attempt {
  url: string;
  init: RequestInit & { headers: Record<string, string> };
  /** Whole answers are read within the deadline; of streams only what comes before the body. */
  stream: boolean;
  /** Milliseconds. */
  timeout: number;
}

/** An answer that has been read; of a stream that succeeded, its body is still to come. */
interface Received {
  status: number;
  headers: Headers;
  text: string;
  body?: ReadableStream<Uint8Array> | null;
}

export const inBrowser = 'document' in globalThis || 'importScripts' in globalThis;

/** Packing and unpacking takes longer than sending where the network is as fast as between machines of one place. Pages may not say so. */
const asItIs: Record<string, string> = inBrowser ? {} : { 'Accept-Encoding': 'identity' };

/** Calls the API: waits on 429 and 503, repeats, and makes errors of what is no success. */
export class Transport {
  readonly #base: string;
  readonly #key: string;
  readonly #timeout: number;
  readonly #retries: number;

  /** The base URL is what stands before /v1. */
  constructor(baseUrl: string, apiKey: string, { timeout = 60_000, retries = 4 }: ClientOptions = {}) {
    this.#base = baseUrl.replace(/\/+$/, '');
    this.#key = apiKey;
    this.#timeout = timeout;
    this.#retries = retries;
  }

  /** Calls any path of the API, for what has no method of its own, and gives the JSON of the answer, or its text if it is none. */
  async request<Result = unknown>(method: string, path: string, options: RequestOptions = {}): Promise<Result> {
    const { text, headers } = await this.#send(await this.#prepare(method, path, options, false), options.signal);
    if (text === '') return undefined as Result;
    return (/\bjson\b/.test(headers.get('Content-Type') ?? '') ? JSON.parse(text) : text) as Result;
  }

  /** The records of a list, page after page: by cursor, or by number where the list has none. */
  async *pages<Item>(path: string, query: object = {}, options: CallOptions = {}): AsyncGenerator<Item, void, undefined> {
    const given: Record<string, unknown> = { ...query };
    let size = largestPage;
    for (;;) {
      let answer: Page<Item>;
      try {
        answer = await this.request('GET', path, { query: { per_page: size, ...given }, ...options });
      } catch (failed) {
        if (!(failed instanceof AMSError && failed.code === 'page_too_large') || 'per_page' in given || size === 1) throw failed;
        size = Math.ceil(size / 2); // the records of this list are large
        continue;
      }
      yield* answer.data;
      const { next_cursor: cursor, page, total_pages: last } = answer.pagination;
      delete given.page;
      if (cursor) given.cursor = cursor;
      else if (page && page < last) given.page = page + 1;
      else return;
    }
  }

  /** The records of a list as they come, all in one answer and as of one moment. */
  async *streamRecords<Item>(path: string, query?: object, { signal }: CallOptions = {}): AsyncGenerator<Item, void, undefined> {
    const headers = { Accept: 'application/x-ndjson' };
    for await (const some of lines(this.bytes(path, { query, headers, signal }))) {
      for (const line of some) yield JSON.parse(line) as Item;
    }
  }

  /** The bytes of an answer as they come; before the first, begun gets its status and headers. */
  async *bytes(
    path: string, { signal, ...options }: RequestOptions, begun?: (status: number, headers: Headers) => void,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    signal?.throwIfAborted();
    const stopped = new AbortController();
    const stop = () => stopped.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const { status, headers, body } = await this.#send(await this.#prepare('GET', path, options, true), stopped.signal);
      const reader = body?.getReader();
      try {
        begun?.(status, headers);
        for (;;) {
          const next = await this.#within(async () => reader?.read(), stopped);
          if (!next || next.done) return;
          yield next.value;
        }
      } finally {
        await reader?.cancel().catch(() => {}); // of a broken body there is nothing left to cancel
      }
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Reads a part of a stream within the deadline. */
  async #within<Part>(next: () => Promise<Part>, stopped: AbortController): Promise<Part> {
    const late = () => stopped.abort(new AMSConnectionError('deadline_exceeded', `The stream brought nothing for ${this.#timeout} ms.`));
    const timer = setTimeout(late, this.#timeout);
    try {
      return await next();
    } catch (cause) {
      stopped.signal.throwIfAborted();
      throw new AMSConnectionError('stream_broken', 'The stream broke off before its end.', cause);
    } finally {
      clearTimeout(timer);
    }
  }

  async #prepare(
    method: string, path: string, { query, body, headers, idempotencyKey }: RequestOptions, stream: boolean,
  ): Promise<Attempt> {
    const sent: Record<string, string> = { Accept: 'application/json', ...asItIs, ...headers, Authorization: `Bearer ${this.#key}` };
    if (!inBrowser) sent['User-Agent'] = `ams-typescript/${version}`; // pages may not set it
    const file = body instanceof Blob || body instanceof FormData;
    if (body !== undefined && !file) sent['Content-Type'] = 'application/json';
    if (method === 'POST' || (method !== 'GET' && path.endsWith('/bulk'))) {
      sent['Idempotency-Key'] = idempotencyKey ?? await uniqueKey(); // one for all attempts
    }
    const init: Attempt['init'] = { method, headers: sent, redirect: 'manual' }; // the key is for this server alone
    if (body !== undefined) init.body = file ? body : JSON.stringify(body);
    return { url: this.#base + path + search(query), init, stream, timeout: this.#timeout + (file ? size(body) / slowest : 0) };
  }

  async #send(attempt: Attempt, signal?: AbortSignal): Promise<Received> {
    let unknown = false; // whether an attempt may have done what it was to do
    for (let number = 0; ; number++) {
      let response: Received | undefined;
      let failed: AMSError;
      try {
        response = await this.#once(attempt, signal);
        if (succeeded(response)) return response;
        failed = asError(response);
      } catch (cause) {
        if (!(cause instanceof AMSConnectionError)) throw cause;
        failed = cause;
      }
      if (unknown && attempt.init.method === 'DELETE' && response?.status === 404) return { ...response, text: '' };
      if (response?.status !== 429) unknown = true;
      const again = response === undefined || response.status === 429 || response.status === 503
        || failed.code === 'scan_pending'; // a file is still looked through for malware
      const wait = pause(number, response?.headers);
      if (!again || number >= this.#retries || wait > longestWait) throw failed;
      await sleep(wait, signal);
    }
  }

  /** One attempt within its deadline. */
  async #once({ url, init, stream, timeout }: Attempt, signal?: AbortSignal): Promise<Received> {
    signal?.throwIfAborted();
    const ended = new AbortController();
    const stop = () => ended.abort(); // why, is known from the signal
    signal?.addEventListener('abort', stop, { once: true });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      stop();
    }, timeout);
    let streams = false;
    try {
      const response = await fetch(url, { ...init, signal: ended.signal });
      const { status, headers, body } = response;
      streams = stream && response.ok;
      return streams ? { status, headers, text: '', body } : { status, headers, text: await response.text() };
    } catch (cause) {
      signal?.throwIfAborted();
      if (late) throw new AMSConnectionError('deadline_exceeded', `No answer within ${Math.round(timeout)} ms.`, cause);
      throw new AMSConnectionError('connection_failed', `${init.method} ${url}: ${reason(cause)}`, cause);
    } finally {
      clearTimeout(timer);
      if (!streams) signal?.removeEventListener('abort', stop);
    }
  }
}

/** What fetch says is "fetch failed"; why, is in its cause. */
function reason(failed: unknown): string {
  if (!(failed instanceof Error)) return String(failed);
  return failed.cause instanceof Error && failed.cause.message ? failed.cause.message : failed.message;
}

/** How many bytes of files are sent. */
function size(body: Blob | FormData): number {
  if (body instanceof Blob) return body.size;
  let sum = 0;
  body.forEach((value) => { sum += typeof value === 'string' ? value.length : value.size; });
  return sum;
}

function succeeded({ status }: Received): boolean {
  return status >= 200 && status < 300;
}

function asError({ status, headers, text }: Received): AMSError {
  let body: Partial<ErrorBody> = {};
  try {
    body = JSON.parse(text) as Partial<ErrorBody>;
  } catch {
    // not from the API: a proxy in between
  }
  const requestId = body.request_id ?? headers.get('X-Request-Id') ?? undefined;
  return new AMSError(status, {
    ...body, error: body.error ?? `HTTP ${status}`, code: body.code ?? `http_${status}`,
    ...(requestId === undefined ? {} : { request_id: requestId }),
  });
}

/** A query as the API reads it: several values with commas, and null for none. A text is sent as it is; a text within a list is one value. */
function search(query: object = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, Array.isArray(value) ? value.map(listed).join(',') : String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** A value within a list, whose commas do not separate values. */
function listed(value: unknown): string {
  return String(value).replace(/[\\,"]/g, '\\$&');
}
