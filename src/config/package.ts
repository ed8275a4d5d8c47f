import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Root folder of the package. The source and the compiled file are both two levels below it. */
export const packageRoot = path.resolve(import.meta.dirname, '../..');

const read = (file: string): unknown => JSON.parse(readFileSync(path.join(packageRoot, file), 'utf8'));
const isBuilt = existsSync(path.join(packageRoot, 'dist/build.json'));

export const { version } = read('package.json') as { version: string };
/** The commit that scripts/build.js has recorded. */
const { commit = 'unknown' } = (isBuilt ? read('dist/build.json') : {}) as { commit?: string };
/** The version and commit of this server, in health responses, the log, metrics and traces. */
export const build = { version, commit };
