import type { OrganizationScope } from '../../src/common/context/request-context.js';
import { newRecordId } from '../../src/database/record.js';
import type { IdempotencyKey } from '../../src/idempotency/idempotency-key.js';
import { IdempotencyKeyUsed, type IdempotentRecord } from '../../src/idempotency/idempotent.repository.js';
import { PlayersRepository } from '../../src/modules/players/players.repository.js';
import { SchedulesRepository } from '../../src/modules/schedules/schedules.repository.js';
import { TeamsRepository } from '../../src/modules/teams/teams.repository.js';
import { newScope, FixedClock, TestApplication } from '../support/application.js';
import { buildPlayerRecord, buildScheduleRecord, buildTeamRecord } from '../support/records.js';

const day = 24 * 60 * 60 * 1_000;
const key: IdempotencyKey = { scope: 'POST /records', keyHash: 'hash of the key', fingerprint: 'hash of the body' };

/** What the three repositories have in common here. */
interface Store {
  insertOnce(scope: OrganizationScope, record: IdempotentRecord, key: IdempotencyKey, response: object): Promise<void>;
  findFirstResponse: TeamsRepository['findFirstResponse'];
}

const routes: [name: string, store: () => Store, record: (scope: OrganizationScope) => IdempotentRecord][] = [
  ['a player', () => application.get(PlayersRepository), (scope) => buildPlayerRecord(scope, newRecordId())],
  ['a team', () => application.get(TeamsRepository), (scope) => buildTeamRecord(scope)],
  ['a schedule', () => application.get(SchedulesRepository), (scope) => buildScheduleRecord(scope)],
];

let clock: FixedClock;
let application: TestApplication;

beforeAll(async () => {
  clock = new FixedClock();
  application = await TestApplication.start(clock);
});
afterAll(() => application.stop());

describe.each(routes)('the idem-key that made %s', (_, store, record) => {
  it('counts until the last millisecond of its 24 hours and not in the one after, read and written', async () => {
    const scope = newScope();
    const create = (response: object) => store().insertOnce(scope, record(scope), key, response);
    const answer = async () => (await store().findFirstResponse(scope, key))?.answer;
    await create({ name: 'first' });
    const steps: [milliseconds: number, counts: boolean][] = [
      [0, true],
      [1, true],
      [day - 3, true],
      [1, true],
      [1, false],
      [day, false],
    ];
    for (const [milliseconds, counts] of steps) {
      clock.advance(milliseconds);
      expect(await answer()).toBe(counts ? '{"name":"first"}' : undefined);
      if (counts) await expect(create({ name: 'second' })).rejects.toBeInstanceOf(IdempotencyKeyUsed);
    }
    await create({ name: 'second' });
    expect(await answer()).toBe('{"name":"second"}');
  });

  it('makes again in the very millisecond in which its 24 hours are over', async () => {
    const scope = newScope();
    await store().insertOnce(scope, record(scope), key, { name: 'first' });
    clock.advance(day);
    await store().insertOnce(scope, record(scope), key, { name: 'second' });
    expect((await store().findFirstResponse(scope, key))?.answer).toBe('{"name":"second"}');
  });
});
