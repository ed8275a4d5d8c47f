import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ControlledProcess } from './controlled-process.js';
import { KeeperClient } from './keeper-client.js';
import { initiate, mongodAnswers, mongodArguments, primaryPort, replicaSetUri } from './mongod.js';
import { freePort, frontAnswers, redisAnswers, serverAnswers } from './network.js';
import { frontProgram, mongodBinary, programsOnPath, serverProgram } from './programs.js';

/** @typedef {import('./keeper-client.js').End} End */
/** @typedef {ControlledProcess & { url: string }} WebProcess */

/**
 * What a cluster is made of.
 * @typedef {object} ClusterOptions
 * @property {number} [members] mongods of the replica set
 * @property {number} [servers] server processes
 * @property {boolean} [redis] whether they share one
 * @property {boolean} [front] whether a Caddy stands in front of them
 * @property {Record<string, string> | ((index: number) => Record<string, string>)} [environment] for the servers, or for each by its
 * index from 0; comes on top of what joins them
 * @property {string} [folder] an empty or new one for data and logs, which is removed at the end; otherwise a temporary one
 * @property {string} [mongodBinary]
 * @property {(process: ControlledProcess, end: End) => void} [endedByItself] is told of a process whose end nobody asked for
 */

/** A replica set, a Redis, servers and a front on 127.0.0.1: the topology of docker-compose.yml without Docker. */
export class Cluster {
  /** @type {ControlledProcess[]} */
  members = [];
  /** @type {WebProcess[]} */
  servers = [];
  /** @type {ControlledProcess | undefined} */
  redis;
  /** @type {(WebProcess & { plainUrl: string }) | undefined} */
  front;
  /** The replica set's, with the database's name. */
  uri = '';
  /** The file with the certificate of the authority that the front's own one comes from, for clients that check it. */
  authority = '';
  /** The first super admin, which the first server makes. */
  superAdmin = { email: 'root@example.com', password: randomBytes(12).toString('base64url') };

  #keeper;
  #endedByItself;
  #jwtSecret = randomBytes(32).toString('base64url');

  /** @private Use {@link Cluster.start}. */
  constructor(folder, endedByItself) {
    /** Where data and logs are. */
    this.folder = folder;
    this.#keeper = new KeeperClient(folder);
    this.#endedByItself = endedByItself;
  }

  /**
   * Starts a cluster; returns when its front, or each of its servers, is ready. It ends with this process, however that dies.
   * @param {ClusterOptions} [options]
   * @returns {Promise<Cluster>}
   * @throws Error where a program is missing, before anything is started, or where one does not start
   */
  static async start(options = {}) {
    const { members = 3, servers = 2, redis = true, front = true, environment = {} } = options;
    const needed = [...(redis ? ['redis-server'] : []), ...(front ? ['caddy'] : [])];
    const programs = { ...programsOnPath(needed), mongod: await mongodBinary(options.mongodBinary) };
    const cluster = new Cluster(await emptyFolder(options.folder), options.endedByItself ?? (() => undefined));
    try {
      await Promise.all([
        cluster.#startMembers(members, programs.mongod),
        redis && cluster.#startRedis(programs['redis-server']),
      ]);
      await cluster.#startServers(servers, front, typeof environment === 'function' ? environment : () => environment);
      if (front) await cluster.#startFront(programs.caddy);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** All processes, in the order in which they were started. */
  get processes() {
    const front = this.front === undefined ? [] : [this.front];
    const redis = this.redis === undefined ? [] : [this.redis];
    return [...this.members, ...redis, ...this.servers, ...front];
  }

  /**
   * The member that can be written to; waits for an election, and for no member that hangs.
   * @returns {Promise<ControlledProcess>}
   * @throws Error where there is none within 30 s
   */
  async primary() {
    const port = await primaryPort(() =>
      this.members.filter(({ isRunning }) => isRunning).map((member) => member.port),
    );
    return this.members.find((member) => member.port === port);
  }

  /** Ends everything: the front and the servers in order, then, by force, what they used, whose data goes; removes the folder. */
  async stop() {
    await this.front?.stop();
    await Promise.all(this.servers.map((server) => server.stop()));
    await Promise.all(this.processes.map((process) => process.kill()));
    await this.#keeper.end();
  }

  async #startMembers(count, binary) {
    for (let index = 0; index < count; index++) {
      const port = await freePort();
      const name = `mongod-${index + 1}`;
      const cwd = await this.#folderOf(name);
      const program = { command: binary, programArguments: mongodArguments(port, cwd), cwd, env: {} };
      this.members.push(this.#process({ name, port, program, answers: () => mongodAnswers(port) }));
    }
    await Promise.all(this.members.map((member) => member.start()));
    const ports = this.members.map(({ port }) => port);
    await initiate(ports);
    await this.primary();
    this.uri = replicaSetUri(ports);
  }

  async #startRedis(binary) {
    const port = await freePort();
    const cwd = await this.#folderOf('redis');
    const keepsNothing = [
      '--save',
      '',
      '--appendonly',
      'no',
      '--maxmemory',
      '64mb',
      '--maxmemory-policy',
      'volatile-ttl',
    ];
    const programArguments = ['--bind', '127.0.0.1', '--port', String(port), '--dir', cwd, ...keepsNothing];
    const program = { command: binary, programArguments, cwd, env: {} };
    this.redis = this.#process({ name: 'redis', port, program, answers: () => redisAnswers(port) });
    await this.redis.start();
  }

  async #startServers(count, behindFront, environmentOf) {
    for (let index = 0; index < count; index++) {
      const [port, metricsPort] = [await freePort(), await freePort()];
      const name = `server-${index + 1}`;
      const environment = {
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        MONGODB_URI: this.uri,
        ...(this.redis && { REDIS_URL: `redis://127.0.0.1:${this.redis.port}` }),
        ...(behindFront && { TRUST_PROXY: '1', STOP_DELAY_SECONDS: '3' }),
        JWT_SECRET: this.#jwtSecret,
        SUPER_ADMIN_EMAIL: this.superAdmin.email,
        SUPER_ADMIN_PASSWORD: this.superAdmin.password,
        ...environmentOf(index),
      };
      this.superAdmin = { email: environment.SUPER_ADMIN_EMAIL, password: environment.SUPER_ADMIN_PASSWORD };
      const program = serverProgram(await this.#folderOf(name), environment);
      const url = `http://127.0.0.1:${port}`;
      const server = this.#process({ name, port, program, answers: () => serverAnswers(url) });
      this.servers.push(Object.assign(server, { url, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` }));
    }
    await Promise.all(this.servers.map((server) => server.start()));
  }

  async #startFront(binary) {
    const [port, plainPort] = [await freePort(), await freePort()];
    const upstreams = this.servers.map((server) => `127.0.0.1:${server.port}`);
    const program = frontProgram(binary, await this.#folderOf('front'), { port, plainPort, upstreams });
    this.authority = program.authority;
    const url = `https://127.0.0.1:${port}`;
    const front = this.#process({ name: 'front', port, program, answers: () => frontAnswers(url) });
    this.front = Object.assign(front, { url, plainUrl: `http://127.0.0.1:${plainPort}` });
    await front.start();
  }

  #process({ program, name, ...rest }) {
    const logFile = path.join(this.folder, `${name}.log`);
    const endedByItself = (process, end) => this.#endedByItself(process, end);
    return new ControlledProcess(this.#keeper, { ...rest, name, program: { ...program, logFile }, endedByItself });
  }

  async #folderOf(name) {
    const folder = path.join(this.folder, name);
    await mkdir(folder, { recursive: true });
    return folder;
  }
}

/** A folder that may be removed at the end: never one that holds something already. */
async function emptyFolder(given) {
  if (given === undefined) return mkdtemp(path.join(tmpdir(), 'cluster-'));
  const folder = path.resolve(given);
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty, and a cluster's folder is removed at its end`);
  return folder;
}
