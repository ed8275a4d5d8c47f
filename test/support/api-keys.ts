import type request from 'supertest';
import { expectInvalidKey } from './expectations.js';
import type { TestOrganization } from './organization.js';
import type { RunningServer } from './server.js';

/** A key in an admin response, with its secret if the response contains it. */
export type Key = Record<string, unknown> & { id: string; apiKey: string; keyPrefix: string; status: string };

/** Requests a rotation, without a body by default. */
export function requestRotation(server: RunningServer, id: string, body?: object): request.Test {
  const call = server.asSuperAdmin('post', `/api-keys/${id}/rotate`);
  return body === undefined ? call : call.send(body);
}

/** Rotates a key and checks that it succeeded. */
export async function rotateKey(server: RunningServer, id: string, body?: object): Promise<Key> {
  return (await requestRotation(server, id, body).expect(200)).body as Key;
}

export function revokeKey(server: RunningServer, id: string): request.Test {
  return server.asSuperAdmin('delete', `/api-keys/${id}`);
}

/** Ends the grace period of the previous secret. */
export function endGracePeriod(server: RunningServer, id: string): request.Test {
  return server.asSuperAdmin('delete', `/api-keys/${id}/previous-secret`);
}

/** Finds a key in the list, by default the organization's first one. */
export async function findListedKey(organization: TestOrganization, id?: string): Promise<Key | undefined> {
  const path = `/api-keys?limit=100&organizationId=${organization.id}`;
  const response = await organization.server.asSuperAdmin('get', path).expect(200);
  return (response.body as { data: Key[] }).data.find((key) => key.id === (id ?? organization.key.id));
}

/** Returns whether a key is accepted; a rejected one must get the error of every invalid key. */
export async function isKeyAccepted(organization: TestOrganization, key: string): Promise<boolean> {
  const response = await organization.call('get', '/teams', key);
  if (response.status !== 200) expectInvalidKey(response);
  return response.status === 200;
}
