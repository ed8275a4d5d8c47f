import { checkMongod, parseMongodVersion } from './mongod-version.js';

describe('the version of a mongod', () => {
  it('is read from the first line of its answer', () => {
    expect(parseMongodVersion('db version v6.0.5\nBuild Info: {\n    "version": "6.0.5"\n')).toBe('6.0.5');
    expect(parseMongodVersion('db version v8.0.4-rc0\n')).toBe('8.0.4');
  });

  it('is null for a program that is no mongod', () => {
    expect(parseMongodVersion('v20.20.2\n')).toBeNull();
  });
});

describe('checking a mongod', () => {
  it('gives the version of one that runs', async () => {
    const mongod = process.env['TEST_MONGOD_BINARY'] ?? '';
    expect(await checkMongod(mongod)).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string });
  });

  it('says of a missing file that it is not found', async () => {
    expect(await checkMongod('/nowhere/mongod')).toEqual({ reason: 'not found' });
  });

  it('refuses another program', async () => {
    expect(await checkMongod('/bin/echo')).toEqual({ reason: 'does not answer like a mongod' });
  });
});
