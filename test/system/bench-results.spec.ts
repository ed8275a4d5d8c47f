import path from 'node:path';

interface Turn {
  perSecond: number;
  p50: number;
  p99: number;
  server: number;
  mongod: number;
  client: number;
}
interface Outcome {
  label: string;
  medians: Record<string, Turn>;
  ratios: Record<string, Turn>;
  met: Record<string, boolean>;
}
interface Start {
  ready: number;
  idle: number;
}

const load = (file: string): Promise<unknown> => import(path.resolve(__dirname, '../../bench/compare', file));
const turn = (perSecond: number, p99 = 10, server = 1): Turn => ({
  ...{ perSecond, p50: 5, p99, server, mongod: 1, client: 0.1 },
});

describe("the bench's results", () => {
  let outcomeOf: (label: string, connections: number, turns: Record<string, Turn[]>) => Outcome;
  let footprintOf: (
    starts: Record<string, Start[]>,
    most: Record<string, number>,
  ) => { met: Record<string, boolean>; footprint: Record<string, unknown> };
  let betweenMarks: (text: string, section: string, content: string) => string;

  beforeAll(async () => {
    ({ outcomeOf, footprintOf } = (await load('outcome.js')) as {
      outcomeOf: typeof outcomeOf;
      footprintOf: typeof footprintOf;
    });
    ({ betweenMarks } = (await load('../support/figures.js')) as { betweenMarks: typeof betweenMarks });
  });

  it('compare within each round, so that other load on the machine affects both sides', () => {
    const turns = { ours: [turn(10), turn(100), turn(90)], express: [turn(20), turn(50), turn(100)] };
    const { medians, ratios } = outcomeOf('GET /teams', 8, turns);
    expect([medians['ours']?.perSecond, medians['express']?.perSecond]).toEqual([90, 50]);
    expect(ratios['express']?.perSecond).toBe(0.9);
  });

  it('use the mean of the two middle rounds for an even number of rounds', () => {
    const turns = { ours: [turn(10), turn(40), turn(20), turn(30)], express: [turn(10), turn(10), turn(10), turn(10)] };
    const { medians, ratios } = outcomeOf('GET /teams', 8, turns);
    expect([medians['ours']?.perSecond, ratios['express']?.perSecond]).toEqual([25, 2.5]);
  });

  it.each([
    [100, 10, 1.05, { express: true, fastify: true, parse: true, p99: true, server: true }],
    [99, 10, 1, { express: false, fastify: true, parse: false, p99: true, server: true }],
    [94, 11, 1.06, { express: false, fastify: false, parse: false, p99: false, server: false }],
  ])(
    'show which goals are met with %d requests/s, a p99 of %d ms and %d ms of CPU time',
    (perSecond, p99, server, met) => {
      const turns = {
        ours: [turn(perSecond, p99, server)],
        express: [turn(100)],
        fastify: [turn(100)],
        parse: [turn(50)],
      };
      expect(outcomeOf('GET /teams', 8, turns).met).toEqual(met);
    },
  );

  it('show whether memory and startup meet the goals', () => {
    const started = (ready: number) => ({ ours: [{ ready, idle: 149 }], express: [{ ready: 300, idle: 60 }] });
    expect(footprintOf(started(1_500), { ours: 250, express: 100 }).met).toEqual({ ready: true, load: true });
    expect(footprintOf(started(1_501), { ours: 251, express: 100 }).met).toEqual({ ready: false, load: false });
  });

  it('replace only the text between the marks of the page', () => {
    const page = 'Before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nAfter';
    expect(betweenMarks(page, 'bench', 'new')).toBe('Before\n<!-- bench:begin -->\n\nnew\n\n<!-- bench:end -->\nAfter');
    expect(() => betweenMarks('Before', 'bench', 'new')).toThrow('missing');
  });
});
