import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import type { ServedRequest } from '../common/http/served-request.js';
import { refusedActOf } from './refused-act.js';

const [own, inPath, inQuery, inBody, key] = ['a', 'b', 'c', 'd', 'e'].map((digit) => digit.repeat(24)) as [
  string,
  string,
  string,
  string,
  string,
];
const refusal = new ServiceError(errorCatalogue.roleForbidden);
const user = { id: 'f'.repeat(24), name: 'Sam', email: 'sam@example.com', role: 'organizationAdmin' } as const;

const request = (fields: object, organizationId: string | undefined = own): ServedRequest =>
  ({
    adminContext: { user: { ...user, ...(organizationId && { organizationId }) }, requestId: 'r', address: '' },
    operation: 'rotateApiKey',
    route: { path: '/api-keys' },
    params: {},
    query: {},
    ...fields,
  }) as ServedRequest;

describe('a refused act', () => {
  it('is known by its operation and the code of its refusal', () => {
    expect(refusedActOf(request({}), refusal)).toEqual({ action: 'rotateApiKey', error: 40303, organizationId: own });
  });

  it.each<[string, object, string]>([
    ['its path', { route: { path: '/organizations/:o/users' }, params: { o: inPath } }, inPath],
    ['its query', {}, inQuery],
    ['its body', { query: {} }, inBody],
    ['nowhere but its admin', { query: {}, body: {} }, own],
    ['nowhere, where the body was not read', { query: {}, body: undefined }, own],
    ['no valid id of its query', { query: { organizationId: 'x' }, body: {} }, own],
    ['no single id of its query', { query: { organizationId: [inQuery, inQuery] }, body: {} }, own],
    ['no text of its body', { query: {}, body: { organizationId: { $ne: 1 } } }, own],
    ['a body that is no object', { query: {}, body: [1] }, own],
    ['a body of null', { query: {}, body: null }, own],
  ])('is of the organization that is named by %s', (_where, fields, organizationId) => {
    const all = { query: { organizationId: inQuery }, body: { organizationId: inBody } };
    expect(refusedActOf(request({ ...all, ...fields }), refusal)).toMatchObject({ organizationId });
  });

  it('is of no organization where nothing names one and the admin has none', () => {
    const ofSuperAdmin = refusedActOf(request({}, ''), refusal);
    expect(ofSuperAdmin).toEqual({ action: 'rotateApiKey', error: 40303 });
  });

  it.each<[string, Record<string, string>, object | undefined]>([
    ['/api-keys/:id', { id: key }, { kind: 'apiKey', id: key }],
    ['/api-keys/:id/rotate', { id: key }, { kind: 'apiKey', id: key }],
    ['/organizations/:organizationId', { organizationId: inPath }, { kind: 'organization', id: inPath }],
    ['/organizations/:o/users', { o: inPath }, { kind: 'organization', id: inPath }],
    ['/organizations/:o/users/:u', { o: inPath, u: key }, { kind: 'user', id: key }],
    ['/organizations/:o/users/:u', { o: inPath, u: 'x' }, { kind: 'organization', id: inPath }],
    ['/users/:id', { id: key }, { kind: 'user', id: key }],
    ['/schedules/:scheduleId/player-statistics', { scheduleId: key }, { kind: 'schedule', id: key }],
    ['/api-keys/:id', { id: 'no-id' }, undefined],
    ['/weather/:id', { id: key }, undefined],
    ['/api-keys', {}, undefined],
  ])('has the last record that its path names as its target: %s %j', (path, params, target) => {
    expect(refusedActOf(request({ route: { path }, params }), refusal)?.target).toEqual(target);
  });

  it('takes nothing else of the query and the body', () => {
    const fields = { query: { page: '7', name: 'q' }, body: { name: 'n', password: 'p', userId: key } };
    expect(refusedActOf(request(fields), refusal)).toEqual(refusedActOf(request({}), refusal));
  });

  it.each<[string, ServedRequest, ServiceError]>([
    ['nobody who is known', request({ adminContext: undefined }), refusal],
    ['an operation that nobody knows', request({ operation: undefined }), refusal],
    ['the database', request({}), new ServiceError(errorCatalogue.databaseUnavailable)],
    ['a fault of ours', request({}), new ServiceError(errorCatalogue.internal)],
  ])('is none where it comes from %s', (_whom, refused, error) => {
    expect(refusedActOf(refused, error)).toBeUndefined();
  });
});
