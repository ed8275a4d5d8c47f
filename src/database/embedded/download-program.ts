/**
 * A program of its own, run by fetch-download.ts: what mongodb-memory-server downloads can be neither cancelled nor kept quiet inside
 * our own process, but a process can be ended.
 *
 * Arguments: the version of MongoDB and the folder to put it in. Writes the download's progress and, last, `mongod: <path>`.
 */
import { MongoBinary } from 'mongodb-memory-server-core';
import { ResolveConfigVariables, setDefaultValue } from 'mongodb-memory-server-core/lib/util/resolveConfig.js';

const [version, downloadDir] = process.argv.slice(2);
if (version === undefined || downloadDir === undefined) throw new Error('usage: download-program <version> <folder>');

// With its default of three attempts a host that cannot be reached costs six to ten seconds; there is another way after this one.
setDefaultValue(ResolveConfigVariables.MAX_RETRIES, '1');

try {
  process.stdout.write(`\nmongod: ${await MongoBinary.getPath({ version, downloadDir })}\n`);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error)}\n`);
  process.exitCode = 1;
}
