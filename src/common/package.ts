import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Root folder of the package. The source, the compiled file and the bundle are all two levels below it. */
export const packageRoot = path.resolve(import.meta.dirname, '../..');

export const { version } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
  version: string;
};
