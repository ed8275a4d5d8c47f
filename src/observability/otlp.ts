import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { Logger } from 'pino';
import { build } from '../config/package.js';

const collectorMilliseconds = 5_000;
const maxFlushMilliseconds = 2_000;
const instanceId = randomUUID();

/** Where the telemetry of one kind is sent, and as which service. */
export interface OtlpOptions {
  readonly endpoint: string;
  readonly serviceName: string;
}

/** Returns the options of an exporter. Its own variables configure the collector's headers and certificates. */
export function exporterOptions({ endpoint }: OtlpOptions, signal: 'traces' | 'metrics' | 'logs') {
  return { url: `${endpoint.replace(/\/+$/, '')}/v1/${signal}`, timeoutMillis: collectorMilliseconds };
}

/** Describes this process. */
export function createResource({ serviceName }: OtlpOptions): Resource {
  const instance = { 'service.name': serviceName, 'service.instance.id': instanceId };
  const source = { 'service.version': build.version, 'vcs.ref.head.revision': build.commit };
  return defaultResource().merge(resourceFromAttributes({ ...instance, ...source }));
}

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** Logs once when the collector stops accepting what an exporter sends, and once when it resumes. */
export function logOutages<Items>(exporter: Exporter<Items>, logger: Logger, what: string): void {
  const send = exporter.export.bind(exporter);
  let isAccepting = true;
  exporter.export = (items, done) =>
    send(items, (result) => {
      const wasAccepting = isAccepting;
      isAccepting = result.code === ExportResultCode.SUCCESS;
      const reason = result.error?.message;
      if (wasAccepting && !isAccepting) logger.warn({ reason }, `The collector does not accept ${what}`);
      if (!wasAccepting && isAccepting) logger.info(`The collector accepts ${what} again`);
      done(result);
    });
}

/** Sends what is left within 2 s; never fails. */
export function shutDown(provider: { shutdown(): Promise<void> }): Promise<void> {
  return Promise.race([provider.shutdown().catch(() => undefined), sleep(maxFlushMilliseconds)]);
}
