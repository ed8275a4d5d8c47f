/**
 * Starts the processes of docker-compose.yml on 127.0.0.1 without Docker: a replica set, Redis, servers and a TLS
 * proxy. With several cells (docs/operators/scale-out.md), each but the proxy of its own. Ctrl-C stops everything and
 * removes its data.
 *
 *   npm run cluster -- [--members 3] [--servers 2] [--cells 1] [--no-redis] [--no-proxy]
 */
import { parseArgs } from 'node:util';
import { Cluster } from './cluster/cluster.js';

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '3' },
    servers: { type: 'string', default: '2' },
    cells: { type: 'string', default: '1' },
    'no-redis': { type: 'boolean', default: false },
    'no-proxy': { type: 'boolean', default: false },
  },
});

/** Parses a number of processes. */
function parseCount(name, maximum) {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= 1 && number <= maximum) return number;
  throw new Error(`--${name} must be an integer from 1 to ${maximum}`);
}

function print(text) {
  process.stdout.write(`${text}\n`);
}

function describeExit({ code, signal }) {
  return signal === null ? `with exit code ${code}` : `by ${signal}`;
}

/** Prints that a process ended unexpectedly, with the end of its log. */
async function reportExit(ended, end) {
  print(`\n${ended.name} has ended ${describeExit(end)}; the others keep running. Last lines of ${ended.logFile}:`);
  print(await ended.endOfLog(5));
}

function describeCell({ servers, uri, superAdmin }) {
  return [
    ...servers.map(({ name, url }) => `${`${name}:`.padEnd(12)} ${url}`),
    `Database:    ${uri}`,
    `Super admin: ${superAdmin.email} / ${superAdmin.password}`,
  ];
}

function welcomeText(cluster) {
  const { proxy, servers, superAdmin, authority, cells } = cluster;
  const [url, trust] = proxy === undefined ? [servers[0].url, ''] : [proxy.url, `--cacert ${authority} `];
  const login = JSON.stringify(superAdmin);
  return [
    '',
    ...(proxy === undefined ? [] : [`Proxy:       ${proxy.url}`]),
    ...describeCell(cluster),
    ...cells.flatMap((cell) => ['', `Cell ${cell.name}:     ${url}/${cell.name}/console`, ...describeCell(cell)]),
    '',
    'Logs and process IDs:',
    ...cluster.processes.map(({ logFile, pid }) => `  ${logFile}  ${pid}`),
    '',
    'Try:',
    `  curl ${trust}${url}/auth/login --json '${login}'`,
    '',
    'Ctrl-C stops everything and removes its data.',
  ].join('\n');
}

let cluster;
let stopping = false;

async function stop(signal) {
  // Exits immediately during the start or on a second signal; their watchdogs then kill the processes.
  if (stopping || cluster === undefined) process.exit(signal === 'SIGINT' ? 130 : 143);
  stopping = true;
  print('\nStopping …');
  await cluster.stop();
  print('Everything has ended.');
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

try {
  const [members, servers, cells] = [parseCount('members', 7), parseCount('servers', 20), parseCount('cells', 5)];
  print('Starting …');
  cluster = await Cluster.start({
    members,
    servers,
    cells,
    redis: !values['no-redis'],
    proxy: !values['no-proxy'],
    onUnexpectedExit: reportExit,
  });
  print(welcomeText(cluster));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
