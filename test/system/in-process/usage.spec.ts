import type { Collection } from 'mongodb';
import { unconditional } from '../../../src/access/request-context.js';
import { newRecordId, toRecordId } from '../../../src/database/record.js';
import { OrganizationsService } from '../../../src/modules/organizations/organizations.service.js';
import type { FailedRequestRecord } from '../../../src/modules/usage/failed-request.schema.js';
import { FailedRequestsRepository } from '../../../src/modules/usage/failed-requests.repository.js';
import type { RequestCount } from '../../../src/modules/usage/request-count.schema.js';
import { UsageRepository } from '../../../src/modules/usage/usage.repository.js';
import { UsageService } from '../../../src/modules/usage/usage.service.js';
import { FixedClock, TestApplication } from '../../support/application.js';

const hour = 3_600_000;

const clock = new FixedClock(new Date(Math.floor(Date.now() / hour) * hour));
const application = TestApplication.forTests(clock);

describe('the request counts', () => {
  let usage: UsageService;
  const keyId = String(newRecordId());
  const operation = 'listTeams';

  beforeAll(() => {
    usage = application.get(UsageService);
  });
  /** Another process with the same database. */
  const anotherProcess = () => new UsageService(application.get(UsageRepository), clock);
  const count = (service: UsageService, organizationId: string, ...statuses: number[]) => {
    for (const status of statuses)
      service.record({ organizationId, id: keyId }, status, {
        operation,
        ...(status >= 400 && { errorCode: status * 100 }),
      });
  };
  const countsOf = async (organizationId: string, hours = 3) =>
    (await usage.getOfOrganization(organizationId, hours)).map(({ requests, errors }) => [requests, errors]);
  const stored = () => application.connection.collection('requestCounts') as unknown as Collection<RequestCount>;

  async function createOrganization(name: string): Promise<string> {
    const creator = { name: 'Dana', email: `${String(newRecordId())}@example.com`, password: 'correct horse battery' };
    const actor = { system: 'cli', ...unconditional } as const;
    return (await application.get(OrganizationsService).create(actor, { name, creator }))._id;
  }

  it('are kept per organization and hour, with responses of 400 and more as errors', async () => {
    const [one, other] = [await createOrganization('One'), await createOrganization('Other')];
    count(usage, one, 200, 201, 304, 399, 400, 404, 503);
    count(usage, other, 200);
    clock.advance(hour - 1);
    count(usage, one, 200);
    clock.advance(1);
    count(usage, one, 429);
    await usage.flush();

    expect(await countsOf(one)).toEqual([[0, 0], [8, 3], [1, 1]]); // prettier-ignore
    expect(await countsOf(other)).toEqual([[0, 0], [1, 0], [0, 0]]); // prettier-ignore
    expect((await usage.getOfOrganization(one, 168)).map((entry) => entry.hour)).toEqual(
      Array.from({ length: 168 }, (_, index) => new Date(clock.now().getTime() - (167 - index) * hour).toISOString()),
    );
  });

  it('of several processes are added up', async () => {
    const id = await createOrganization('One');
    const other = anotherProcess();
    for (const service of [usage, other, usage, other]) {
      count(service, id, 200, 400);
      await service.flush();
    }
    expect(await countsOf(id, 1)).toEqual([[8, 4]]);
  });

  it('survive failed writes without a loss, and count a write once whose response was lost', async () => {
    const id = await createOrganization('One');
    const repository = application.get(UsageRepository);
    const failures = ['before the write', 'after the write', 'after the write'];
    const store = async (counts: Iterable<RequestCount>) => {
      const failure = failures.shift();
      if (failure !== 'before the write') await repository.store(counts);
      if (failure !== undefined) throw new Error(failure);
    };
    const service = new UsageService(
      Object.assign(Object.create(UsageRepository.prototype) as UsageRepository, { store }),
      clock,
    );
    for (let round = 0; round < 4; round++) {
      count(service, id, 200, 500);
      await service.flush();
    }
    expect(failures).toEqual([]);
    expect(await countsOf(id, 1)).toEqual([[8, 4]]);
  });

  it('lose nothing when the hour changes while the database is away', async () => {
    const id = await createOrganization('One');
    const service = anotherProcess();
    count(service, id, 200);
    clock.advance(hour);
    count(service, id, 200, 200);
    await service.onApplicationShutdown();
    expect(await countsOf(id, 2)).toEqual([[1, 0], [2, 0]]); // prettier-ignore
  });

  it('never fall when the clock is set back', async () => {
    const id = await createOrganization('One');
    count(usage, id, 200, 200);
    clock.advance(hour);
    count(usage, id, 200);
    clock.advance(-1);
    count(usage, id, 200);
    clock.advance(1);
    await usage.flush();
    expect(await countsOf(id, 2)).toEqual([[2, 0], [2, 0]]); // prettier-ignore
  });

  it('are removed by the database after 7 days, and not before they can be read for the last time', async () => {
    const indexes = await stored().indexes();
    expect(indexes.find(({ key }) => JSON.stringify(key) === '{"hour":1}')).toMatchObject({
      expireAfterSeconds: 7 * 24 * 60 * 60,
    });
    const id = await createOrganization('One');
    count(usage, id, 200);
    await usage.flush();
    expect(await stored().countDocuments({ organizationId: toRecordId(id) })).toBe(1);
    clock.advance(167 * hour);
    expect((await countsOf(id, 168))[0]).toEqual([1, 0]);
  });
});

describe('failed requests', () => {
  it.each([
    ['failedRequests', 7],
    ['recordHistory', 90],
  ])('and histories are removed by the database: %s after %i days', async (name, days) => {
    const indexes = await application.connection.collection(name).indexes();
    expect(indexes.find(({ key }) => JSON.stringify(key) === '{"at":1}')).toMatchObject({
      expireAfterSeconds: days * 24 * 60 * 60,
    });
  });

  it('are stored once if a batch is repeated whose response was lost, with those that are new', async () => {
    const repository = application.get(FailedRequestsRepository);
    const stored = application.connection.collection('failedRequests');
    const batch = [1, 2, 3].map((error) => ({ _id: newRecordId(), error }) as unknown as FailedRequestRecord);
    await repository.insert(batch.slice(0, 2));
    await repository.insert(batch);
    expect(await stored.distinct('error')).toEqual([1, 2, 3]);
    expect(await stored.countDocuments({})).toBe(3);
  });
});
