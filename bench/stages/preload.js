import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { load } from './load.js';

/**
 * Loaded with `--import` before a measured server. At SIGWINCH it loads the server as the file STAGES_WORK says, and writes
 * the microseconds per request of each window, by the stage that was left out. To leave a stage out, functions of the
 * server begin with another statement.
 */
const { STAGES, STAGES_WORK } = process.env;
const windowRequests = 32;
const { stages } = STAGES === undefined ? { stages: {} } : await import(pathToFileURL(STAGES).href);
/** The complete server, without a name, comes before every third stage. */
const order = Object.keys(stages).flatMap((name, index) => (index % 3 === 0 ? ['', name] : [name]));
if (order.length === 0) order.push('');

const results = new Map();
globalThis.leftOut = '';
/** Returns the first result of some work, which runs in the complete server. */
globalThis.remember = (name, work) => {
  if (!results.has(name)) {
    const { leftOut } = globalThis;
    globalThis.leftOut = '';
    results.set(name, work());
    globalThis.leftOut = leftOut;
  }
  return results.get(name);
};

const root = pathToFileURL(path.resolve(import.meta.dirname, '../..')).href;
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const changes = Object.entries(stages).flatMap(([name, all]) => all.map((change) => [name, ...change]));
    const mine = changes.filter(([, file]) => url === `${root}/${file}`);
    if (mine.length === 0) return loaded;
    // CommonJS modules that are imported have no source here.
    let source = loaded.source?.toString() ?? readFileSync(new URL(url), 'utf8');
    for (const [name, file, start, statement] of mine) {
      if (!source.includes(start)) throw new Error(`${file} no longer has: ${start}`);
      source = source.replace(start, `$&if (globalThis.leftOut === ${JSON.stringify(name)}) { ${statement} }`);
    }
    return { ...loaded, source };
  },
});

process.on('SIGWINCH', async () => {
  const { requests, connections, warm, measured } = JSON.parse(readFileSync(STAGES_WORK, 'utf8'));
  const windows = {};
  const warmWindows = Math.ceil(warm / windowRequests);
  let [index, spent] = [0, undefined];
  await load(requests, connections, windowRequests, () => {
    const { user, system } = process.cpuUsage(spent);
    if (index > warmWindows) (windows[globalThis.leftOut] ??= []).push((user + system) / windowRequests);
    const goesOn = index <= warmWindows + measured / windowRequests;
    // Stages are also left out while warming up, so that the JIT knows both branches.
    globalThis.leftOut = goesOn ? order[index++ % order.length] : '';
    spent = process.cpuUsage();
    return goesOn;
  });
  writeFileSync(`${STAGES_WORK}.result`, JSON.stringify(windows));
});
