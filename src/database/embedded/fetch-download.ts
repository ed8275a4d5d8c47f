import path from 'node:path';
import { compiledProgram } from './compiled-program.js';
import { runProgram } from './run-program.js';

/** Where a fetched program lies, or why there is none. */
export type Fetched = { mongod: string } | { reason: string };

/**
 * 7.0 and not the library's own choice: it reads the data files of the wheel's 6.0, which 8 refuses, it is built for the common
 * systems, and it explains queries in the same form.
 */
export const DOWNLOAD_VERSION = '7.0.28';

// A host that cannot be reached shall cost seconds; a slow line shall still get its 80 MB.
const FIRST_OUTPUT_MS = 15_000;
const WHOLE_DOWNLOAD_MS = 15 * 60_000;
const PROGRESS_EVERY_MS = 5_000;

/**
 * Downloads MongoDB the way mongodb-memory-server does (its `MONGOMS_…` settings, such as a mirror, are honoured).
 * @param folder an empty folder to download into
 * @param progress gets a line every five seconds while data arrives
 * @returns the path of the program, which may lie elsewhere if the library already had one; or the reason. Never rejects.
 */
export async function fetchDownload(folder: string, progress: (line: string) => void): Promise<Fetched> {
  let toldAt = Date.now();
  const end = await runProgram(
    process.execPath,
    [compiledProgram('download-program'), DOWNLOAD_VERSION, path.resolve(folder)],
    {
      timeoutMs: WHOLE_DOWNLOAD_MS,
      firstOutputMs: FIRST_OUTPUT_MS,
      onOutput: (text) => {
        const share = downloadedShare(text);
        if (share === null || Date.now() - toldAt < PROGRESS_EVERY_MS) return;
        toldAt = Date.now();
        progress(`Fetching MongoDB ${DOWNLOAD_VERSION}: ${share} %`);
      },
    },
  );
  if (!end.ok) return { reason: end.reason };
  const mongod = /^mongod: (.+)$/m.exec(end.output)?.[1];
  return mongod === undefined ? { reason: 'the download did not say where it put mongod' } : { mongod };
}

/**
 * Reads the whole percents out of a progress line of mongodb-memory-server.
 * @returns null if the text is no such line
 */
export function downloadedShare(text: string): number | null {
  const share = /: (\d+)(?:\.\d+)?% \(/.exec(text)?.[1];
  return share === undefined ? null : Number(share);
}
