import { AMSConnectionError } from './errors.js';

/** The lines of a body, as they come. A body that breaks off, or ends inside a line, is an error: it never looks whole. */
export async function* lines(body: ReadableStream<Uint8Array>, read: Read): AsyncGenerator<string[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await read(() => reader.read());
      if (done) break;
      const found = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = found.pop() ?? '';
      if (found.length > 0) yield found;
    }
    if (rest !== '') throw new AMSConnectionError('stream_broken', 'The stream ended inside a line.');
  } finally {
    await reader.cancel().catch(() => {}); // of a broken body there is nothing left to cancel
  }
}

/** Reads the next part of a body within a time. */
export type Read = <Part>(next: () => Promise<Part>) => Promise<Part>;
