import { PacedTurns } from './paced-turns.js';

const pace = { milliseconds: 1_000, waiting: 3 };

describe('PacedTurns', () => {
  let turns: PacedTurns;
  let begun: string[];

  beforeEach(() => {
    jest.useFakeTimers();
    turns = new PacedTurns(pace);
    begun = [];
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  /** Comes under a name; notes when it goes on, or that it was sent away. */
  const come = (who: string, name = 'an email') =>
    turns.take(name).then((went) => {
      begun.push(went ? who : `${who} sent away`);
    });
  const pass = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);

  it('lets the first one go on at once, and the others one by one, each a second after the one before', async () => {
    for (const who of ['a', 'b', 'c', 'd']) void come(who);
    await pass(0);
    expect(begun).toEqual(['a']);
    await pass(999);
    expect(begun).toEqual(['a']);
    await pass(1);
    expect(begun).toEqual(['a', 'b']);
    await pass(999);
    expect(begun).toEqual(['a', 'b']);
    await pass(1_001);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('sends away, at once, who comes while three wait; and takes the next one as soon as one went on', async () => {
    for (const who of ['a', 'b', 'c', 'd', 'e']) void come(who);
    await pass(0);
    expect(begun).toEqual(['a', 'e sent away']);
    await pass(1_000);
    void come('f');
    void come('g');
    await pass(0);
    expect(begun).toEqual(['a', 'e sent away', 'b', 'g sent away']);
    await pass(3_000);
    expect(begun.slice(4)).toEqual(['c', 'd', 'f']);
  });

  it('keeps the pace also for who comes within the second after the last one went on', async () => {
    void come('a');
    await pass(400);
    void come('b');
    await pass(599);
    expect(begun).toEqual(['a']);
    await pass(1);
    expect(begun).toEqual(['a', 'b']);
    await pass(500);
    void come('c');
    await pass(499);
    expect(begun).toEqual(['a', 'b']);
    await pass(1);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('lets who comes a second later go on at once', async () => {
    void come('a');
    await pass(1_000);
    void come('b');
    await pass(0);
    expect(begun).toEqual(['a', 'b']);
  });

  it('does not hold up one name for another', async () => {
    for (const name of ['one', 'two', 'three']) void come(name, name);
    await pass(0);
    expect(begun).toEqual(['one', 'two', 'three']);
  });

  it('forgets the names whose second is over: what it keeps is bounded by what comes within it', async () => {
    const { lines } = turns as unknown as { lines: Map<string, unknown> };
    for (let name = 0; name < 500; name++) void come(String(name), String(name));
    await pass(0);
    expect(lines.size).toBe(500);
    await pass(1_000);
    void come('another', 'another');
    expect(lines.size).toBe(1);
  });

  it('does not forget a name under which somebody waits', async () => {
    for (const who of ['a', 'b', 'c']) void come(who);
    await pass(1_000);
    void come('another', 'another');
    void come('d');
    await pass(1_999);
    expect(begun).toEqual(['a', 'b', 'another', 'c']);
    await pass(1);
    expect(begun).toEqual(['a', 'b', 'another', 'c', 'd']);
  });
});
