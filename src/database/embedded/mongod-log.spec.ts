import { explainFailure } from './mongod-log.js';

const line = (severity: string, msg: string, attr?: object): string => JSON.stringify({ s: severity, msg, attr });
const started = line('I', 'MongoDB starting', { pid: 1 });
const goingDown = line('I', 'Shutting down', { exitCode: 100 });

describe('why mongod ended, from its log', () => {
  it('knows that another mongod works on the folder', () => {
    const error =
      'DBPathInUse: Unable to lock the lock file: /data/mongod.lock. Another mongod instance is already running';
    const log = [started, line('E', 'DBException in initAndListen, terminating', { error }), goingDown].join('\n');
    expect(explainFailure(log)).toEqual({
      kind: 'folder-in-use',
      detail: `DBException in initAndListen, terminating: ${error}`,
    });
  });

  it('knows that somebody else took the port', () => {
    const error = { code: 9001, codeName: 'SocketException', errmsg: 'Address already in use' };
    const log = [started, line('E', 'Error setting up listener', { error }), goingDown].join('\n');
    expect(explainFailure(log)).toEqual({
      kind: 'port-taken',
      detail: 'Error setting up listener: Address already in use',
    });
  });

  it('tells of a full disk, not of the assertions that follow', () => {
    const message = { error_str: 'x', msg: 'WiredTigerLog.01: handle-write: pwrite: No space left on device' };
    const log = [
      line('W', 'Access control is not enabled for the database'),
      line('E', 'WiredTiger error message', { error: 22, message: { msg: 'the process must exit and restart' } }),
      line('E', 'WiredTiger error message', { error: 28, message }),
      line('F', '\n\n***aborting after fassert() failure\n\n'),
    ].join('\n');
    expect(explainFailure(log).detail).toBe(
      'WiredTiger error message: WiredTigerLog.01: handle-write: pwrite: No space left on device',
    );
  });

  it('tells of data files of another version, which mongod only warns of', () => {
    const log = [
      line('E', 'WiredTiger error message', { message: { msg: 'unexpected file' } }),
      line(
        'W',
        'Failed to start up WiredTiger under any compatibility version. It may be an unsupported upgrade or downgrade.',
      ),
      line('F', 'Fatal assertion', { msgid: 28595, file: 'a.cpp' }),
    ].join('\n');
    expect(explainFailure(log).detail).toMatch(/unsupported upgrade or downgrade/);
  });

  it('takes the first error where it knows none of them', () => {
    const log = [started, line('E', 'Cause', { error: 'one' }), line('F', 'Consequence')].join('\n');
    expect(explainFailure(log)).toEqual({ kind: 'other', detail: 'Cause: one' });
  });

  it('tells what a mongod says that does not come as far as a log', () => {
    expect(explainFailure('mongod: error while loading shared libraries: libcrypto.so.3\n').detail).toBe(
      'mongod: error while loading shared libraries: libcrypto.so.3',
    );
  });

  it('tells what Node says when it could not run the keeper', () => {
    const log =
      "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module '/x/keeper.js'\n    at f\n";
    expect(explainFailure(log).detail).toBe("Error: Cannot find module '/x/keeper.js'");
  });

  it('passes over a line that was cut off, and says nothing about an empty log', () => {
    expect(explainFailure(`${line('E', 'Cause')}\n{"t":{"$da`).detail).toBe('Cause');
    expect(explainFailure('')).toEqual({ kind: 'other', detail: '' });
  });
});
