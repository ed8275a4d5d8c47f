import { Api } from './generated/sdk.gen.js';
import { Client, type ClientOptions } from './http.js';

/**
 * Returns a client with the operations of each resource, such as `client.teams.list()`.
 *
 * @throws TypeError if the API key or the URL cannot be used.
 */
export function createClient(options: ClientOptions): Api {
  return new Api({ client: new Client(options) });
}

export type { Api } from './generated/sdk.gen.js';
export type * from './generated/types.gen.js';
export type { ClientOptions, RequestOptions, Retry, Revisioned } from './http.js';
export type { List } from './read.js';
export { ApiError, ConnectionError, isError } from './errors.js';
export { verifyWebhook, WebhookVerificationError, type WebhookMessage, type WebhookRequest } from './webhooks.js';
