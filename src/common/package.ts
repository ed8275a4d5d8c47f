import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The folder of the package, which holds `openapi`, `docs` and `dist`. This file's source, its compiled form and the bundle all lie
 * two levels below it.
 */
export const packageRoot = path.resolve(import.meta.dirname, '../..');

/** The server's version, read from package.json. */
export const { version } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
  version: string;
};
