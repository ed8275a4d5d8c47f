#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { ApiError, createClient } from '../index.js';
import { type ImportedRow, readPlayerRows } from './player-rows.js';

const usage = `Usage: flag-football import <file> --team <teamId> [--dry-run]
Set the variables API to the URL of the server, and API_KEY to your API key.`;

try {
  await main();
} catch (error) {
  process.exitCode = 1;
  console.error(describe(error));
}

async function main(): Promise<void> {
  const options = { team: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } } as const;
  const { positionals, values } = parseArgs({ options, allowPositionals: true });
  const [command, file, ...others] = positionals;
  if (command !== 'import' || file === undefined || others.length > 0 || values.team === undefined)
    throw new Error(usage);
  await importPlayers(readPlayerRows(await readText(file)), values.team, values['dry-run']);
}

/** Sends the rows in bulk requests of 100 and prints the result of each. */
async function importPlayers(rows: ImportedRow[], teamId: string, dryRun: boolean): Promise<void> {
  const { API: baseUrl = '', API_KEY: apiKey = '' } = process.env;
  if (baseUrl === '' || apiKey === '') throw new Error('Set the environment variables API and API_KEY.');
  const client = createClient({
    baseUrl,
    apiKey,
    onRetry: ({ error }) => console.error(`Retrying: ${describe(error)}`),
  });
  const counts = { created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 };
  for (let start = 0; start < rows.length; start += 100) {
    const batch = rows.slice(start, start + 100);
    const body = { rows: batch.map(({ row }) => row), dryRun };
    const { data } = await client.players.bulkUpsert({ path: { teamId }, body }).catch((error: unknown) => {
      throw new Error(`Stopped at line ${batch[0]?.line}. You can safely repeat the import. ${describe(error)}`);
    });
    for (const each of data) {
      const problem = each.result === 'failed' ? `: ${each.error.message} (${each.error.error})` : '';
      console.log(`Line ${batch[each.index]?.line}, ${each.externalId ?? 'no ID'}: ${each.result}${problem}`);
      counts[each.result]++;
    }
  }
  const summary = Object.entries(counts).map(([result, count]) => `${count} ${result}`);
  console.log(`${rows.length} rows: ${summary.join(', ')}${dryRun ? ' (dry run, nothing was written)' : ''}`);
  if (counts.failed !== 0) process.exitCode = 1;
}

/** Returns the text of a file without its byte order mark. */
async function readText(file: string): Promise<string> {
  const bytes = await readFile(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file} is not encoded as UTF-8. In Excel, save it as "CSV UTF-8".`);
  }
}

function describe(error: unknown): string {
  if (error instanceof ApiError) return `${error.message} (${error.code ?? error.status}, trace ${error.traceId})`;
  return error instanceof Error ? error.message : String(error);
}
