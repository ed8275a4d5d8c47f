import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Load average before the run: above the number of cores, other processes affect the figures. */
const [loadBefore] = os.loadavg();
const peers = path.resolve(import.meta.dirname, '../peers/package.json');
const own = path.resolve(import.meta.dirname, '../../package.json');

/** Describes the machine and the versions, without host names. */
export async function machineAndVersions(client) {
  const { version: mongod } = await client.db().admin().serverInfo();
  const [ours, { dependencies }] = await Promise.all(
    [own, peers].map(async (file) => JSON.parse(await readFile(file, 'utf8'))),
  );
  const [{ model }] = os.cpus();
  return {
    processor: model.trim(),
    cores: os.availableParallelism(),
    loadBefore,
    memory: `${Math.round(os.totalmem() / 2 ** 30)} GB`,
    kernel: `${os.type()} ${os.release().split('-')[0]}`,
    node: process.versions.node,
    mongod,
    nest: ours.dependencies['@nestjs/core'],
    mongoose: ours.dependencies.mongoose,
    ...dependencies,
  };
}
