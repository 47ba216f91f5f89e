import type { CallOptions, Transport, WriteOptions } from './transport.js';

/** The types of a collection. */
export interface Shape {
  record: object;
  create: object;
  patch: object;
  filters: object;
  page: { data: object[] };
  bulkCreate: object;
  bulkPatch: object;
  bulkKey: object;
  bulkResult: object;
  change: object;
}

export interface BulkOptions extends WriteOptions {
  /** true: all rows or none, and that is so when left out. false: each row on its own. */
  atomic?: boolean;
}

export interface BulkCreateOptions extends BulkOptions {
  /** What becomes of a row whose record is there already: found by external_id, else by the natural key. */
  onConflict?: 'error' | 'skip' | 'update';
}

/** The version of a record, as its `version` or its ETag: 409 if somebody else has changed it since. */
export interface MatchOptions extends CallOptions {
  ifMatch?: number | string;
}

/** The records of one collection. */
export class Collection<Of extends Shape> {
  constructor(
    protected readonly transport: Transport,
    readonly path: string,
  ) {}

  /** One page. */
  list(filters?: Of['filters'], options: CallOptions = {}): Promise<Of['page']> {
    return this.transport.request('GET', this.path, { query: filters, ...options });
  }

  /** Every record, page by page: one page is in memory at a time. */
  all(filters?: Of['filters'], options?: CallOptions): AsyncGenerator<Of['record'], void, undefined> {
    return this.transport.pages(this.path, filters, options);
  }

  /** Every record in one answer, as of one moment. Read it without long pauses: the server ends a stream that nobody reads. */
  stream(filters?: Of['filters'], options?: CallOptions): AsyncGenerator<Of['record'], void, undefined> {
    return this.transport.streamRecords(this.path, filters, options);
  }

  get(id: string, options: CallOptions = {}): Promise<Of['record']> {
    return this.transport.request('GET', this.at(id), options);
  }

  create(body: Of['create'], options: WriteOptions = {}): Promise<Of['record']> {
    return this.transport.request('POST', this.path, { body, ...options });
  }

  /** Changes what the patch names; null clears. */
  update(id: string, patch: Of['patch'], { ifMatch, ...options }: MatchOptions = {}): Promise<Of['record']> {
    return this.transport.request('PATCH', this.at(id), { body: patch, headers: match(ifMatch), ...options });
  }

  async delete(id: string, { ifMatch, ...options }: MatchOptions = {}): Promise<void> {
    await this.transport.request('DELETE', this.at(id), { headers: match(ifMatch), ...options });
  }

  /** Creates the record with your id, or updates the one that has it. */
  upsert(externalId: string, body: Of['create'], { ifMatch, ...options }: MatchOptions = {}): Promise<Of['record']> {
    const path = `${this.path}/by-external-id/${encodeURIComponent(externalId)}`;
    return this.transport.request('PUT', path, { body, headers: match(ifMatch), ...options });
  }

  /** Creates up to 1000 records in one call. */
  bulkCreate(rows: Of['bulkCreate'][], { onConflict, atomic, ...options }: BulkCreateOptions = {}): Promise<Of['bulkResult']> {
    return this.#bulk('POST', rows, { on_conflict: onConflict, atomic }, options);
  }

  /** Changes up to 1000 records: each row names its record by id, external_id or natural key. */
  bulkUpdate(rows: Of['bulkPatch'][], { atomic, ...options }: BulkOptions = {}): Promise<Of['bulkResult']> {
    return this.#bulk('PATCH', rows, { atomic }, options);
  }

  /** Deletes up to 1000 records: each row names its record by id, external_id or natural key. */
  bulkDelete(rows: Of['bulkKey'][], { atomic, ...options }: BulkOptions = {}): Promise<Of['bulkResult']> {
    return this.#bulk('DELETE', rows, { atomic }, options);
  }

  /** Every change of a record, oldest first; also of a deleted record. */
  history(id: string, options?: CallOptions): AsyncGenerator<Of['change'], void, undefined> {
    return this.transport.pages(this.at(id, 'history'), {}, options);
  }

  protected below<Other extends Shape>(id: string, name: string): Collection<Other> {
    return new Collection(this.transport, this.at(id, name));
  }

  #bulk(method: string, data: object[], query: object, options: WriteOptions): Promise<Of['bulkResult']> {
    return this.transport.request(method, `${this.path}/bulk`, { query, body: { data }, ...options });
  }

  /** The path of a record, or of what is below it. */
  protected at(id: string, below?: string): string {
    return `${this.path}/${encodeURIComponent(id)}${below === undefined ? '' : `/${below}`}`;
  }
}

function match(version: number | string | undefined): Record<string, string> {
  if (version === undefined) return {};
  return { 'If-Match': typeof version === 'number' ? `"${version}"` : version };
}
