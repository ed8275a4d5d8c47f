import { logLines, preload } from '../support/preload.js';
import { ServerProcess } from '../support/server-process.js';
import { RunningServer } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';

const fault = `const fault = () => {
  const root = Object.assign(new Error('the disk is full'), { code: 'ENOSPC', secret: ['hunter', 2].join('') });
  return new TypeError('it broke', { cause: new Error('no page', { cause: root }) });
};`;

describe('an unhandled error', () => {
  let server: RunningServer | undefined;

  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  it('is logged in one fatal line with all causes, and the server exits with 1', async () => {
    server = await RunningServer.start(preload(`${fault} process.on('SIGUSR2', () => void Promise.reject(fault()));`));
    expect(await server.end('SIGUSR2')).toBe(1);
    const [line, ...more] = logLines(server.log, { level: 'fatal' });
    expect(more).toEqual([]);
    expect(line).toEqual({
      level: 'fatal',
      time: expect.any(String) as string,
      msg: 'Unhandled error: the server exits',
      err: {
        type: 'TypeError',
        message: 'it broke: no page: the disk is full',
        stack: expect.stringMatching(
          /^TypeError: it broke\n {4}at [^]*caused by: Error: no page\n {4}at [^]*caused by: Error: the disk is full\n {4}at /,
        ) as string,
      },
    });
    expect(server.log).not.toContain('hunter2');
    // Only the line, without other text.
    expect(server.log.split('\n').filter((each) => each !== '' && !each.startsWith('{'))).toEqual([]);
  });

  it('is logged, too, if it is not an Error or occurs during the shutdown', async () => {
    server = await RunningServer.start({
      ...preload(`process.on('SIGTERM', () => setTimeout(() => { throw null; }, 50));`),
      STOP_DELAY_SECONDS: '5',
    });
    expect(await server.end('SIGTERM')).toBe(1);
    expect(logLines(server.log, { level: 'fatal' })).toMatchObject([{ err: { type: 'object', message: 'null' } }]);
  });

  it('at startup is handled in the same way', async () => {
    const code = `import http from 'node:http'; http.Server.prototype.listen = () => { throw new Error('it broke'); };`;
    const started = await ServerProcess.spawn({ MONGODB_URI: testDatabaseUri(), ...preload(code) });
    expect(await started.ended).toBe(1);
    expect(logLines(started.log, { level: 'fatal' })).toMatchObject([{ err: { message: 'it broke' } }]);
    await started.remove();
  });
});
