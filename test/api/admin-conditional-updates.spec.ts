import { expectError } from '../support/expectations.js';
import { createOrganization, type Stored } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

type Path = () => Promise<string>;

describe.each<[string, Path]>([
  ['organization', async () => `/organizations/${(await createOrganization(server)).id}`],
  ['API key', async () => `/api-keys/${(await createOrganization(server)).key.id}`],
  ['season', async () => `/seasons/${(await (await createOrganization(server)).season())._id}`],
])('PATCH of an %s as a super admin with preconditions', (_kind, create) => {
  let path: string;
  const rename = (name: string) => server.asSuperAdmin('patch', path).send({ name });
  const revisionAfter = async (name: string) => Number(((await rename(name).expect(200)).body as Stored)['revision']);

  beforeEach(async () => {
    path = await create();
  });

  it('changes the record if it has this revision, which grows, and otherwise nothing', async () => {
    const first = await revisionAfter('First');
    const second = await revisionAfter('Second');
    expect(second).toBeGreaterThan(first);
    expectError(await rename('Third').set('If-Match', `"${first}"`), 41201);
    expectError(await rename('Second').set('If-Match', `"${first}"`), 41201);
    expect(await revisionAfter('Second')).toBe(second);
    for (const sent of ['*', `"${second}"`]) expectError(await rename('Third').set('If-None-Match', sent), 41201);
    expect(await revisionAfter('Second')).toBe(second);
    await rename('Third')
      .set({ 'If-Match': `"${second}"`, 'If-None-Match': `"${first}"` })
      .expect(200);
  });

  it('lets exactly one of several writers with the same revision succeed', async () => {
    const revision = await revisionAfter('First');
    const writes = ['A', 'B', 'C', 'D'].map((name) => rename(name).set('If-Match', `"${revision}"`));
    const statuses = (await Promise.all(writes)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 412, 412, 412]);
  });
});
