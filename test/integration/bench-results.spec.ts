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
const turn = (perSecond: number, p99 = 10): Turn => ({ perSecond, p50: 5, p99, server: 1, mongod: 1, client: 0.1 });

describe("the bench's results", () => {
  let outcomeOf: (operation: { label: string; least: number }, turns: Record<string, Turn[]>) => Outcome;
  let footprintOf: (
    starts: Record<string, Start[]>,
    most: Record<string, number>,
  ) => { met: Record<string, boolean>; footprint: Record<string, unknown> };
  let plotOf: (outcomes: Outcome[]) => string;
  let tablesOf: (result: Record<'outcomes' | 'machine' | 'how', unknown>) => string;
  let betweenMarks: (text: string, content: string) => string;

  beforeAll(async () => {
    ({ outcomeOf, footprintOf } = (await load('outcome.js')) as {
      outcomeOf: typeof outcomeOf;
      footprintOf: typeof footprintOf;
    });
    ({ plotOf } = (await load('plot.js')) as { plotOf: typeof plotOf });
    ({ tablesOf } = (await load('report.js')) as { tablesOf: typeof tablesOf });
    ({ betweenMarks } = (await load('between-marks.js')) as { betweenMarks: typeof betweenMarks });
  });

  it('compare within each round, so that what slows the machine slows both sides of a pair', () => {
    const turns = { ours: [turn(10), turn(100), turn(90)], express: [turn(20), turn(50), turn(100)] };
    const { medians, ratios } = outcomeOf({ label: 'GET /teams', least: 1 }, turns);
    expect([medians['ours']?.perSecond, medians['express']?.perSecond]).toEqual([90, 50]);
    expect(ratios['express']?.perSecond).toBe(0.9);
  });

  it.each([
    [1, 100, 10, { express: true, p99: true, parse: true, parseRules: true }],
    [1, 99, 10, { express: false, p99: true, parse: false, parseRules: true }],
    [0.8, 80, 11, { express: true, p99: false, parse: false, parseRules: true }],
    [0.8, 79, 10, { express: false, p99: true, parse: false, parseRules: false }],
  ])('say at a least ratio of %d whether %d requests a second and a p99 of %d ms meet the goals', (...given) => {
    const [least, perSecond, p99, met] = given;
    const peers = { express: [turn(100)], parse: [turn(50)], parseRules: [turn(40)] };
    const turns = { ours: [turn(perSecond, p99)], ...peers };
    expect(outcomeOf({ label: 'GET /teams', least }, turns).met).toEqual(met);
  });

  it('take what lies halfway between the two in the middle of an even number of rounds, not the better one', () => {
    const turns = { ours: [turn(10), turn(40), turn(20), turn(30)], express: [turn(10), turn(10), turn(10), turn(10)] };
    const { medians, ratios } = outcomeOf({ label: 'GET /teams', least: 1 }, turns);
    expect([medians['ours']?.perSecond, ratios['express']?.perSecond]).toEqual([25, 2.5]);
  });

  it('mark each Parse Server by itself, the one with the rules and the one without', () => {
    const turns = { ours: [turn(100)], parse: [turn(80)], parseRules: [turn(40)] };
    const outcomes = [outcomeOf({ label: 'GET /teams', least: 1 }, turns)];
    const sizes = { teams: 1, schedules: 1, upcoming: 0, live: 0 };
    const tables = tablesOf({ outcomes, machine: { loadBefore: 0 }, how: { sizes } });
    expect(tables).toContain('| by Parse Server 9 | by Parse Server 9, with the rules |');
    expect(tables).toContain('| 1.25 ✗ | 2.50 ✓ |');
  });

  it('say of memory and start whether the goals are met', () => {
    const starts = { ours: [{ ready: 1_499, idle: 149 }], express: [{ ready: 300, idle: 60 }] };
    expect(footprintOf(starts, { ours: 130, express: 100 }).met).toEqual({ idle: true, ready: true, load: true });
    const worse = { ...starts, ours: [{ ready: 1_500, idle: 150 }] };
    expect(footprintOf(worse, { ours: 131, express: 100 }).met).toEqual({ idle: false, ready: false, load: false });
  });

  it('show in the picture who served how much of what the bare Express server did', () => {
    const outcome = outcomeOf({ label: 'GET <x> & y', least: 1 }, { ours: [turn(150)], express: [turn(100)] });
    const picture = plotOf([outcome]);
    const widths = [...picture.matchAll(/<rect x="230" [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(widths).toHaveLength(2);
    expect((widths[0] ?? 0) / (widths[1] ?? 1)).toBeCloseTo(1.5);
    expect(picture).toContain('1.50 (150)');
    expect(picture).toContain('GET &lt;x&gt; &amp; y');
  });

  it('have a colour in the picture for everybody who has a name', async () => {
    const { labels } = (await load('labels.js')) as { labels: Record<string, string> };
    const turns = Object.fromEntries(Object.keys(labels).map((who) => [who, [turn(1)]]));
    const picture = plotOf([outcomeOf({ label: 'GET /teams', least: 1 }, turns)]);
    const colours = [...picture.matchAll(/<rect x="230" [^>]*fill="(#[0-9a-f]{6})"/g)].map(([, colour]) => colour);
    expect(new Set(colours).size).toBe(Object.keys(labels).length);
  });

  it('replace what stands between the marks of the page, and nothing else', () => {
    const page = 'Before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nAfter';
    expect(betweenMarks(page, 'new')).toBe('Before\n<!-- bench:begin -->\n\nnew\n\n<!-- bench:end -->\nAfter');
    expect(() => betweenMarks('Before', 'new')).toThrow('missing');
  });
});
