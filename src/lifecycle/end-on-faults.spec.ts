import { describeFault } from './end-on-faults.js';

describe('what is told of a fault', () => {
  it('has its causes, the nearest first, and nothing of what errors carry beside', () => {
    const root = Object.assign(new RangeError('too far'), { code: 11000, document: { name: 'secret' } });
    const fault = describeFault(new Error('it broke', { cause: new TypeError('no page', { cause: root }) }));
    expect(fault).toMatchObject({ type: 'Error', message: 'it broke' });
    expect(fault.stack).toContain('end-on-faults.spec');
    expect(fault.causes).toEqual([
      { type: 'TypeError', message: 'no page', stack: expect.any(String) as string },
      { type: 'RangeError', message: 'too far', code: 11000, stack: expect.any(String) as string },
    ]);
    expect(JSON.stringify(fault)).not.toContain('secret');
  });

  it('has every error of many', () => {
    const many = new AggregateError([new Error('one'), new Error('two')], 'all failed');
    expect(describeFault(many).causes?.map(({ message }) => message)).toEqual(['one', 'two']);
  });

  it('ends where causes go round, or never end', () => {
    const round = new Error('first');
    round.cause = new Error('second', { cause: round });
    expect(describeFault(round).causes?.map(({ message }) => message)).toEqual(['second']);
    let long = new Error('root');
    for (let depth = 0; depth < 1_000; depth++) long = new Error(`${depth}`, { cause: long });
    expect(describeFault(long).causes).toHaveLength(10);
  });

  it.each([
    ['a text', 'a text', { type: 'string', message: 'a text' }],
    ['nothing', undefined, { type: 'undefined', message: 'undefined' }],
    ['null', null, { type: 'object', message: 'null' }],
    ['an object that is no text', Object.create(null), { type: 'object', message: 'something that is no error' }],
    ['a symbol', Symbol('x'), { type: 'symbol', message: 'Symbol(x)' }],
  ])('is in words where it is no error: %s', (_what, thrown: unknown, told) => {
    expect(describeFault(thrown)).toEqual(told);
  });
});
