import { downloadedShare } from './fetch-download.js';

describe('the progress of a download', () => {
  it('is read from the lines of mongodb-memory-server', () => {
    expect(downloadedShare('Downloading MongoDB "7.0.28": 42.7% (30.1mb / 70.5mb)\r')).toBe(42);
    expect(downloadedShare('Downloading MongoDB "7.0.28": 100% (70.5mb / 70.5mb)\r')).toBe(100);
  });

  it('is null for any other line', () => {
    expect(downloadedShare('mongod: /home/someone/50% (off)/mongod')).toBeNull();
  });
});
