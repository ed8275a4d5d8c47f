import path from 'node:path';

/**
 * Finds a compiled program of this folder, to run it as a process of its own.
 * @param name its file's name without the ending
 * @returns the path below `dist`, both from there and from the source that Jest runs: both lie three levels below the root
 */
export function compiledProgram(name: string): string {
  return path.resolve(import.meta.dirname, '../../../dist/database/embedded', `${name}.js`);
}
