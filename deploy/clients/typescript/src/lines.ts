import { AMSConnectionError } from './errors.js';

/** The lines of a body, as they come. A body that ends inside a line is an error: it never looks whole. */
export async function* lines(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const found = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = found.pop() ?? '';
    if (found.length > 0) yield found;
  }
  if (rest !== '') throw new AMSConnectionError('stream_broken', 'The stream ended inside a line.');
}
