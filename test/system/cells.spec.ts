import { readFileSync } from 'node:fs';
import https from 'node:https';
import request, { type Response } from 'supertest';
import type { Cluster } from '../../scripts/cluster/cluster.js';
import { copyOrganization } from '../../clients/typescript/src/files/copy.js';
import { createClient } from '../../clients/typescript/src/index.js';
import { expectError } from '../support/expectations.js';
import { createFullOrganization } from '../support/full-organization.js';
import { api, createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { createCluster, type ClusterUnderTest } from './faults/support/cluster-target.js';

/** An organization of a cell, whose requests go through the proxy, and a sandbox there. */
interface Member {
  readonly cell: Cluster;
  readonly server: RunningServer;
  readonly organization: TestOrganization;
  readonly sandbox: TestOrganization;
}

describe('two cells behind one proxy', () => {
  let under: ClusterUnderTest;
  let agent: https.Agent;
  let url: string;
  let first: Member;
  let second: Member;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    under = await createCluster(
      { members: 1, servers: 1, redis: true, cells: 2 },
      { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' },
    );
    url = under.cluster.proxy?.url ?? '';
    agent = new https.Agent({ ca: readFileSync(under.cluster.authority) });
    const join = async (cell: Cluster | undefined): Promise<Member> => {
      if (cell?.servers[0] === undefined) throw new Error('The cell has no server');
      const server = await RunningServer.at(cell.servers[0].url, cell.uri);
      const organization = await createOrganization(server);
      return { cell, server, organization, sandbox: await createOrganization(server, 'Try', { isSandbox: true }) };
    };
    [first, second] = [await join(under.cluster), await join(under.cluster.cells[0])];
    receiver = await WebhookReceiver.start();
  }, 120_000);
  afterAll(async () => {
    agent.destroy();
    await receiver.stop();
    await under.stop();
  });

  const call = (method: 'get' | 'post', path: string, key?: string) => {
    const sent = request(url)[method](path).agent(agent);
    return (key === undefined ? sent : sent.set('Authorization', `Bearer ${key}`)).ok(() => true);
  };
  const asPartner = ({ organization }: Member, method: 'get' | 'post', path: string) =>
    call(method, api + path, organization.key.apiKey);
  const organizationOf = ({ body }: Response) => (body as { data: { organization: Stored } }).data.organization._id;

  it('each live and test key reaches its organization, also below the path of its cell', async () => {
    for (const [{ organization, sandbox }, prefix] of [
      [first, 'ffk_live_'],
      [second, 'ffk_live_c2_'],
    ] as const) {
      expect(organization.key.apiKey.startsWith(prefix)).toBe(true);
      for (const { id, key } of [organization, sandbox])
        expect(organizationOf(await call('get', `${api}/me`, key.apiKey).expect(200))).toBe(id);
    }
    const below = (member: Member) => call('get', `/c2${api}/me`, member.organization.key.apiKey);
    expect(organizationOf(await below(second).expect(200))).toBe(second.organization.id);
    expectError(await below(first), 40101);
  });

  it('unknown prefixes are rejected by the first cell, and unknown paths are not found', async () => {
    const { apiKey } = second.organization.key;
    for (const key of [
      apiKey.replace('_c2_', '_c9_'),
      apiKey.replace('ffk_', 'other_').replace('c2', 'x'),
      'eyJ.eyJ.x',
    ])
      expectError(await call('get', `${api}/me`, key), 40101);
    for (const path of ['/c9/console', `/c9${api}/teams`, '/c2', '/c2/health/ready', '/C2/Health//live', '/c2/c2/me'])
      expect([path, (await call('get', path, apiKey)).status]).toEqual([path, 404]);
  });

  it('the console of each has its own files, login and cookie', async () => {
    for (const [base, cookie, member] of [
      ['', '__Host-token', first],
      ['/c2', '__Host-token-c2', second],
    ] as const) {
      const page = await call('get', `${base}/console/organizations/1`).expect(200);
      const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file = '']) => file);
      expect(files.length).toBeGreaterThan(1);
      for (const file of files) {
        expect(file.startsWith(`${base}/console/assets/`)).toBe(true);
        await call('get', file).expect(200);
      }
      const login = call('post', `${base}/auth/login`).set('Sec-Fetch-Site', 'same-origin').send(superAdmin);
      const response = await login.expect(200);
      expect(response.headers['set-cookie']?.[0]).toMatch(new RegExp(`^${cookie}=[^;]+; Path=/;`));
      const { accessToken } = response.body as { accessToken: string };
      const path = `${base}/organizations/${member.organization.id}`;
      await call('get', path).set('Authorization', `Bearer ${accessToken}`).expect(200);
    }
  });

  it('the API reference of each loads its own documents, whose requests stay in its cell', async () => {
    for (const base of ['', '/c2']) {
      const { text } = await call('get', `${base}/docs`).expect(200);
      const files = [...text.matchAll(/(?:"url":|src=)"(\/[^"]+)"/g)].map(([, file = '']) => file);
      expect(files).toEqual(expect.arrayContaining([`${base}/admin/openapi.json`, `${base}/docs/errors.json`]));
      for (const file of [...files, `${base}/llms.txt`]) {
        const { text: linking } = await call('get', file).buffer().expect(200);
        if (file.includes('openapi')) expect(JSON.parse(linking)).toMatchObject({ servers: [{ url: url + base }] });
        const links = file.includes('/assets/')
          ? []
          : [...linking.matchAll(/\]\((\/[^)]+)\)/g)].map(([, link]) => link);
        expect(links.filter((link) => !link?.startsWith(`${base}/`))).toEqual([]);
      }
    }
  });

  /** Creates a game, and returns the path of a calendar link of its team. */
  async function createCalendar(member: Member, opponent: string): Promise<string> {
    const { _id: teamId } = await member.organization.team();
    await member.organization.schedule(teamId, { teamTwoName: opponent });
    const response = await asPartner(member, 'post', `/teams/${teamId}/calendar-links`).send({}).expect(201);
    return (response.body as { url: string }).url;
  }

  const readCalendar = async (link: string) => (await call('get', link.slice(url.length)).expect(200)).text;

  it('links of calendars lead to the cell', async () => {
    const links = [await createCalendar(first, 'Owls of one'), await createCalendar(second, 'Owls of two')] as const;
    expect(links.map((link) => link.replace(/[^/]+$/, ''))).toEqual([
      `${url}${api}/calendars/`,
      `${url}/c2${api}/calendars/`,
    ]);
    expect(await readCalendar(links[0])).toContain('Owls of one');
    expect(await readCalendar(links[1])).toContain('Owls of two');
    await call('get', links[1].slice(url.length).replace('/c2/', '/')).expect(404);
  });

  it('an organization moves: a copy has the same records, and a repetition sends nothing', async () => {
    const { organization, schedule } = await createFullOrganization(first.server, 'Mover');
    const target = await createOrganization(second.server);
    const clientOf = ({ server, key }: TestOrganization) =>
      createClient({ baseUrl: server.url, apiKey: key.apiKey, maxRetries: 0 });
    const notes: string[] = [];
    const copy = () => copyOrganization(clientOf(organization), clientOf(target), (note) => notes.push(note));
    expect(await copy()).toEqual([]);
    expect(notes.splice(0).join()).toMatch(
      /seasons: 1, of which 1 .*teams: 2, of which 2 .*players: 1, .*schedules: 2, /,
    );
    const copied = await clientOf(target).schedules.getByExternalId({ path: { externalId: 'known-4711' } });
    expect(copied).toMatchObject({ teamTwoName: 'Mover guests', locationName: 'Mover field' });
    const statistics = await clientOf(target).playerStatistics.get({ path: { scheduleId: copied._id } });
    expect(statistics.data).toMatchObject([{ playerName: 'Mover player', stats: { passAttempts: 3, completions: 2 } }]);

    expect(await copy()).toEqual([]);
    expect(notes.filter((note) => !note.endsWith('of which 0 are new or changed'))).toEqual([]);
    const change = { teamId: schedule['teamId'], locationName: null, status: 'cancelled' };
    await organization.call('patch', `/schedules/${schedule._id}`).send(change).expect(200);
    await target.team({ externalId: 'surplus', season: copied.season });
    expect(await copy()).toEqual(['teams: surplus is only in the new organization']);
    const changed = await clientOf(target).schedules.get({ path: { scheduleId: copied._id } });
    expect(changed).toMatchObject({ status: 'cancelled' });
    expect(changed).not.toHaveProperty('locationName');
  });

  it('webhooks of one arrive, and its keys and links work, while the database of the other is killed', async () => {
    for (const member of [first, second])
      await asPartner(member, 'post', '/webhook-endpoints').send({ url: receiver.url }).expect(201);
    const created = async (member: Member, externalId: string) => {
      await member.organization.team({ externalId });
      const arrived = () => receiver.events.some(({ event }) => event.data['externalId'] === externalId);
      await eventually(`the webhook of ${externalId} arrives`, arrived, 30);
    };
    await created(first, 'one');
    await created(second, 'two');
    const link = await createCalendar(first, 'Foxes');
    const [database] = second.cell.members;
    await database?.kill();
    const isDown = async () => (await second.server.call('get', '/health/ready')).status === 503;
    await eventually('the second cell is down', isDown, 30);

    await created(first, 'three');
    await asPartner(first, 'get', '/teams').expect(200);
    expect(await readCalendar(link)).toContain('Foxes');
    await call('get', '/console').expect(200);
    // By a server of the second cell, although none is ready, and neither by Caddy nor by one of the first cell.
    for (const path of [`${api}/teams`, `/c2${api}/teams`]) {
      const { message } = expectError(await call('get', path, second.organization.key.apiKey), 50301);
      expect(message).not.toBe('No server is available');
    }
  });
});
