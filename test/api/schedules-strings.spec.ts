import type { Response } from 'supertest';
import { expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { patchSchedule, postSchedule, readSchedule, defaultStart } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

type Verb = 'POST' | 'PATCH';

/** The string fields with their maximum lengths in code points, and the requests that accept them. */
const stringFields: [field: string, max: number, verbs: Verb[]][] = [
  ['teamTwoName', 120, ['POST', 'PATCH']],
  ['locationName', 200, ['POST']],
  ['placeId', 200, ['POST']],
  ['tournamentId', 100, ['POST']],
  ['practiceNote', 2000, ['POST', 'PATCH']],
  ['eventTitle', 255, ['PATCH']],
];
const cases = stringFields.flatMap(([field, max, verbs]) =>
  verbs.map((verb): [Verb, string, number] => [verb, field, max]),
);

describe('the strings of a schedule', () => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: Stored;
  let opponent: Stored;

  beforeAll(async () => {
    server = await RunningServer.shared();
    organization = await createOrganization(server);
    team = await organization.team();
    opponent = await organization.team({ name: 'Foxes' });
  });
  afterAll(() => server.stop());

  describe.each(cases)('%s %s', (verb, field, max) => {
    async function send(text: string): Promise<Response> {
      if (verb === 'PATCH') {
        const schedule = await organization.schedule(team._id);
        return patchSchedule(organization, schedule._id, { teamId: team._id, [field]: text });
      }
      const minimal = { teamId: team._id, startDate: defaultStart, teamTwoId: opponent._id };
      return postSchedule(organization, { ...minimal, [field]: text });
    }

    async function expectStored(text: string, kept: string): Promise<void> {
      const response = await send(text);
      expect(response.status).toBe(verb === 'POST' ? 201 : 200);
      expect((response.body as Stored)[field]).toBe(kept);
      expect((await readSchedule(organization, (response.body as Stored)._id))[field]).toBe(kept);
    }

    it('are trimmed, keeping inner white space', () => expectStored(' \t\n Los  Ángeles \u00a0\ufeff', 'Los  Ángeles'));

    it(`have at most ${max} characters`, async () => {
      await expectStored('x'.repeat(max), 'x'.repeat(max));
      expectFieldError(await send('x'.repeat(max + 1)), field);
    });

    it('are counted in code points: an emoji is one character', async () => {
      await expectStored('🏈'.repeat(max), '🏈'.repeat(max));
      expectFieldError(await send('🏈'.repeat(max + 1)), field);
    });

    it('are measured after trimming', () => expectStored(`   ${'x'.repeat(max)}   `, 'x'.repeat(max)));

    it.each(['$startDate', '$$ROOT', '{{name}}', '<b>"it\'s"</b>', '.', '__proto__', 'é e\u0301 👩‍👩‍👧', 'null'])(
      'are stored literally: %p',
      (text) => expectStored(text, text),
    );

    it.each(['\u0000', '\u0007', '\u001b', '\u007f', '\u0085', '\u009f'])(
      'cannot contain the control character %j',
      async (character) => {
        expectFieldError(await send(`a${character}b`), field);
      },
    );

    it.each(['a\ud800', '\udc00a', 'a\udc00\ud800b'])('cannot contain the lone surrogate in %j', async (text) => {
      expectFieldError(await send(text), field);
    });

    if (field === 'practiceNote') {
      it('can contain tabs and newlines', () =>
        expectStored('Bring:\n\t- cones\n\t- water', 'Bring:\n\t- cones\n\t- water'));
    } else {
      it.each(['\t', '\n', '\r'])('cannot contain %j', async (character) => {
        expectFieldError(await send(`a${character}b`), field);
      });
    }
  });

  it.each(['', ' ', '\t\n', '\u00a0', '\u200b', '\u3164', '\u2800'])(
    'PATCH rejects the blank teamTwoName %j and keeps the stored one',
    async (blank) => {
      const schedule = await organization.schedule(team._id);
      const change = { teamId: team._id, teamTwoName: blank };
      expectFieldError(await patchSchedule(organization, schedule._id, change), 'teamTwoName');
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    },
  );
});
