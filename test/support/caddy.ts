import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { proxyProgram } from '../../scripts/cluster/programs.js';
import { startForTests } from './for-tests.js';
import { freePort } from './mongod-process.js';
import { eventually } from './processes.js';

/** A response of Caddy. */
interface ProxyResponse {
  readonly status: number | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Reads a whole request or response. */
export async function textOf(message: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Caddy with the Caddyfile of this project, in front of one upstream. */
export class CaddyProxy {
  private readonly lines: Buffer[] = [];

  private constructor(
    private readonly caddy: ChildProcess,
    private readonly folder: string,
    private readonly port: number,
    readonly upstream: http.Server,
  ) {
    caddy.stderr?.on('data', (chunk: Buffer) => this.lines.push(chunk));
  }

  /** Starts one for the tests of a file or `describe`. */
  static forTests(respond: http.RequestListener, variables: Record<string, string> = {}): CaddyProxy {
    const start = () => CaddyProxy.start(respond, variables);
    return startForTests(CaddyProxy, start, { stop: (proxy) => proxy.stop() });
  }

  private static async start(respond: http.RequestListener, variables: Record<string, string>): Promise<CaddyProxy> {
    const folder = await mkdtemp(path.join(tmpdir(), 'caddy-'));
    const upstream = http.createServer(respond).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const port = await freePort();
    const upstreams = [`127.0.0.1:${(upstream.address() as AddressInfo).port}`];
    const ports = { port, plainPort: await freePort(), lastResortPort: await freePort() };
    const program = proxyProgram('caddy', folder, { ...ports, upstreams });
    const env = { PATH: process.env['PATH'], ...program.env, ...variables };
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const caddy = spawn(program.command, program.programArguments, { cwd: folder, env, stdio: [...stdio] });
    const proxy = new CaddyProxy(caddy, folder, port, upstream);
    const isUp = () => proxy.call('/openapi.json').then(Boolean, () => false);
    await eventually('Caddy serves', isUp, 30);
    return proxy;
  }

  /** What Caddy has logged. */
  get log(): string {
    return Buffer.concat(this.lines).toString();
  }

  /** Sends a request. */
  async call(requested: string, options: https.RequestOptions = {}, body = ''): Promise<ProxyResponse> {
    const target = { host: '127.0.0.1', port: this.port, path: requested, rejectUnauthorized: false, agent: false };
    const request = https.request({ ...target, ...options });
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await textOf(response) };
  }

  async stop(): Promise<void> {
    this.caddy.kill();
    await once(this.caddy, 'exit');
    this.upstream.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
