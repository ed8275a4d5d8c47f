import path from 'node:path';

/**
 * The folder of the package, which holds `openapi`, `docs` and `dist`. This file's source, what the compiler makes of it
 * and the bundle that contains it all lie two levels below it.
 */
export const packageRoot = path.resolve(import.meta.dirname, '../..');
