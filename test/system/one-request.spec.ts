import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isBesideRequests } from '../support/budget/command-costs.js';
import { stopOwnWork } from '../support/budget/own-work.js';
import { captureCommands } from '../support/explained.js';
import { InProcessServer } from '../support/in-process-server.js';
import { createKey, createOrganization, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';

const page = readFileSync(path.resolve(__dirname, '../../contributing/one-request.md'), 'utf8');
const names = ['find', 'aggregate', 'insert', 'update', 'findAndModify', 'delete', 'commitTransaction'];

/** Each row of the page with its commands, such as `find teams`. */
const documented = [...page.matchAll(/^\| (`(?:GET|POST|PATCH).*?\| .*?) +\| (.*?) +\|$/gm)].map(
  ([, row, commands = '']) => ({
    row,
    commands: [...commands.matchAll(/`([^`]+)`/g)].map(([, command]) => command),
  }),
);

// On a busy machine the change stream can be late, so that what is cached is read once more.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

describe('contributing/one-request.md', () => {
  let application: InProcessServer;
  const sent: unknown[] = [];

  beforeAll(async () => {
    application = await InProcessServer.start();
    stopOwnWork();
  }, 60_000);

  afterAll(async () => {
    jest.restoreAllMocks();
    await application.stop();
  });

  it('has the commands that the server sends, in their order', async () => {
    sent.length = 0;
    const organization = await createOrganization(application.server);
    const { _id: team, season } = await organization.team();
    await organization.team({ season });
    // A late event of a change would remove what the requests below cache.
    await eventually('the change stream has the records', async () => {
      const { text } = await organization.call('get', '/changes');
      return (JSON.parse(text) as { data?: unknown[] }).data?.length === 3;
    });
    const withNewKey = async () => organization.withKey(await createKey(application.server, organization.id));

    const reader = await withNewKey();
    await note(() => reader.call('get', '/teams').expect(200));
    await note(() => reader.call('get', '/teams').expect(200));
    await note(() => reader.call('get', '/teams?limit=1').expect(200));

    // The team was cached when it was created: on another server, it is not.
    await organization.call('patch', `/teams/${team}`).send({ ageGroup: '12U' }).expect(200);
    const writer = await withNewKey();
    const create = (caller: TestOrganization, key: string) =>
      caller.call('post', `/teams/${team}/players`).set('idem-key', key).send({ name: 'Jordan Lee' }).expect(201);
    await note(() => create(writer, 'first'));
    await note(() => create(writer, 'second'));
    await note(() => create(writer, 'second'));
    const { _id: game } = await writer.schedule(team);
    const change = { teamId: team, locationName: 'Field 4' };
    await note(() => writer.call('patch', `/schedules/${game}`).send(change).expect(200));

    expect(sent).toEqual(documented);
  });

  /** Notes the commands of the next row. */
  async function note(work: () => PromiseLike<unknown>): Promise<void> {
    const send = async () => Promise.resolve(work());
    const captured = await captureCommands(application.connection, send, names);
    const commands = captured.filter((command) => !isBesideRequests(command));
    const row = documented[sent.length]?.row;
    sent.push({ row, commands: commands.map((command) => Object.entries(command)[0]?.join(' ')) });
  }
});
