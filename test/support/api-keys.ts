import type request from 'supertest';
import { expectInvalidKey } from './expectations.js';
import type { TestOrganization } from './organization.js';
import type { RunningServer } from './server.js';

/** A key as admins see one, with its secret where the answer has it. */
export type Key = Record<string, unknown> & { id: string; apiKey: string; keyPrefix: string; status: string };

/** Rotates a key; without a body, unless there is one to send. */
export function requestRotation(server: RunningServer, id: string, body?: object): request.Test {
  const call = server.asSuperAdmin('post', `/api-keys/${id}/rotate`);
  return body === undefined ? call : call.send(body);
}

/** Rotates a key and demands that it happens. */
export async function rotateKey(server: RunningServer, id: string, body?: object): Promise<Key> {
  return (await requestRotation(server, id, body).expect(200)).body as Key;
}

export function revokeKey(server: RunningServer, id: string): request.Test {
  return server.asSuperAdmin('delete', `/api-keys/${id}`);
}

/** Ends the grace of the secret before the last rotation. */
export function endGracePeriod(server: RunningServer, id: string): request.Test {
  return server.asSuperAdmin('delete', `/api-keys/${id}/previous-secret`);
}

/** A key, the organization's first where none is named, as the list shows it. */
export async function findListedKey(organization: TestOrganization, id?: string): Promise<Key | undefined> {
  const path = `/api-keys?limit=100&organizationId=${organization.id}`;
  const response = await organization.server.asSuperAdmin('get', path).expect(200);
  return (response.body as { data: Key[] }).data.find((key) => key.id === (id ?? organization.key.id));
}

/** Whether a key is let in; one that is not must be refused as every wrong key is. */
export async function isKeyAccepted(organization: TestOrganization, key: string): Promise<boolean> {
  const response = await organization.call('get', '/teams', key);
  if (response.status !== 200) expectInvalidKey(response);
  return response.status === 200;
}
