/**
 * Starts the topology of docker-compose.yml natively on 127.0.0.1: a replica set, a Redis, servers and a front with TLS. Ctrl-C stops
 * everything; nothing is kept.
 *
 *   npm run cluster -- [--members 3] [--servers 2] [--no-redis] [--no-front]
 */
import { parseArgs } from 'node:util';
import { Cluster } from './cluster/cluster.js';

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '3' },
    servers: { type: 'string', default: '2' },
    'no-redis': { type: 'boolean', default: false },
    'no-front': { type: 'boolean', default: false },
  },
});

/** What a user typed as a number of processes. */
function count(name, most) {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new Error(`--${name} must be a whole number from 1 to ${most}`);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

function howItEnded({ code, signal }) {
  return signal === null ? `with exit code ${code}` : `by ${signal}`;
}

/** Nobody asked for it, so somebody should look. */
async function tellEnd(ended, end) {
  say(
    `\n${ended.name} has ended ${howItEnded(end)}; the others go on. The end of ${ended.logFile}:\n${await ended.endOfLog(5)}`,
  );
}

function welcome(cluster) {
  const { front, servers, superAdmin, authority } = cluster;
  const [address, trust] = front === undefined ? [servers[0].url, ''] : [front.url, `--cacert ${authority} `];
  const login = JSON.stringify(superAdmin);
  return [
    '',
    ...(front === undefined ? [] : [`Front:       ${front.url}`]),
    ...servers.map(({ name, url }) => `${`${name}:`.padEnd(12)} ${url}`),
    `Database:    ${cluster.uri}`,
    `Super admin: ${superAdmin.email} / ${superAdmin.password}`,
    '',
    'Logs and process ids:',
    ...cluster.processes.map(({ logFile, pid }) => `  ${logFile}  ${pid}`),
    '',
    'Try:',
    `  curl ${trust}${address}/auth/login --json '${login}'`,
    '',
    'Ctrl-C stops everything and removes its data.',
  ].join('\n');
}

let cluster;
let stopping = false;

async function stop(signal) {
  // Nothing is worth waiting for while it starts, or when told twice: the keeper ends what runs.
  if (stopping || cluster === undefined) process.exit(signal === 'SIGINT' ? 130 : 143);
  stopping = true;
  say('\nStopping …');
  await cluster.stop();
  say('Everything has ended.');
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

try {
  const [members, servers] = [count('members', 7), count('servers', 20)];
  say('Starting …');
  cluster = await Cluster.start({
    members,
    servers,
    redis: !values['no-redis'],
    front: !values['no-front'],
    endedByItself: tellEnd,
  });
  say(welcome(cluster));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
