import type { Response } from 'supertest';
import { expectError } from '../support/expectations.js';
import {
  createTeamFixture,
  sendCreate,
  createRoutes,
  expectCreated,
  expectReplayed,
  listIds,
} from '../support/idempotent-creates.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests(() => RunningServer.start());

const isReplayed = (response: Response) => response.headers['idempotent-replayed'] === 'true';
const many = Array.from({ length: 50 }, (_, index) => index);

describe.each(createRoutes)('%s', (_name, route) => {
  it('creates one record for 50 equal concurrent requests and returns it to all', async () => {
    const own = await createTeamFixture(server);
    const before = await listIds(route, own);
    const responses = await Promise.all(many.map(() => sendCreate(route, own, 'import-1')));
    const first = responses.find((response) => !isReplayed(response));
    if (first === undefined) throw new Error('Nobody created the record');
    const { _id } = expectCreated(first);
    for (const response of responses.filter((each) => each !== first)) expectReplayed(response, first);
    expect((await listIds(route, own)).sort()).toEqual([...before, _id].sort());
  });

  it('creates one record for 50 concurrent requests with one key and 50 bodies: one gets 201, the others 42201', async () => {
    const own = await createTeamFixture(server);
    const before = await listIds(route, own);
    const field = Object.keys(route.changes)[0] ?? '';
    const responses = await Promise.all(
      many.map((index) => sendCreate(route, own, 'import-1', { [field]: `No. ${index}` })),
    );
    const created = responses.filter(({ status }) => status === 201).map(expectCreated);
    expect(created).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 201)) expectError(response, 42201);
    expect((await listIds(route, own)).sort()).toEqual([...before, ...created.map(({ _id }) => _id)].sort());
  });
});
