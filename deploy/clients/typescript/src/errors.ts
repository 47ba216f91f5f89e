/** One problem of a request. */
export interface FieldProblem {
  field: string;
  message: string;
}

/** The body of an error: what else it has is in docs/api.md of the service, for example `existing_id` and `allowed`. */
export interface ErrorBody {
  error: string;
  code: string;
  request_id?: string;
  field?: string;
  fields?: FieldProblem[];
  value?: unknown;
  [name: string]: unknown;
}

/** An answer of the API that is an error. `message` is a sentence for people, `code` a stable word for programs. */
export class AMSError extends Error {
  override name = 'AMSError';

  constructor(
    /** The HTTP status; 0 where there was no answer. */
    readonly status: number,
    readonly body: ErrorBody,
    options?: { cause?: unknown },
  ) {
    super(body.error, options);
  }

  get code(): string {
    return this.body.code;
  }

  /** The field that clashed, of a 409. */
  get field(): string | undefined {
    return this.body.field;
  }

  /** Every problem of the request, of a 400. */
  get fields(): FieldProblem[] {
    return this.body.fields ?? [];
  }

  /** Quote it when you ask for help. */
  get requestId(): string | undefined {
    return this.body.request_id;
  }
}

/** No whole answer: `code` is connection_failed, deadline_exceeded, stream_broken or digest_mismatch. */
export class AMSConnectionError extends AMSError {
  override name = 'AMSConnectionError';

  constructor(code: 'connection_failed' | 'deadline_exceeded' | 'stream_broken' | 'digest_mismatch', message: string, cause?: unknown) {
    super(0, { error: message, code }, { cause });
  }
}

/** A webhook that must not be believed. */
export class WebhookError extends Error {
  override name = 'WebhookError';
}
