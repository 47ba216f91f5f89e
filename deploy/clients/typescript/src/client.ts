import { Collections } from './collections.js';
import type { Answer, Query } from './operations.js';
import type { CallOptions } from './transport.js';

/** The API with one key: `new Client('https://api.example.ca', key)`. */
export class Client extends Collections {
  /** The organization, plan, scopes and limits of the key. */
  me(options: CallOptions = {}): Promise<Answer<'get_me'>> {
    return this.request('GET', '/v1/me', options);
  }

  /** Records of all collections by their names and codes, the best first. */
  search(q: string, filters: Omit<Query<'search'>, 'q'> = {}, options: CallOptions = {}): Promise<Answer<'search'>> {
    return this.request('GET', '/v1/search', { query: { ...filters, q }, ...options });
  }

  /** The events behind a cursor. Go on with `next`, at once where `has_more`. Without a cursor: from the oldest that is kept. */
  events(after?: string, filters: Omit<Query<'list_events'>, 'after'> = {}, options: CallOptions = {}): Promise<Answer<'list_events'>> {
    return this.request('GET', '/v1/events', { query: { ...filters, after }, ...options });
  }
}
