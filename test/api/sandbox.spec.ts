import { ObjectId } from 'mongodb';
import demoLeague from '../../src/modules/sandbox/demo-league.json' with { type: 'json' };
import { expectError, expectFieldError, expectInvalidKey } from '../support/expectations.js';
import { createFullOrganization, knownExternalId } from '../support/full-organization.js';
import { callFeed, FeedMirror, readFeedPage } from '../support/feed.js';
import { createKey, createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { expectDemoLeague } from '../support/sandbox.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const reset = (organization: TestOrganization) => organization.call('post', '/sandbox/reset');

describe('a sandbox', () => {
  const sandbox = TestOrganization.forTests(server, beforeAll, { isSandbox: true });
  const live = TestOrganization.forTests(server);

  it('is shown as one, and stays one', async () => {
    const path = `/organizations/${sandbox.id}`;
    expect((await server.asSuperAdmin('get', path)).body).toMatchObject({ data: { isSandbox: true } });
    const keys = await server.asSuperAdmin('get', `/api-keys?organizationId=${sandbox.id}`);
    expect(keys.body).toMatchObject({ data: [{ isSandbox: true }] });
    expectFieldError(await server.asSuperAdmin('patch', path).send({ isSandbox: false }), 'isSandbox');
    expect((await sandbox.call('get', '/me')).body).toMatchObject({ data: { organization: { isSandbox: true } } });
  });

  it('has keys with the prefix of test keys, and no other organization does', () => {
    expect([sandbox.key.keyPrefix, live.key.keyPrefix]).toEqual([
      expect.stringMatching(/^ffk_test_/),
      expect.stringMatching(/^ffk_live_/),
    ]);
  });

  it.each([
    ['a test key to live data', true],
    ['a live key to a sandbox', false],
  ])('is not reached by %s, whatever is stored', async (_what, isSandbox) => {
    const organization = await createOrganization(server, 'Moved', { isSandbox });
    const { apiKey } = await createKey(server, organization.id);
    const organizations = (await server.database()).collection('organizations');
    await organizations.updateOne({ _id: new ObjectId(organization.id) }, { $set: { isSandbox: !isSandbox } });
    expectInvalidKey(await organization.call('get', '/teams', apiKey));
  });
});

describe('POST /sandbox/reset', () => {
  it('is refused for the key of another organization', async () => {
    expectError(await reset(await createOrganization(server)), 40307);
  });

  it('replaces all records by the demo league, keeps endpoints and keys, and is audited', async () => {
    const { organization, endpoint } = await createFullOrganization(server, 'Old', { isSandbox: true });
    const other = await createFullOrganization(server, 'Other', { isSandbox: true });
    expect((await reset(organization).expect(200)).body).toEqual({ message: 'Sandbox reset' });
    await expectDemoLeague(organization);
    const deliveries = await organization.call('get', `/webhook-endpoints/${endpoint._id}/deliveries`);
    expect(deliveries.body).toEqual({ data: [], total: 0 });
    const events = await server.asSuperAdmin('get', `/audit-events?organizationId=${organization.id}`);
    const actor = { kind: 'apiKey', keyPrefix: organization.key.keyPrefix };
    const event = { action: 'resetSandbox', actor, target: { kind: 'organization', _id: organization.id } };
    expect((events.body as { data: object[] }).data).toContainEqual(
      expect.objectContaining({ ...event, actor: expect.objectContaining(actor) as object }),
    );
    const { data } = (await organization.call('get', '/seasons?limit=100')).body as { data: Stored[] };
    const own = data.find(({ organizationId }) => organizationId === organization.id);
    await organization.team({ season: own?._id, externalId: knownExternalId });
    await other.organization.call('get', `/teams/${other.team._id}`).expect(200);
  });

  it('makes the change feed start again', async () => {
    const { organization } = await createFullOrganization(server, 'Read', { isSandbox: true });
    const old = new FeedMirror(organization);
    await old.follow();
    const { nextCursor } = await readFeedPage(organization);
    await reset(organization).expect(200);
    expectError(await callFeed(organization, { cursor: nextCursor }), 41001);
    const mirror = new FeedMirror(organization);
    await mirror.followUntilEqual(await server.database());
    expect([...mirror.rows.values()].filter(({ kind }) => kind === 'team')).toHaveLength(demoLeague.teams.length);
  });

  it('gives one demo league if several requests reset it at once, of which one has to be repeated', async () => {
    const organization = await createOrganization(server, 'Shared', { isSandbox: true });
    const responses = await Promise.all([reset(organization), reset(organization)]);
    const [first, second] = responses.map(({ status }) => status).sort();
    expect(second).toBe(503);
    // On a slow machine, the other one can be too late.
    if (first !== 200)
      await eventually('a repetition succeeds', async () => (await reset(organization)).status === 200);
    await expectDemoLeague(organization);
  });
});
