import { readFileSync } from 'node:fs';
import path from 'node:path';
import { version } from './package.js';

const textOf = (file: string) => readFileSync(path.resolve(__dirname, '../..', file), 'utf8');

describe("the server's version", () => {
  it('equals that of package.json', () => {
    expect(version).toBe((JSON.parse(textOf('package.json')) as { version: string }).version);
  });
});
