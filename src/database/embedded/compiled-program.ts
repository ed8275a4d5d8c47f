import path from 'node:path';
import { packageRoot } from '../../common/package-root.js';

/**
 * Finds a compiled program of this folder, to run it as a process of its own.
 * @param name its file's name without the ending
 * @returns the path below `dist`, also from the source that Jest runs
 */
export function compiledProgram(name: string): string {
  return path.join(packageRoot, 'dist/database/embedded', `${name}.js`);
}
