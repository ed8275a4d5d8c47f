import fc from 'fast-check';
import { AdmissionControl, type RefusalReason, type Visit } from './admission-control.js';

/** A control with a clock and a next turn of the loop that the test moves, and what became of each request. */
function aControl(over: Partial<ConstructorParameters<typeof AdmissionControl>[0]> = {}) {
  let now = 0;
  const soon: (() => void)[] = [];
  const control = new AdmissionControl(
    { few: 4, most: 64, waiting: 16, outside: 16, ...over },
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

  it('lets a burst wait for three seconds, and what comes to a queue that has stood for two, for one', () => {
    const { control, outcomes, arrive, pass } = aControl();
    const after = (milliseconds: number) => {
      pass(milliseconds);
      control.tick(1);
      return outcomes.slice(2);
    };
    for (const name of ['1', '2', 'burst']) arrive('a', name);
    pass(1_999);
    arrive('a', 'still burst');
    pass(1);
    arrive('a', 'standing');
    expect(after(999)).toEqual([]);
    expect(after(1)).toEqual(['burst late', 'standing late']);
    expect(after(1_998)).toHaveLength(2);
    expect(after(1)).toEqual(['burst late', 'standing late', 'still burst late']);
    // It was empty: what comes now is a burst again.
    arrive('a', 'new burst');
    expect(after(2_999)).toHaveLength(3);
    expect(after(1).at(-1)).toBe('new burst late');
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

  it('counts nothing for a request whose body is on its way, and counts it again when it is there', async () => {
    const { control, arrive } = aControl();
    const visit = arrive('a');
    visit.stepOut();
    visit.stepOut();
    expect(control.inService).toBe(0);
    expect([await visit.stepBack(), await visit.stepBack()]).toEqual([true, true]);
    expect(control.inService).toBe(1);
    visit.stepOut();
    visit.leave();
    expect(await visit.stepBack()).toBe(false);
    expect(control.inService).toBe(0);
  });

  it('lets bodies that are here back in turns, no more than may be in service, and refuses none for want of places', async () => {
    const { control, arrive, turn, pass } = aControl({ waiting: 4, outside: 100 });
    const visits = Array.from({ length: 20 }, () => {
      const visit = arrive('a');
      visit.stepOut();
      return visit;
    });
    const back: string[] = [];
    const returns = visits.map((visit, place) => visit.stepBack().then((isIn) => back.push(`${place} ${isIn}`)));
    expect([control.inService, control.waiting]).toEqual([2, 18]);
    visits[0]?.leave();
    visits[1]?.leave();
    turn();
    expect([control.inService, control.waiting]).toEqual([2, 16]);
    visits[4]?.leave();
    pass(3_000);
    control.tick(1);
    await Promise.all(returns);
    expect(back.filter((each) => each.endsWith('true'))).toEqual(['0 true', '1 true', '2 true', '3 true']);
    expect(back).toHaveLength(20);
    expect(control.waiting).toBe(0);
  });

  it('lets nobody have bodies on their way without bound: beyond it they keep their place in service', () => {
    const { control, arrive } = aControl({ outside: 8 });
    for (let i = 0; i < 30; i++) arrive('crowd').stepOut();
    // Four of eight are outside, two in service.
    expect(control.inService).toBe(2);
    const other = arrive('other');
    other.stepOut();
    expect(control.inService).toBe(2);
    other.leave();
  });

  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ arrives: fc.constantFrom('a', 'b', 'c', 'd') }) },
    {
      weight: 6,
      arbitrary: fc.record({ of: fc.nat(), does: fc.constantFrom('leave', 'stopWaiting', 'stepOut', 'stepBack') }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ passes: fc.nat(1_200), utilization: fc.double({ min: 0, max: 1, noNaN: true }) }),
    },
    { weight: 2, arbitrary: fc.constant('turn' as const) },
  );

  it('keeps its bounds, calls or refuses everybody once, and holds nothing when all are gone, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const { control, arrive, turn, pass, outcomes } = aControl({ few: 2, most: 8, waiting: 6, outside: 10 });
        const visits: Visit[] = [];
        for (const each of steps) {
          if (each === 'turn') turn();
          else if ('arrives' in each) visits.push(arrive(each.arrives, `${visits.length}`));
          else if ('passes' in each) {
            pass(each.passes);
            control.tick(each.utilization);
          } else if (visits.length > 0) visits[each.of % visits.length]?.[each.does as 'leave']();
          // At the door, and back from outside.
          expect(control.waiting).toBeLessThanOrEqual(6 + 10);
          expect(control.inService).toBeGreaterThanOrEqual(0);
          expect(control.inService).toBeLessThanOrEqual(8);
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
