import { readFileSync } from 'node:fs';
import path from 'node:path';
import { version } from './version.js';

it('the version that the server tells is that of package.json', () => {
  const file = path.resolve(__dirname, '../../package.json');
  expect((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version).toBe(version);
});
