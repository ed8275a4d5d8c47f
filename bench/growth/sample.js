import { readdir, readFile } from 'node:fs/promises';

const commands = ['find', 'aggregate', 'insert', 'update', 'findAndModify'];
const quietSeconds = 5;
/** Share of a processor that mongod uses without requests. */
const quietShare = 0.12;

/** Returns the CPU time of each thread of a process in milliseconds, more precisely than the clock ticks of `stat`. */
async function threadTimes(pid) {
  const threads = await readdir(`/proc/${pid}/task`);
  const read = async (thread) => {
    // A thread can end meanwhile.
    const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
    return [thread, Number(text.split(' ')[0]) / 1e6];
  };
  return new Map(await Promise.all(threads.map(read)));
}

/** Returns how much time the threads have used since; a thread that has ended does not count. */
function usedSince(before, after) {
  return after.entries().reduce((sum, [thread, time]) => sum + time - (before.get(thread) ?? 0), 0);
}

async function status({ server, database }) {
  const { pid, metrics } = await database.admin().serverStatus();
  const [ofServer, ofMongod] = await Promise.all([server.pid, Number(pid)].map(threadTimes));
  const counted = {
    commands: commands.reduce((sum, name) => sum + Number(metrics.commands[name]?.total ?? 0), 0),
    keys: Number(metrics.queryExecutor.scanned),
    documents: Number(metrics.queryExecutor.scannedObjects),
  };
  return { ofServer, ofMongod, counted };
}

/** Sends requests one after the other, and returns what each of them cost on average, and how long each took. */
export async function sample(organization, send, requests) {
  const before = await status(organization);
  const milliseconds = [];
  for (let index = 0; index < requests; index++) {
    await send(organization, index);
    milliseconds.push(organization.milliseconds);
  }
  const after = await status(organization);
  const [ofServer, ofMongod] = ['ofServer', 'ofMongod'].map((name) => usedSince(before[name], after[name]));
  const counted = Object.entries(after.counted).map(([name, value]) => [
    name,
    (value - before.counted[name]) / requests,
  ]);
  return { processor: (ofServer + ofMongod) / requests, ...Object.fromEntries(counted), milliseconds };
}

/** Waits until the databases have nothing to do without requests: until the change feed has all inserted records. */
export async function whenQuiet(organizations) {
  const read = () => Promise.all(organizations.map(([, organization]) => status(organization)));
  for (let seconds = 0; seconds < quietSeconds;) {
    const before = await read();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const after = await read();
    const isQuiet = after.every(({ ofMongod }, at) => usedSince(before[at].ofMongod, ofMongod) < quietShare * 1_000);
    seconds = isQuiet ? seconds + 1 : 0;
  }
}
