import { completeCounters } from './counters.js';
import { statisticsCategories, statisticsTable } from './statistics-table.js';

/** Which counters and rates each category has, and their limits: openapi/public.json, which documents.spec.ts compares. */
describe('the table of statistics', () => {
  const definitions = Object.values(statisticsTable).flatMap(({ counters }) => Object.entries(counters));

  it('has the five categories in the order of the answers', () => {
    expect(statisticsCategories).toEqual(['qb', 'offensive', 'defensive', 'punt', 'return']);
  });

  it('lets yards and longests be negative, but no other counter and not the yards of sacks', () => {
    const negative = definitions.filter(([, { minimum }]) => minimum < 0).map(([name]) => name);
    const expected = definitions.map(([name]) => name).filter((name) => /yards|^longest/i.test(name));
    expect(negative).toEqual(expected.filter((name) => !name.startsWith('sackYards')));
  });

  it('counts only sacks and flag pulls in steps of 0.5', () => {
    const halved = definitions.filter(([, { step }]) => step !== 1).map(([name]) => name);
    expect(halved).toEqual(['flagPulls', 'sacks']);
  });

  it('bounds exactly the counters named longest at 110', () => {
    const bounded = definitions.filter(([, { maximum }]) => maximum === 110).map(([name]) => name);
    expect(bounded).toEqual(definitions.map(([name]) => name).filter((name) => name.startsWith('longest')));
  });
});

describe('completeCounters', () => {
  it('returns all counters in order, null if not sent, and no others', () => {
    const complete = completeCounters('punt', { touchbacks: 0, punts: 3, completions: 1 });
    expect(Object.keys(complete)).toEqual(Object.keys(statisticsTable.punt.counters));
    expect(complete).toMatchObject({ punts: 3, puntYards: null, touchbacks: 0 });
  });

  it('makes -0 a 0', () => {
    expect(completeCounters('punt', { puntYards: -0 })['puntYards']).toBe(0);
  });
});
