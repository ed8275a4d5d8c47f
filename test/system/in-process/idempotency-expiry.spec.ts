import type { OrganizationScope } from '../../../src/common/context/request-context.js';
import { newRecordId } from '../../../src/database/record.js';
import type { IdempotencyKey } from '../../../src/common/context/request-context.js';
import type { IdempotentRecord } from '../../../src/idempotency/idempotent-record.schema.js';
import { IdempotencyKeyUsed } from '../../../src/idempotency/idempotent.repository.js';
import { PlayersRepository } from '../../../src/modules/players/players.repository.js';
import { SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { TeamsRepository } from '../../../src/modules/teams/teams.repository.js';
import { newScope, FixedClock, TestApplication } from '../../support/application.js';
import { buildPlayerRecord, buildScheduleRecord, buildTeamRecord } from '../../support/records.js';

const day = 24 * 60 * 60 * 1_000;
const key: IdempotencyKey = { scope: 'POST /records', keyHash: 'hash of the key', fingerprint: 'hash of the body' };

/** The common methods of the three repositories. */
interface Store {
  insertIdempotent(
    scope: OrganizationScope,
    record: IdempotentRecord,
    key: IdempotencyKey,
    response: object,
  ): Promise<void>;
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

describe.each(routes)('the idem-key that created %s', (_, store, record) => {
  it('is valid for 24 hours to the millisecond, for reads and writes', async () => {
    const scope = newScope();
    const create = (response: object) => store().insertIdempotent(scope, record(scope), key, response);
    const storedBody = async () => (await store().findFirstResponse(scope, key))?.answer;
    await create({ name: 'first' });
    const steps: [milliseconds: number, isValid: boolean][] = [
      [0, true],
      [1, true],
      [day - 3, true],
      [1, true],
      [1, false],
      [day, false],
    ];
    for (const [milliseconds, isValid] of steps) {
      clock.advance(milliseconds);
      expect(await storedBody()).toBe(isValid ? '{"name":"first"}' : undefined);
      if (isValid) await expect(create({ name: 'second' })).rejects.toBeInstanceOf(IdempotencyKeyUsed);
    }
    await create({ name: 'second' });
    expect(await storedBody()).toBe('{"name":"second"}');
  });

  it('creates again exactly 24 hours later', async () => {
    const scope = newScope();
    await store().insertIdempotent(scope, record(scope), key, { name: 'first' });
    clock.advance(day);
    await store().insertIdempotent(scope, record(scope), key, { name: 'second' });
    expect((await store().findFirstResponse(scope, key))?.answer).toBe('{"name":"second"}');
  });
});
