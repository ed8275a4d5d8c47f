import { createHmac, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import type request from 'supertest';
import type { TestOrganization } from './organization.js';
import type { RunningServer } from './server.js';

type Method = Parameters<RunningServer['call']>[0];

/** A user who can log in. */
export interface TestAdmin {
  _id: string;
  name: string;
  email: string;
  password: string;
}

/** Creates a request with a bearer token, valid or not. */
export function callWithToken(server: RunningServer, token: string, method: Method, path: string): request.Test {
  return server.call(method, path).set('Authorization', `Bearer ${token}`);
}

/** Creates another admin of an organization. */
export async function createOrganizationAdmin(
  organization: TestOrganization,
  password = 'a staple for horses',
): Promise<TestAdmin> {
  const admin = { name: 'Sam Ortiz', email: `${randomUUID()}@example.com`, password };
  const call = organization.server.asSuperAdmin('post', `/organizations/${organization.id}/users`);
  const created = await call.send(admin).expect(201);
  return { ...admin, _id: (created.body as { _id: string })._id };
}

/** Creates a super admin who has a password and can log in. */
export async function createSuperAdmin(server: RunningServer, name = 'Robin Vale'): Promise<TestAdmin> {
  const user = { name, email: `${randomUUID()}@example.com` };
  const created = await server.asSuperAdmin('post', '/users').send(user).expect(201);
  const { _id, passwordReset } = created.body as { _id: string; passwordReset: { token: string } };
  const password = `new ${randomUUID()}`;
  await server
    .call('post', '/auth/password-reset')
    .send({ token: passwordReset.token, newPassword: password })
    .expect(200);
  return { ...user, _id, password };
}

/** Logs in as the creator and as an admin of an organization. */
export async function loginBothRoles(organization: TestOrganization): Promise<{ creator: string; admin: string }> {
  const { server } = organization;
  const admin = await createOrganizationAdmin(organization);
  return {
    creator: await server.login(organization.creator.email, organization.creator.password),
    admin: await server.login(admin.email, admin.password),
  };
}

/** Logs in from a loopback address, because failed logins are limited by address. */
export function loginFrom(server: RunningServer, address: string, email: string, password: string): request.Test {
  return server
    .call('post', '/auth/login')
    .agent(new Agent({ localAddress: address }))
    .send({ email, password });
}

/** Changes the password of the token's user from a loopback address. */
export function changePasswordFrom(server: RunningServer, address: string, token: string, body: object): request.Test {
  return postFrom(server, address, token, '/auth/password', body);
}

/** Sends a body with a token from a loopback address. */
export function postFrom(
  server: RunningServer,
  address: string,
  token: string,
  path: string,
  body: object,
): request.Test {
  return callWithToken(server, token, 'post', path)
    .agent(new Agent({ localAddress: address }))
    .send(body);
}

/** Sets a password with a token from a loopback address. */
export function resetPasswordFrom(server: RunningServer, address: string, body: object): request.Test {
  return server
    .call('post', '/auth/password-reset')
    .agent(new Agent({ localAddress: address }))
    .send(body);
}

/** Updates a user as the super admin. */
export function updateUser(server: RunningServer, id: string, body: object): request.Test {
  return server.asSuperAdmin('patch', `/users/${id}`).send(body);
}

/** Updates an organization as the super admin. */
export function updateOrganization(server: RunningServer, id: string, body: object): request.Test {
  return server.asSuperAdmin('patch', `/organizations/${id}`).send(body);
}

const digests = { HS256: 'sha256', HS512: 'sha512', none: undefined } as const;

/** Signs a token (RFC 7519), so that tests can create tokens that the server never issues. */
export function signToken(payload: object, secret: string, algorithm: keyof typeof digests = 'HS256'): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: algorithm, typ: 'JWT' })}.${encode(payload)}`;
  const digest = digests[algorithm];
  return `${signed}.${digest === undefined ? '' : createHmac(digest, secret).update(signed).digest('base64url')}`;
}

/** Decodes a token without verifying its signature. */
export function decodeToken(token: string): { header: Record<string, unknown>; payload: Record<string, unknown> } {
  const [header, payload] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);
  return { header: header ?? {}, payload: payload ?? {} };
}
