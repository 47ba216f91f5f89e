import { Collection, type Shape } from './collection.js';
import { runningSHA256 } from './crypto.js';
import { AMSConnectionError, AMSError } from './errors.js';
import type { Schemas } from './operations.js';
import { sleep } from './retry.js';
import { inBrowser, type CallOptions, type WriteOptions } from './transport.js';

/** How much of an upload is sent in one request: what the service makes durable at a time. */
const piece = 8 << 20;

export interface RevisionOptions extends WriteOptions {
  /** That of the document stays when it is left out. */
  fileName?: string | undefined;
  /** Why the revision is made, up to 500 characters. */
  comment?: string | undefined;
}

export interface PartOptions extends CallOptions {
  /** The latest when left out. Name it to go on with a download: there may be a newer one meanwhile. */
  revision?: number;
  /** Where to begin, in bytes. */
  offset?: number;
  /** How many bytes at most; to the end when left out. */
  length?: number;
}

/** Documents and their files. A file is a Blob: of a page's input, or `await openAsBlob(path)` of Node's `node:fs`. */
export class DocumentCollection<Of extends Shape> extends Collection<Of> {
  /** Creates a document with its file. One without a title has the file's name. */
  upload(document: Of['patch'], file: Blob, fileName: string, options: WriteOptions = {}): Promise<Of['record']> {
    const form = new FormData();
    form.append('document', JSON.stringify(document)); // comes first
    form.append('file', file, fileName);
    return this.transport.request('POST', this.path, { body: form, ...options });
  }

  /** Gives a document new content, as its next revision; the old ones stay. */
  revise(id: string, file: Blob, { fileName, comment, ...options }: RevisionOptions = {}): Promise<Of['record']> {
    const headers: Record<string, string> = { 'Content-Type': 'application/octet-stream' };
    if (fileName !== undefined) headers['Content-Disposition'] = `attachment; filename*=UTF-8''${encoded(fileName)}`; // RFC 8187
    return this.transport.request('POST', this.at(id, 'revisions'), { query: { comment }, headers, body: file, ...options });
  }

  /**
   * The bytes of a document's file, or of a part of it, as they come. After those of a whole file its SHA-256 is compared with the service's
   * (code digest_mismatch), but in pages. While a file is looked through for malware, the call waits as for a 503.
   */
  async *content(id: string, { revision, offset = 0, length, ...options }: PartOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const path = this.at(id, revision === undefined ? 'content' : `revisions/${revision}/content`);
    const whole = offset === 0 && length === undefined;
    const headers: Record<string, string> = { Accept: '*/*' };
    if (!whole) headers.Range = `bytes=${offset}-${length === undefined ? '' : offset + length - 1}`;
    const digest = whole && !inBrowser ? await runningSHA256() : undefined;
    let wanted = null as string | null;
    const begun = (status: number, received: Headers) => {
      if (!whole && status !== 206) throw new AMSConnectionError('stream_broken', 'The answer is not the part that was asked for.');
      wanted = received.get('Repr-Digest'); // RFC 9530
    };
    for await (const part of this.transport.bytes(path, { headers, ...options }, begun)) {
      digest?.update(part);
      yield part;
    }
    if (digest && wanted && wanted !== `sha-256=:${digest.digest('base64')}:`) {
      throw new AMSConnectionError('digest_mismatch', 'The content arrived with other bytes than the service has: read it again.');
    }
  }

  /** A small picture of a document, as JPEG: 256 or 1024 pixels on its longer side. 404 no_thumbnail where there is none (yet). */
  async thumbnail(id: string, size: 256 | 1024 = 256, options: CallOptions = {}): Promise<Blob> {
    const parts: BlobPart[] = [];
    for await (const part of this.transport.bytes(this.at(id, 'thumbnail'), { query: { size }, headers: { Accept: '*/*' }, ...options })) {
      parts.push(part as Uint8Array<ArrayBuffer>);
    }
    return new Blob(parts, { type: 'image/jpeg' });
  }

  /**
   * Begins to upload a file of so many bytes, of which a new document is made (tus 1.0.0). `resumeUpload` sends it. Keep the `id` to go on with it
   * after your program was started again: the service has the upload for 24 hours after its last byte came.
   */
  beginUpload(document: Of['patch'], size: number, fileName: string, options: WriteOptions = {}): Promise<Schemas['Upload']> {
    return this.#begin({ document: JSON.stringify(document), filename: fileName }, size, options);
  }

  /** Begins to upload a file of so many bytes, which becomes the next revision of a document. */
  beginRevision(id: string, size: number, { fileName, comment, ...options }: RevisionOptions = {}): Promise<Schemas['Upload']> {
    return this.#begin({ document_id: id, filename: fileName, comment }, size, options);
  }

  #begin(metadata: Record<string, string | undefined>, size: number, options: WriteOptions): Promise<Schemas['Upload']> {
    const given = Object.entries(metadata).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const headers = {
      'Tus-Resumable': '1.0.0', 'Upload-Length': String(size), 'Upload-Metadata': given.map(([name, value]) => `${name} ${base64(value)}`).join(),
    };
    return this.transport.request('POST', '/v1/uploads', { headers, ...options });
  }

  /**
   * Sends what the service does not have yet of an upload's file, and gives the document. Call it again after any error: it goes on where the service
   * says. Only the key that began an upload may go on with it; it needs documents:read besides.
   */
  async resumeUpload(uploadId: string, file: Blob, options: CallOptions = {}): Promise<Of['record']> {
    const path = `/v1/uploads/${encodeURIComponent(uploadId)}`;
    for (;;) {
      const { document_id: id, offset, length } = await this.transport.request<Schemas['Upload']>('GET', path, options);
      if (id !== null) return this.get(id, options);
      if (file.size !== length) throw new RangeError(`The file has ${file.size} bytes, the upload ${length}.`);
      const busy = offset === length || await this.#append(path, offset, file.slice(offset, offset + piece), options);
      if (busy) await sleep(1000, options.signal);
    }
  }

  /** Sends bytes of an upload, and says whether another request does. That the service has some of them already is no error. */
  async #append(path: string, offset: number, body: Blob, options: CallOptions): Promise<boolean> {
    const headers = { 'Tus-Resumable': '1.0.0', 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' };
    try {
      await this.transport.request('PATCH', path, { headers, body, ...options });
    } catch (failed) {
      if (!(failed instanceof AMSError) || !['offset_mismatch', 'upload_busy'].includes(failed.code)) throw failed;
      return failed.code === 'upload_busy';
    }
    return false;
  }
}

/** Percent-encoded, also where encodeURIComponent leaves what RFC 8187 does not. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/['()*!]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
