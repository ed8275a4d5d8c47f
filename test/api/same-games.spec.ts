import { type Stored, TestOrganization } from '../support/organization.js';
import { bodyOf } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server, beforeEach);
let hawks: Stored;
let foxes: Stored;

beforeEach(async () => {
  hawks = await organization.team({ name: 'Hawks' });
  foxes = await organization.team({ name: 'Foxes' });
});

const startDate = '2027-05-01T10:00:00Z';
const home = () => ({ teamId: hawks._id, teamTwoId: foxes._id, startDate });
const away = () => ({ teamId: foxes._id, teamTwoId: hawks._id, startDate });
const create = (fields: object) => organization.call('post', '/schedules').send(fields).expect(201);
const warningsOf = async (sent: ReturnType<typeof create>) => bodyOf(await sent)['warnings'];
const bulk = async (rows: object[], fields: object = {}) => {
  const sent = { rows, ...fields };
  return (await organization.call('post', '/schedules/bulk').send(sent).expect(200)).body as { data: Stored[] };
};
const sameAs = (game: { _id: string }) => [
  expect.objectContaining({ code: 'sameGame', scheduleId: game._id }) as unknown,
];

describe('a second game of the same teams at the same time', () => {
  it.each<[string, () => object]>([
    ['the same side', home],
    ['the other side', away],
  ])('is created from %s, with a warning that names the first one', async (_side, second) => {
    const first = bodyOf(await create(home()));
    expect(first).not.toHaveProperty('warnings');
    expect(await warningsOf(create(second()))).toEqual(sameAs(first));
  });

  it('is named by bulk rows and upserts, each time, also in a dry run', async () => {
    const first = bodyOf(await create(away()));
    const rows = [
      { externalId: 'game-1', ...home() },
      { externalId: 'game-2', ...home(), startDate: '2027-05-01T11:00:00Z' },
    ];
    const dry = await bulk(rows, { dryRun: true });
    expect(dry.data.map(({ result, warnings }) => [result, warnings])).toEqual([
      ['created', sameAs(first)],
      ['created', undefined],
    ]);
    for (const result of ['created', 'unchanged']) {
      const { data } = await bulk(rows);
      expect(data.map((row) => [row['result'], row['warnings']])).toEqual([
        [result, sameAs(first)],
        [result, undefined],
      ]);
    }
    const upsert = organization.call('patch', '/schedules/by-external-id/game-1').send({ locationName: 'Park' });
    expect(bodyOf(await upsert.expect(200))['warnings']).toEqual(sameAs(first));
  });

  it('in one request names each other', async () => {
    const { data } = await bulk([
      { externalId: 'game-1', ...home() },
      { externalId: 'game-2', ...away() },
    ]);
    expect(data.map(({ warnings }) => warnings)).toEqual(data.toReversed().map(sameAs));
  });

  it('has no warning if it is a practice, deleted, against a guest, or at another time', async () => {
    await create({ ...home(), eventType: 'practice' });
    await create({ ...home(), startDate: '2027-05-01T10:01:00Z' });
    await create({ teamId: hawks._id, teamTwoName: 'TBD', startDate });
    const deleted = bodyOf(await create(home()));
    await organization.call('delete', `/schedules/${deleted._id}?teamId=${hawks._id}`).expect(200);
    expect(await warningsOf(create(away()))).toBeUndefined();
    expect(await warningsOf(create({ teamId: hawks._id, teamTwoName: 'TBD', startDate }))).toBeUndefined();
  });

  it('replays its warning with its idem-key', async () => {
    const first = bodyOf(await create(home()));
    const again = () => create(away()).set('idem-key', 'a-game');
    expect([await warningsOf(again()), await warningsOf(again())]).toEqual([sameAs(first), sameAs(first)]);
  });
});
