import { causeOfFailure } from './embedded-mongod.js';

const line = (severity: string, msg: string, attr?: object): string => JSON.stringify({ s: severity, msg, attr });
const started = line('I', 'MongoDB starting', { pid: 1 });
const goingDown = line('I', 'Shutting down', { exitCode: 100 });

describe('causeOfFailure', () => {
  it('returns the first error', () => {
    const error = { code: 9001, codeName: 'SocketException', errmsg: 'Address already in use' };
    const log = [started, line('E', 'Error setting up listener', { error }), goingDown].join('\n');
    expect(causeOfFailure(log)).toMatch(/^"msg":"Error setting up listener".*Address already in use/);
  });

  it('returns a full disk, not the assertions that follow', () => {
    const message = { error_str: 'x', msg: 'WiredTigerLog.01: handle-write: pwrite: No space left on device' };
    const log = [
      line('W', 'Access control is not enabled for the database'),
      line('E', 'WiredTiger error message', { error: 22, message: { msg: 'the process must exit and restart' } }),
      line('E', 'WiredTiger error message', { error: 28, message }),
      line('F', '\n\n***aborting after fassert() failure\n\n'),
    ].join('\n');
    expect(causeOfFailure(log)).toMatch(/No space left on device/);
  });

  it('returns incompatible data files, which mongod logs as a warning', () => {
    const log = [
      line('E', 'WiredTiger error message', { message: { msg: 'unexpected file' } }),
      line(
        'W',
        'Failed to start up WiredTiger under any compatibility version. It may be an unsupported upgrade or downgrade.',
      ),
      line('F', 'Fatal assertion', { msgid: 28595, file: 'a.cpp' }),
    ].join('\n');
    expect(causeOfFailure(log)).toMatch(/unsupported upgrade or downgrade/);
  });

  it('returns the output of a mongod that fails before it logs', () => {
    expect(causeOfFailure('mongod: error while loading shared libraries: libcrypto.so.3\n')).toBe(
      'mongod: error while loading shared libraries: libcrypto.so.3',
    );
  });

  it('ignores an incomplete line, and returns nothing for an empty log', () => {
    expect(causeOfFailure(`${line('E', 'Cause')}\n{"t":{"$da`)).toBe('"msg":"Cause"}');
    expect(causeOfFailure('')).toBe('');
  });
});
