import fc from 'fast-check';
import { AdmissionControl, type RefusalReason, type Visit } from './admission-control.js';

/** A control with a clock and a next turn of the loop that the test moves, and what became of each request. */
function aControl(over: Partial<ConstructorParameters<typeof AdmissionControl>[0]> = {}) {
  let now = 0;
  const soon: (() => void)[] = [];
  const control = new AdmissionControl(
    { few: 4, most: 64, waiting: 16, longestWait: 1_000, ...over },
    (work) => soon.push(work),
    () => now,
  );
  const outcomes: string[] = [];
  const turn = () => {
    for (let work = soon.shift(); work !== undefined; work = soon.shift()) work();
  };
  const arrive = (caller: string, name = caller): Visit => {
    const visit = control.visit(caller, {
      begin: () => outcomes.push(`${name} begins`),
      refuse: (reason: RefusalReason) => outcomes.push(`${name} ${reason}`),
    });
    visit.enter();
    return visit;
  };
  return { control, outcomes, arrive, turn, pass: (milliseconds: number) => (now += milliseconds) };
}

describe('admission', () => {
  it('lets a caller alone take half of what may be in service, so that a newcomer begins at once', () => {
    const { control, outcomes, arrive } = aControl();
    for (const name of ['1', '2', '3', '4']) arrive('crowd', name);
    expect([outcomes, control.waiting]).toEqual([['1 begins', '2 begins'], 2]);
    arrive('newcomer');
    expect(outcomes.at(-1)).toBe('newcomer begins');
  });

  it('lets the next one in with the next turn, and not within the call that ends another', () => {
    const { outcomes, arrive, turn } = aControl();
    const [first] = ['1', '2', '3'].map((name) => arrive('a', name));
    first?.leave();
    expect(outcomes).toEqual(['1 begins', '2 begins']);
    turn();
    expect(outcomes).toEqual(['1 begins', '2 begins', '3 begins']);
  });

  it('refuses a crowd beyond its share of the waiting places, and keeps places for others', () => {
    const { control, outcomes, arrive } = aControl();
    for (let i = 0; i < 30; i++) arrive('crowd');
    // Two in service, eight of sixteen places.
    expect([control.inService, control.waiting]).toEqual([2, 8]);
    expect(outcomes.filter((outcome) => outcome === 'crowd share')).toHaveLength(20);
    for (let i = 0; i < 10; i++) arrive('other');
    expect(outcomes.filter((outcome) => outcome === 'other begins')).toHaveLength(1);
    expect(control.waiting).toBeGreaterThan(8);
  });

  it('refuses whoever waited too long', () => {
    const { control, outcomes, arrive, pass } = aControl();
    for (const name of ['1', '2', '3']) arrive('a', name);
    pass(600);
    arrive('a', '4');
    pass(400);
    control.tick(1);
    expect([outcomes.slice(2), control.waiting]).toEqual([['3 late'], 1]);
  });

  it('lets more in while the event loop is at ease', () => {
    const { control, arrive, turn } = aControl();
    for (let i = 0; i < 10; i++) arrive('a');
    control.tick(0.1);
    turn();
    expect(control.inService).toBe(4);
    control.tick(0.1);
    turn();
    expect([control.inService, control.inServiceLimit]).toEqual([8, 16]);
  });

  it('does not serve a request whose client went away while it waited', () => {
    const { control, outcomes, arrive, turn } = aControl();
    const [first, , third] = ['1', '2', '3', '4'].map((name) => arrive('a', name));
    third?.stopWaiting();
    first?.stopWaiting();
    first?.leave();
    turn();
    expect([outcomes, control.inService]).toEqual([['1 begins', '2 begins', '4 begins'], 2]);
  });

  it('counts nothing for a request whose body is on its way, and counts it again when it is there', () => {
    const { control, arrive } = aControl();
    const visit = arrive('a');
    visit.stepOut();
    visit.stepOut();
    expect(control.inService).toBe(0);
    visit.stepBack();
    visit.stepBack();
    expect(control.inService).toBe(1);
    visit.stepOut();
    visit.leave();
    visit.stepBack();
    expect(control.inService).toBe(0);
  });

  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ arrives: fc.constantFrom('a', 'b', 'c', 'd') }) },
    {
      weight: 6,
      arbitrary: fc.record({ of: fc.nat(), does: fc.constantFrom('leave', 'stopWaiting', 'stepOut', 'stepBack') }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ passes: fc.nat(400), utilization: fc.double({ min: 0, max: 1, noNaN: true }) }),
    },
    { weight: 2, arbitrary: fc.constant('turn' as const) },
  );

  it('keeps its bounds, calls or refuses everybody once, and holds nothing when all are gone, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const { control, arrive, turn, pass, outcomes } = aControl({ few: 2, most: 8, waiting: 6 });
        const visits: Visit[] = [];
        for (const each of steps) {
          if (each === 'turn') turn();
          else if ('arrives' in each) visits.push(arrive(each.arrives, `${visits.length}`));
          else if ('passes' in each) {
            pass(each.passes);
            control.tick(each.utilization);
          } else if (visits.length > 0) visits[each.of % visits.length]?.[each.does as 'leave']();
          expect(control.waiting).toBeLessThanOrEqual(6);
          expect(control.inService).toBeGreaterThanOrEqual(0);
        }
        expect(new Set(outcomes.map((outcome) => outcome.split(' ')[0])).size).toBe(outcomes.length);
        for (const visit of visits) visit.leave();
        turn();
        expect([control.inService, control.waiting]).toEqual([0, 0]);
        arrive('afterwards');
        expect(outcomes.at(-1)).toBe('afterwards begins');
      }),
    );
  });

  it('serves everybody who stays, as long as those in service end: no caller starves', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        (by, few) => {
          const { control, arrive, turn, outcomes } = aControl({ few, most: few, waiting: 1_000 });
          const visits = by.map((caller, place) => arrive(caller, `${place}`));
          for (let rounds = 0; rounds <= by.length; rounds++) {
            expect(control.inService).toBeLessThanOrEqual(few);
            for (const outcome of outcomes) visits[Number(outcome.split(' ')[0])]?.leave();
            turn();
          }
          expect(outcomes).toHaveLength(by.length);
        },
      ),
    );
  });
});
