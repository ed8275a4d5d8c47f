import type { Response } from 'supertest';
import {
  callWithToken,
  changePasswordFrom,
  createOrganizationAdmin,
  createSuperAdmin,
  loginFrom,
  postFrom,
  type TestAdmin,
} from '../support/admins.js';
import { type AuditEvent, countEventsOfRequest, eventsOfRequest, withRequestId } from '../support/audit.js';
import { expectError } from '../support/expectations.js';
import { freshAddress } from '../support/fresh-address.js';
import { createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { codeOf, enrol, wrongCodeOf } from '../support/second-factor.js';
import { type Method, RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

const logIn = (body: object, on = server) => on.call('post', '/auth/login').send(body);
const getMe = (token: string) => callWithToken(server, token, 'get', '/auth/me');

async function createAdmin(): Promise<TestAdmin & { token: string }> {
  const admin = await createOrganizationAdmin(await createOrganization(server));
  return { ...admin, token: await server.login(admin.email, admin.password) };
}

async function createEnrolled() {
  const admin = await createAdmin();
  return { ...admin, ...(await enrol(server, admin.token, admin.password)) };
}

/** Sends a request and returns the response and its only audit event. */
async function audited(token: string, method: Method, path: string, body?: object): Promise<[Response, AuditEvent]> {
  const { call, id } = withRequestId(callWithToken(server, token, method, path));
  const response = await call.send(body);
  await eventually('there is an event', async () => (await countEventsOfRequest(server, id)) === 1);
  const [event = {} as AuditEvent] = await eventsOfRequest(server, id);
  return [response, event];
}

describe('setting up a second factor', () => {
  it('returns the secret and its URI, has no effect until it is confirmed, and is audited without them', async () => {
    const { _id, email, password, token } = await createAdmin();
    const [response, event] = await audited(token, 'post', '/auth/second-factor', { password });
    expect(response.status).toBe(201);
    const { secret, uri, ...rest } = response.body as { secret: string; uri: string };
    expect(rest).toEqual({});
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    expect(event).toMatchObject({ action: 'createSecondFactor', outcome: 'success', target: { kind: 'user', _id } });
    expect(event).not.toHaveProperty('changes');
    await logIn({ email, password }).expect(200);
    expect((await getMe(token)).body).toMatchObject({ data: { hasSecondFactor: false } });
  });

  it('needs the current password: a wrong one is audited and counts as a failed login', async () => {
    const { _id, email, password, token } = await createAdmin();
    const address = freshAddress();
    const create = (body: object) => postFrom(server, address, token, '/auth/second-factor', body);
    expectError(await create({}), 40001);
    const [response, event] = await audited(token, 'post', '/auth/second-factor', { password: 'wrong' });
    expectError(response, 40102);
    const failure = { action: 'createSecondFactor', outcome: 'failure', error: 40102, actor: { kind: 'user', _id } };
    expect(event).toMatchObject(failure);
    for (let attempt = 0; attempt < 10; attempt++) expectError(await create({ password: 'wrong' }), 40102);
    expectError(await create({ password }), 42902);
    expectError(await loginFrom(server, address, email, password), 42902);
  });

  it('is confirmed with a right code only: ten recovery codes and a new token, and earlier tokens end', async () => {
    const { _id, token, password } = await createAdmin();
    const created = await callWithToken(server, token, 'post', '/auth/second-factor').send({ password }).expect(201);
    const { secret } = created.body as { secret: string };
    const confirm = (code: string) => audited(token, 'post', '/auth/second-factor/confirm', { code });
    const [rejection, failure] = await confirm(wrongCodeOf(secret));
    expectError(rejection, 40103);
    const actor = { kind: 'user', _id };
    expect(failure).toMatchObject({ action: 'confirmSecondFactor', outcome: 'failure', error: 40103, actor });
    await getMe(token).expect(200);
    const [response, event] = await confirm(codeOf(secret));
    expect(response.status).toBe(200);
    const { accessToken, recoveryCodes, ...rest } = response.body as { accessToken: string; recoveryCodes: string[] };
    expect(rest).toEqual({ tokenType: 'Bearer', expiresIn: 3600 });
    expect(recoveryCodes).toHaveLength(10);
    expect(event).toMatchObject({ action: 'confirmSecondFactor', outcome: 'success', target: { _id } });
    expectError(await getMe(token), 40102);
    expect((await getMe(accessToken)).body).toMatchObject({ data: { hasSecondFactor: true } });
    const stored = JSON.stringify(await (await server.database()).collection('users').find().toArray());
    for (const plain of [secret, ...recoveryCodes]) expect(stored).not.toContain(plain);
  });

  it('is rejected for a user who has one', async () => {
    const { accessToken, password } = await createEnrolled();
    const create = callWithToken(server, accessToken, 'post', '/auth/second-factor');
    expectError(await create.send({ password }), 40911);
    const confirm = callWithToken(server, accessToken, 'post', '/auth/second-factor/confirm');
    expectError(await confirm.send({ code: '123456' }), 40911);
  });
});

describe('a login of a user with a second factor', () => {
  it('needs a code or a recovery code, and a missing one is audited as a failure', async () => {
    const { email, password, secret, recoveryCodes } = await createEnrolled();
    const { call, id } = withRequestId(logIn({ email, password }));
    expect(expectError(await call, 40103).message).toBe('A code of the second factor is required');
    await eventually('there is an event', async () => (await countEventsOfRequest(server, id)) === 1);
    expect(await eventsOfRequest(server, id)).toMatchObject([{ action: 'login', outcome: 'failure', error: 40103 }]);
    expectError(await logIn({ email, password, code: wrongCodeOf(secret) }), 40103);
    expectError(await logIn({ email, password: `${password}.`, code: codeOf(secret) }), 40102);
    const [byCode, byRecovery] = [codeOf(secret), recoveryCodes[0]].map((code) =>
      withRequestId(logIn({ email, password, code })),
    );
    await byCode?.call.expect(200);
    expect((await eventsOfRequest(server, byCode?.id ?? ''))[0]).not.toHaveProperty('changes');
    await byRecovery?.call.expect(200);
    const [event] = await eventsOfRequest(server, byRecovery?.id ?? '');
    expect(event).toMatchObject({ action: 'login', outcome: 'success', changes: { recoveryCodeUsed: true } });
  });

  it('is not replaced by a password change', async () => {
    const { email, password, accessToken } = await createEnrolled();
    const passwords = { currentPassword: password, newPassword: `${password}, changed` };
    await changePasswordFrom(server, freshAddress(), accessToken, passwords).expect(200);
    expectError(await logIn({ email, password: passwords.newPassword }), 40103);
  });
});

describe('DELETE /auth/second-factor', () => {
  it('removes it with password and code, each of which is checked and audited', async () => {
    const { email, password, secret, accessToken } = await createEnrolled();
    const remove = (body: object) => audited(accessToken, 'delete', '/auth/second-factor', body);
    const code = codeOf(secret);
    for (const [body, error] of [
      [{ password: `${password}.`, code }, 40102],
      [{ password, code: wrongCodeOf(secret) }, 40103],
    ] as const) {
      const [response, event] = await remove(body);
      expectError(response, error);
      expect(event).toMatchObject({ action: 'deleteSecondFactor', outcome: 'failure', error });
    }
    const [response, event] = await remove({ password, code });
    expect([response.status, response.body]).toEqual([200, { message: 'Second factor removed' }]);
    expect(event).toMatchObject({ action: 'deleteSecondFactor', outcome: 'success' });
    await logIn({ email, password }).expect(200);
    const again = callWithToken(server, accessToken, 'delete', '/auth/second-factor');
    await again.send({ password, code }).expect(200);
  });
});

describe('POST /users/{userId}/second-factor-reset', () => {
  const path = (id: string) => `/users/${id}/second-factor-reset`;

  it('removes that of another user with password and code of the caller, and ends their tokens', async () => {
    const lost = await createEnrolled();
    const own = await createSuperAdmin(server);
    const { secret, accessToken } = await enrol(server, await server.login(own.email, own.password), own.password);
    const right = { password: own.password, code: codeOf(secret) };
    for (const [body, error] of [
      [{ ...right, password: 'wrong' }, 40102],
      [{ ...right, code: wrongCodeOf(secret) }, 40103],
    ] as const) {
      const [response, event] = await audited(accessToken, 'post', path(lost._id), body);
      expectError(response, error);
      expect(event).toMatchObject({ action: 'resetSecondFactor', outcome: 'failure', error, actor: { _id: own._id } });
    }
    expect((await getMe(lost.accessToken)).body).toMatchObject({ data: { hasSecondFactor: true } });
    const [response, event] = await audited(accessToken, 'post', path(lost._id), right);
    expect([response.status, response.body]).toEqual([200, { message: 'Second factor removed' }]);
    const target = { kind: 'user', _id: lost._id, name: lost.email };
    expect(event).toMatchObject({ action: 'resetSecondFactor', outcome: 'success', actor: { _id: own._id }, target });
    expectError(await getMe(lost.accessToken), 40102);
    await logIn({ email: lost.email, password: lost.password }).expect(200);
    // A code works once.
    expectError(await callWithToken(server, accessToken, 'post', path(lost._id)).send(right), 40103);
  });

  it('needs a second factor of the caller, and another user', async () => {
    const { _id, email, password } = await createSuperAdmin(server);
    const token = await server.login(email, password);
    const body = { password, code: '123456' };
    const reset = (id: string) => callWithToken(server, token, 'post', path(id)).send(body);
    const admin = await createAdmin();
    expectError(await reset(admin._id), 40308);
    expectError(await reset(_id), 40303);
    expectError(await reset('6650f1f77bcf86cd79943901'), 40407);
  });
});
