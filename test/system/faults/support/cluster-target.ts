import { readFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';
import { Cluster } from '../../../../scripts/cluster/cluster.js';
import { cheapHashes, preload } from '../../../support/preload.js';
import { eventually } from '../../../support/processes.js';
import { RunningServer, superAdmin } from '../../../support/server.js';
import { compileCache } from '../../../support/server-process.js';
import type { Target } from './under-load.js';

/** A cluster of one test and the target of its load. */
export interface ClusterUnderTest {
  readonly cluster: Cluster;
  readonly client: MongoClient;
  readonly servers: readonly RunningServer[];
  /** The proxy in front of them. */
  readonly proxy: RunningServer;
  /** Gets its load through the proxy. */
  readonly target: Target;
  stop(): Promise<void>;
}

/** Starts a cluster with a proxy, high limits and cheap hashes. */
export async function createCluster(
  parts: { members?: number; servers?: number; redis?: boolean; cells?: number },
  environment: Record<string, string> = {},
): Promise<ClusterUnderTest> {
  const mongodBinary = process.env['TEST_MONGOD_BINARY'];
  const cluster = await Cluster.start({
    ...parts,
    environment: {
      SUPER_ADMIN_EMAIL: superAdmin.email,
      SUPER_ADMIN_PASSWORD: superAdmin.password,
      RATE_LIMIT_PER_MINUTE: '1000000',
      AUTH_FAILURES_PER_MINUTE: '1000000',
      ...compileCache,
      ...preload(cheapHashes),
      ...environment,
    },
    ...(mongodBinary !== undefined && { mongodBinary }),
  });
  const client = new MongoClient(cluster.uri, { serverSelectionTimeoutMS: 15_000 });
  const stop = async () => {
    await client.close();
    // Killed, because a graceful shutdown would take longer.
    await Promise.all([cluster, ...cluster.cells].flatMap(({ servers }) => servers.map((server) => server.kill())));
    await cluster.stop();
  };
  try {
    const logs = cluster.servers.map((server) => () => readFileSync(server.logFile, 'utf8'));
    const servers = await Promise.all(cluster.servers.map(({ url }) => RunningServer.at(url, cluster.uri)));
    const proxy = await RunningServer.at(cluster.proxy?.url ?? '', cluster.uri);
    return { cluster, client, servers, proxy, target: { servers: [proxy], database: client.db(), logs }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Counts the requests that a server has logged; health checks are not logged. */
function requestsOf({ logFile }: { readonly logFile: string }): number {
  return readFileSync(logFile, 'utf8').split('"msg":"request completed"').length - 1;
}

/** Waits until the proxy sends requests to a server, which it does under load once the server is ready. */
export function untilServing(server: { readonly logFile: string }): Promise<void> {
  const before = requestsOf(server);
  return eventually('the proxy sends the server requests', () => requestsOf(server) > before, 30);
}

/** Returns the number of members that are primary or secondary. */
export async function healthyMembers(client: MongoClient): Promise<number> {
  const status = await client.db('admin').command({ replSetGetStatus: 1 });
  return (status['members'] as { state: number }[]).filter(({ state }) => state === 1 || state === 2).length;
}
