import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../../support/processes.js';
import { freePort } from '../../support/mongod-process.js';
import type { RedisProcess } from './redis-process.js';
import { countTogether, TestCounters } from './test-counters.js';

describe('the hit counter with Redis', () => {
  let counters: TestCounters;

  beforeEach(async () => {
    counters = await TestCounters.onRedis();
  });
  afterEach(() => counters.remove());

  describe('with a password', () => {
    const password = 'p@ss/w:rd %#secret';
    let guarded: RedisProcess;

    beforeEach(async () => {
      guarded = await counters.aRedis(password);
    });

    it('shares counts', async () => {
      await countTogether(await counters.start(guarded.url), await counters.start(guarded.url));
      expect(counters.lines).toEqual([]);
    });

    it.each([
      ['is wrong', (port: number) => `redis://:wrong-secret@127.0.0.1:${port}`],
      ['is correct but Redis has no TLS', (port: number) => `rediss://:wrong-secret@127.0.0.1:${port}`],
    ])('warns once without the password, and counts in the process when it %s', async (_, urlOf) => {
      const written: unknown[] = [];
      const spies = (['log', 'warn', 'error'] as const).map((name) =>
        jest.spyOn(console, name).mockImplementation((...values: unknown[]) => written.push(...values)),
      );
      const counter = await counters.start(urlOf(guarded.port));
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(1);
      await wait(1_500);
      expect((await counter.hit('teams', 'key', 60)).hits).toBe(2);
      spies.forEach((spy) => spy.mockRestore());
      expect(counters.levels).toEqual(['warn']);
      expect(JSON.stringify([counters.lines, written.map(String)])).not.toContain('secret');
    });
  });

  it('does not log a password that a server repeats in its error', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      // Redis before 6 and some proxies repeat the arguments of an unknown command.
      socket.on('data', (data) => {
        for (const command of data
          .toString()
          .split(/^\*\d+\r\n/m)
          .slice(1)) {
          socket.write(`-ERR unknown command, with args: ${command.replace(/\s+/g, ' ')}\r\n`);
        }
      });
    });
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await counters.start(`redis://:top-secret@127.0.0.1:${port}`);
    await eventually('the warning', () => counters.levels.length > 0);
    server.close();
    expect(counters.lines.map(({ details }) => details)).toEqual([{ reason: 'ERR' }]);
    expect(JSON.stringify(counters.lines)).not.toContain('secret');
  });
});
