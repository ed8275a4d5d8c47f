import { validateOutcome } from './game-outcome.rules.js';

type Outcome = Parameters<typeof validateOutcome>[0];

const fieldsOf = (outcome: Outcome) => validateOutcome(outcome).map(({ field }) => field);
const score = { teamOneScore: 21, teamTwoScore: 0 };
const scores = ['teamOneScore', 'teamTwoScore'];

describe('the outcome of a game', () => {
  it.each([
    ['scheduled', {}, []],
    ['stored before there was a status', { status: undefined }, []],
    ['scheduled with a running score', { status: 'scheduled', ...score }, []],
    ['postponed', { status: 'postponed' }, []],
    ['postponed with scores', { status: 'postponed', ...score }, scores],
    ['cancelled', { status: 'cancelled' }, []],
    ['cancelled with scores', { status: 'cancelled', ...score }, scores],
    ['final with scores', { status: 'final', ...score }, []],
    ['final without scores', { status: 'final' }, scores],
    ['final with one score', { status: 'final', teamOneScore: 0 }, ['teamTwoScore']],
    ['scheduled with one score', { teamTwoScore: 0 }, ['teamOneScore']],
    ['forfeited by a side', { status: 'forfeited', forfeitedBy: 'teamOne' }, []],
    ['forfeited by both, with scores', { status: 'forfeited', forfeitedBy: 'both', ...score }, []],
    ['forfeited with one score', { status: 'forfeited', forfeitedBy: 'both', teamOneScore: 6 }, ['teamTwoScore']],
    ['forfeited without a forfeiting team', { status: 'forfeited' }, ['forfeitedBy']],
    ['final, but forfeited by a side', { status: 'final', forfeitedBy: 'teamTwo', ...score }, ['forfeitedBy']],
  ] as [string, Outcome, string[]][])('can be %s, or names the wrong fields', (_, outcome, wrong) => {
    expect(fieldsOf({ eventType: 'game', status: 'scheduled', ...outcome })).toEqual(wrong);
  });

  it.each([
    ['scheduled', {}, []],
    ['postponed', { status: 'postponed' }, []],
    ['cancelled', { status: 'cancelled' }, []],
    ['final', { status: 'final' }, ['status']],
    ['forfeited', { status: 'forfeited', forfeitedBy: 'both' }, ['status', 'forfeitedBy']],
    ['scheduled with scores', score, scores],
    ['scheduled with a forfeiting side', { forfeitedBy: 'teamOne' }, ['forfeitedBy']],
  ] as [string, Outcome, string[]][])('of a practice can be %s, or names the wrong fields', (_, outcome, wrong) => {
    expect(fieldsOf({ eventType: 'practice', status: 'scheduled', ...outcome })).toEqual(wrong);
  });
});
