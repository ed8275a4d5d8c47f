import type { Response } from 'supertest';
import { expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { patchSchedule, postSchedule, readSchedule, defaultStart } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

type Way = 'POST' | 'PATCH';

/** The text fields with their greatest lengths in code points, and the requests that take them. */
const texts: [field: string, max: number, ways: Way[]][] = [
  ['teamTwoName', 120, ['POST', 'PATCH']],
  ['locationName', 200, ['POST']],
  ['placeId', 200, ['POST']],
  ['tournamentId', 100, ['POST']],
  ['practiceNote', 2000, ['POST', 'PATCH']],
  ['eventTitle', 255, ['PATCH']],
];
const cases = texts.flatMap(([field, max, ways]) => ways.map((way): [Way, string, number] => [way, field, max]));

/** Trimming, blanks, control characters, lone surrogates, lengths in code points. */
describe('the texts of a schedule', () => {
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

  describe.each(cases)('%s %s', (way, field, max) => {
    async function send(text: string): Promise<Response> {
      if (way === 'PATCH') {
        const schedule = await organization.schedule(team._id);
        return patchSchedule(organization, schedule._id, { teamId: team._id, [field]: text });
      }
      const least = { teamId: team._id, startDate: defaultStart, teamTwoId: opponent._id };
      return postSchedule(organization, { ...least, [field]: text });
    }

    async function expectKept(text: string, kept: string): Promise<void> {
      const response = await send(text);
      expect(response.status).toBe(way === 'POST' ? 201 : 200);
      expect((response.body as Stored)[field]).toBe(kept);
      expect((await readSchedule(organization, (response.body as Stored)._id))[field]).toBe(kept);
    }

    it('is trimmed, white space within it kept', () => expectKept(' \t\n Los  Ángeles \u00a0\ufeff', 'Los  Ángeles'));

    it(`has at most ${max} characters`, async () => {
      await expectKept('x'.repeat(max), 'x'.repeat(max));
      expectFieldError(await send('x'.repeat(max + 1)), field);
    });

    it('counts code points: an emoji is one character', async () => {
      await expectKept('🏈'.repeat(max), '🏈'.repeat(max));
      expectFieldError(await send('🏈'.repeat(max + 1)), field);
    });

    it('is measured after trimming', () => expectKept(`   ${'x'.repeat(max)}   `, 'x'.repeat(max)));

    it.each(['$startDate', '$$ROOT', '{{name}}', '<b>"it\'s"</b>', '.', '__proto__', 'é e\u0301 👩‍👩‍👧', 'null'])(
      'keeps %p as it is',
      (text) => expectKept(text, text),
    );

    it.each(['\u0000', '\u0007', '\u001b', '\u007f', '\u0085', '\u009f'])(
      'refuses the control character %j',
      async (character) => {
        expectFieldError(await send(`a${character}b`), field);
      },
    );

    it.each(['a\ud800', '\udc00a', 'a\udc00\ud800b'])('refuses the lone surrogate in %j', async (text) => {
      expectFieldError(await send(text), field);
    });

    if (field === 'practiceNote') {
      it('may hold tabs and newlines', () =>
        expectKept('Bring:\n\t- cones\n\t- water', 'Bring:\n\t- cones\n\t- water'));
    } else {
      it.each(['\t', '\n', '\r'])('refuses %j within it', async (character) => {
        expectFieldError(await send(`a${character}b`), field);
      });
    }
  });

  it.each(['', ' ', '\t\n', '\u00a0', '\u200b', '\u3164', '\u2800'])(
    'PATCH refuses the blank teamTwoName %j, and the stored one stays',
    async (blank) => {
      const schedule = await organization.schedule(team._id);
      const change = { teamId: team._id, teamTwoName: blank };
      expectFieldError(await patchSchedule(organization, schedule._id, change), 'teamTwoName');
      expect(await readSchedule(organization, schedule._id)).toEqual(schedule);
    },
  );
});
