import { poolSize } from './connection-options.js';

describe('the connections to the database', () => {
  it('are one for each request in service and some beside, but no more than a database can bear', () => {
    expect([poolSize(1), poolSize(256), poolSize(1_000_000)]).toEqual([9, 264, 512]);
  });
});
