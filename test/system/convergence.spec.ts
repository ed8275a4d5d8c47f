import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createOrganization, type Stored } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { type Kind, kindNames, synchronizedRecords } from '../support/synchronized.js';

type Row = Record<string, unknown>;

const server = RunningServer.forTests();

const text = fc.constantFrom('One', 'Two', 'Three');
const start = fc
  .integer({ min: 0, max: 60 * 24 * 40 })
  .map((minutes) => new Date(Date.UTC(2027, 4, 1) + minutes * 60_000));
const duration = fc.constantFrom(20, 30, 40, 50, 60);

/** The fields of rows of each kind. */
const fields: Record<Kind, (teams: readonly string[]) => Record<string, fc.Arbitrary<unknown>>> = {
  team: () => ({ name: text, ageGroup: text, gender: text, isArchived: fc.boolean(), logoUrl: fc.webUrl() }),
  player: () => ({
    name: text,
    email: fc.constant('kim@example.com'),
    jerseyNumber: fc.constantFrom('0', '00', '7'),
    position: fc.constantFrom(['QB'], ['WR', 'DB'], []),
  }),
  schedule: (teams) => ({
    startDate: start.map((date) => date.toISOString()),
    endDate: start.map((date) => new Date(date.getTime() + 86_400_000 * 60).toISOString()),
    duration,
    teamTwoId: fc.constantFrom(...teams),
    teamTwoName: text,
    eventType: fc.constantFrom('game', 'practice'),
    locationName: text,
    practiceNote: text,
    isScrimmage: fc.boolean(),
    enableYardage: fc.boolean(),
    fieldSizeInYard: fc.constantFrom(30, 80),
    timeZone: fc.constantFrom('America/Denver', 'Europe/Kyiv'),
  }),
};
/** Fields that the server computes if a row omits them: an earlier row must not show in them. */
const computed = ['endDate', 'teamTwoName'];

it.each(kindNames)('a row gives the same %s whatever another row has stored before', async (kind) => {
  const organization = await createOrganization(server);
  const records = await synchronizedRecords(kind, organization);
  const teams =
    kind === 'schedule' ? [await organization.team({ name: 'Owls' }), await organization.team({ name: 'Bears' })] : [];
  const arbitraries = fields[kind](teams.map(({ _id }) => _id));
  const optional = fc.record(arbitraries, { requiredKeys: [] });
  const complete = (row: Row): Row => ({
    ...records.body,
    ...('teamTwoId' in row && { teamTwoName: undefined }),
    ...row,
  });
  for (const [earlier, later] of fc.sample(fc.tuple(optional, optional), 30)) {
    // What a row omits keeps its value, unless the server computes it.
    const isComputed = (name: string) =>
      computed.includes(name) || (name === 'fieldSizeInYard' && 'enableYardage' in later);
    const before = Object.entries(earlier).filter(([name]) => name in later || isComputed(name));
    const [twice, once] = [randomUUID(), randomUUID()];
    await records.upsert(twice, complete(Object.fromEntries(before))).expect(201);
    const row = complete(later);
    if (Math.random() < 0.5) await records.upsert(twice, row).expect(200);
    else await records.bulk([{ ...row, externalId: twice }]).expect(200);
    await records.upsert(once, row).expect(201);
    const read = async (externalId: string) => {
      const { data } = (await records.read(`/by-external-id/${externalId}`).expect(200)).body as { data: Stored };
      const { _id, externalId: own, revision, createdAt, updatedAt, changedBy, ...values } = data;
      return values;
    };
    expect([earlier, later, await read(twice)]).toEqual([earlier, later, await read(once)]);
  }
});
