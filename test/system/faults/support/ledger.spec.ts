import type { Exchange } from './exchange.js';
import { recoveryAfter } from './ledger.js';

/** Creates an exchange with a start time, a duration and a status. */
function request(sentAt: number, milliseconds = 10, status = 200): Exchange {
  return { purpose: 'list of teams', sentAt, milliseconds, status, headers: {}, text: '' };
}

/** One served request every tenth of a second. */
function served(from: number, to: number): Exchange[] {
  return Array.from({ length: Math.ceil((to - from) / 100) }, (_, index) => request(from + index * 100));
}

describe('the time to recover', () => {
  it.each<[string, Exchange[], number | undefined]>([
    ['is zero without an effect', served(0, 3_000), 0],
    ['ends with the last rejection', [...served(0, 900), request(900, 300, 503), ...served(1_200, 4_000)], 1_200],
    ['ends with the last delayed request', [...served(0, 500), request(600, 2_400), ...served(3_000, 5_000)], 3_000],
    ['includes requests sent before the fault', [request(-50, 2_450), ...served(2_450, 5_000)], 2_400],
    ['is unknown if each second had a rejection', [request(500, 10, 503), request(1_400, 10, 503)], undefined],
    ['is unknown if nothing was sent afterwards', [request(500, 10, 503)], undefined],
  ])('%s', (_what, exchanges, expected) => {
    expect(recoveryAfter(0, exchanges)).toBe(expected);
  });

  it('accepts responses that are as slow as before the fault', () => {
    const slow = [request(0, 1_400), request(500, 1_400), request(1_400, 1_400)];
    expect(recoveryAfter(0, slow)).toBeUndefined();
    expect(recoveryAfter(0, slow, 1_400)).toBe(0);
  });
});
