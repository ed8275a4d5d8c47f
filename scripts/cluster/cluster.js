import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cellEnvironment, writeCells } from './cells.js';
import { ControlledProcess } from './controlled-process.js';
import { createUsers, initiate, isMongodReady, mongodArguments, primaryPort, replicaSetUri } from './mongod.js';
import { freePort, isProxyReady, isRedisReady, isServerReady } from './network.js';
import { proxyProgram, mongodBinary, programsOnPath, serverProgram } from './programs.js';

/** @typedef {import('./controlled-process.js').End} End */
/** @typedef {ControlledProcess & { url: string }} WebProcess */

/**
 * Parts of a cluster.
 * @typedef {object} ClusterOptions
 * @property {number} [members] number of members of the replica set
 * @property {number} [servers] number of server processes
 * @property {boolean} [redis] whether the servers share a Redis
 * @property {boolean} [proxy] whether Caddy runs in front of them
 * @property {number} [cells] number of cells behind the proxy, each with these members, servers and Redis; default: 1
 * @property {Record<string, string> | ((index: number) => Record<string, string>)} [environment] more variables of
 * the servers, or of each by its index from 0
 * @property {string} [folder] empty or new folder for data and logs, removed at the end; default: a temporary one
 * @property {string} [mongodBinary]
 * @property {(process: ControlledProcess, end: End) => void} [onUnexpectedExit] called when a
 * process ends without being stopped
 */

/** Variables of servers behind the proxy. */
const behindProxy = { TRUST_PROXY: '1', STOP_DELAY_SECONDS: '3' };

/** Removes a folder when standard input closes, again while a process that is being killed still writes to it. */
const REMOVE = 'read _; for attempt in 1 2 3 4 5; do rm -rf "$0" && exit; sleep 0.2; done';

/**
 * A replica set, Redis, servers and a proxy on 127.0.0.1, as in docker-compose.yml but without Docker; with several cells,
 * the first of them.
 */
export class Cluster {
  /** @type {ControlledProcess[]} */
  members = [];
  /** @type {WebProcess[]} */
  servers = [];
  /** @type {ControlledProcess | undefined} */
  redis;
  /** @type {(WebProcess & { plainUrl: string }) | undefined} */
  proxy;
  /** Name of the cell; that of the first one is of no use. */
  name = 'c1';
  /**
   * The cells beside this one, behind its proxy.
   * @type {Cluster[]}
   */
  cells = [];
  /** URI of the replica set with the database name, for its administrator. */
  uri = '';
  /** The same for the servers, which have only the rights that they need. */
  serverUri = '';
  /** File with the certificate of the authority that signed the proxy's certificate. */
  authority = '';
  /** The first super admin, created by the first server. */
  superAdmin = { email: 'root@example.com', password: randomBytes(12).toString('base64url') };

  #remover;
  #removed;
  #isStopped = false;
  #onUnexpectedExit;
  #jwtSecret = randomBytes(32).toString('base64url');

  /** @private Use {@link Cluster.start}. */
  constructor(folder, onUnexpectedExit) {
    /** Folder of data and logs. */
    this.folder = folder;
    this.#remover = spawn('/bin/sh', ['-c', REMOVE, folder], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
    this.#removed = once(this.#remover, 'exit');
    this.#onUnexpectedExit = onUnexpectedExit;
  }

  /**
   * Starts a cluster and waits until its proxy, or each server, is ready. It ends with this process, even after `kill
   * -9`.
   * @param {ClusterOptions} [options]
   * @returns {Promise<Cluster>}
   * @throws Error if a program is missing, before anything is started, or does not start
   */
  static async start(options = {}) {
    const { members = 3, servers = 2, redis = true, proxy = true, cells = 1, environment = {} } = options;
    if (cells > 1 && !proxy) throw new Error('Several cells need the proxy');
    const needed = [...(redis ? ['redis-server'] : []), ...(proxy ? ['caddy'] : [])];
    const programs = { ...programsOnPath(needed), mongod: await mongodBinary(options.mongodBinary) };
    const cluster = new Cluster(await emptyFolder(options.folder), options.onUnexpectedExit ?? (() => undefined));
    try {
      const environmentOf = typeof environment === 'function' ? environment : () => environment;
      const ports = { port: await freePort(), plainPort: await freePort(), lastResortPort: await freePort() };
      await cluster.#startCells(cells - 1, options, environmentOf, ports.port);
      await Promise.all([
        cluster.#startMembers(members, programs.mongod),
        redis && cluster.#startRedis(programs['redis-server']),
      ]);
      await cluster.#startServers(servers, (index) => ({ ...(proxy && behindProxy), ...environmentOf(index) }));
      if (proxy) await cluster.#startProxy(programs.caddy, ports);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** All processes, in the order in which they were started. */
  get processes() {
    const proxy = this.proxy === undefined ? [] : [this.proxy];
    const redis = this.redis === undefined ? [] : [this.redis];
    return [...this.members, ...redis, ...this.servers, ...this.cells.flatMap((cell) => cell.processes), ...proxy];
  }

  /**
   * Returns the primary. Waits for an election, but not for members that hang.
   * @returns {Promise<ControlledProcess>}
   * @throws Error if there is none within 30 s
   */
  async primary() {
    const port = await primaryPort(() =>
      this.members.filter(({ isRunning }) => isRunning).map((member) => member.port),
    );
    return this.members.find((member) => member.port === port);
  }

  /** Stops the proxy and the servers gracefully, kills the other processes and removes the folder. */
  async stop() {
    this.#isStopped = true;
    await this.proxy?.stop();
    await Promise.all(this.cells.map((cell) => cell.stop()));
    await Promise.all(this.servers.map((server) => server.stop()));
    await Promise.all(this.processes.map((process) => process.kill()));
    this.#remover.stdin.end();
    await this.#removed;
  }

  /** Starts the other cells, which are called c2, c3 and so on. */
  async #startCells(count, options, environmentOf, proxyPort) {
    for (let number = 2; number <= count + 1; number++) {
      const name = `c${number}`;
      const own = { ...behindProxy, ...cellEnvironment(name, `https://127.0.0.1:${proxyPort}`) };
      const environment = (index) => ({ ...own, ...environmentOf(index) });
      const folder = path.join(this.folder, name);
      const cell = await Cluster.start({ ...options, folder, environment, proxy: false, cells: 1 });
      this.cells.push(Object.assign(cell, { name }));
    }
  }

  async #startMembers(count, binary) {
    const keyFile = path.join(this.folder, 'mongodb-key');
    await writeFile(keyFile, randomBytes(48).toString('base64'), { mode: 0o600 });
    for (let index = 0; index < count; index++) {
      const port = await freePort();
      const name = `mongod-${index + 1}`;
      const cwd = await this.#folderOf(name);
      const program = { command: binary, programArguments: mongodArguments(port, cwd, keyFile), cwd, env: {} };
      this.members.push(this.#process({ name, port, program, isReady: () => isMongodReady(port) }));
    }
    await Promise.all(this.members.map((member) => member.start()));
    const ports = this.members.map(({ port }) => port);
    await initiate(ports);
    const { root, api } = await createUsers((await this.primary()).port);
    this.uri = replicaSetUri(ports, root);
    this.serverUri = replicaSetUri(ports, api);
  }

  async #startRedis(binary) {
    const port = await freePort();
    const cwd = await this.#folderOf('redis');
    const persistNothing = [
      '--save',
      '',
      '--appendonly',
      'no',
      '--maxmemory',
      '64mb',
      '--maxmemory-policy',
      'volatile-ttl',
    ];
    const programArguments = ['--bind', '127.0.0.1', '--port', String(port), '--dir', cwd, ...persistNothing];
    const program = { command: binary, programArguments, cwd, env: {} };
    this.redis = this.#process({ name: 'redis', port, program, isReady: () => isRedisReady(port) });
    await this.redis.start();
  }

  async #startServers(count, environmentOf) {
    for (let index = 0; index < count; index++) {
      const [port, metricsPort] = [await freePort(), await freePort()];
      const name = `server-${index + 1}`;
      const environment = {
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        MONGODB_URI: this.serverUri,
        ...(this.redis && { REDIS_URL: `redis://127.0.0.1:${this.redis.port}` }),
        JWT_SECRET: this.#jwtSecret,
        SUPER_ADMIN_EMAIL: this.superAdmin.email,
        SUPER_ADMIN_PASSWORD: this.superAdmin.password,
        ...environmentOf(index),
      };
      this.superAdmin = { email: environment.SUPER_ADMIN_EMAIL, password: environment.SUPER_ADMIN_PASSWORD };
      const program = serverProgram(await this.#folderOf(name), environment);
      const url = `http://127.0.0.1:${port}`;
      const server = this.#process({ name, port, program, isReady: () => isServerReady(url) });
      this.servers.push(Object.assign(server, { url, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` }));
    }
    await Promise.all(this.servers.map((server) => server.start()));
  }

  async #startProxy(binary, ports) {
    const { port, plainPort } = ports;
    const upstreamsOf = ({ servers }) => servers.map((server) => `127.0.0.1:${server.port}`);
    const folder = await this.#folderOf('proxy');
    await writeCells(folder, new Map(this.cells.map((cell) => [cell.name, upstreamsOf(cell)])));
    const program = proxyProgram(binary, folder, { ...ports, upstreams: upstreamsOf(this), cells: folder });
    this.authority = program.authority;
    const url = `https://127.0.0.1:${port}`;
    const proxy = this.#process({ name: 'proxy', port, program, isReady: () => isProxyReady(url) });
    this.proxy = Object.assign(proxy, { url, plainUrl: `http://127.0.0.1:${plainPort}` });
    await proxy.start();
  }

  #process({ program, name, ...rest }) {
    const logFile = path.join(this.folder, `${name}.log`);
    const onUnexpectedExit = (process, end) => this.#onUnexpectedExit(process, end);
    const mayStart = () => !this.#isStopped;
    return new ControlledProcess({ ...rest, name, program: { ...program, logFile }, mayStart, onUnexpectedExit });
  }

  async #folderOf(name) {
    const folder = path.join(this.folder, name);
    await mkdir(folder, { recursive: true });
    return folder;
  }
}

/** Returns a folder that can be removed at the end. Rejects one that is not empty. */
async function emptyFolder(name) {
  if (name === undefined) return mkdtemp(path.join(tmpdir(), 'cluster-'));
  const folder = path.resolve(name);
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty, and the folder of a cluster is removed at its end`);
  return folder;
}
