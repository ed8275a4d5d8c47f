import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { SeverityNumber } from '@opentelemetry/api';
import { ExportResultCode, millisToHrTime } from '@opentelemetry/core';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { createLogger, LogOutput } from './logger.js';
import { createResource, exporterOptions, logOutages, type OtlpOptions } from './otlp.js';

type LogRecord = Parameters<OTLPLogExporter['export']>[0][number];

const linesPerRequest = 512;
/** Lines of this time are sent together. */
const batchMilliseconds = 200;
const retryMilliseconds = 1_000;

/**
 * Creates a stream that sends log lines to a collector, and repeats requests while it is unavailable. Meanwhile `LogOutput`
 * keeps up to 16 MiB of lines. Emits `dropped` with the number of lines that the collector rejects for good. Import this
 * module only if it is used, as it loads OpenTelemetry.
 */
export function createLogStream(options: OtlpOptions): Writable {
  const exporter = new OTLPLogExporter(exporterOptions(options, 'logs'));
  logOutages(exporter, createLogger('info', new LogOutput(process.stderr)), 'log lines');
  const source = {
    resource: createResource(options),
    instrumentationScope: { name: 'log' },
    droppedAttributesCount: 0,
  };
  const isDone = (records: LogRecord[]) =>
    new Promise<boolean>((resolve) =>
      exporter.export(records, ({ code, error }) => {
        // The exporter has the status as code only if OTLP forbids to repeat the request: not for 429, 502, 503 and 504.
        const isRejected = typeof (error as { code?: unknown } | undefined)?.code === 'number';
        if (isRejected) stream.emit('dropped', records.length);
        resolve(isRejected || code === ExportResultCode.SUCCESS);
      }),
    );
  const send = async (lines: string[]): Promise<void> => {
    await sleep(batchMilliseconds);
    for (let from = 0; from < lines.length; from += linesPerRequest) {
      const records = lines.slice(from, from + linesPerRequest).map((line) => ({ ...source, ...toRecord(line) }));
      while (!(await isDone(records))) await sleep(retryMilliseconds);
    }
  };
  const stream = new Writable({
    decodeStrings: false,
    writev: (chunks, done) => {
      const lines = chunks.flatMap(({ chunk }) => String(chunk).split('\n')).filter((line) => line !== '');
      send(lines).then(() => done(), done);
    },
  });
  return stream;
}

interface Line extends Record<string, unknown> {
  level: string;
  time: string;
  msg?: string;
  otelTraceId?: string;
}

/** Converts a line of JSON. Its other fields become attributes. */
function toRecord(line: string) {
  const { level, time, msg, otelTraceId: traceId, ...attributes } = JSON.parse(line) as Line;
  const hrTime = millisToHrTime(Date.parse(time));
  const severityNumber = SeverityNumber[level.toUpperCase() as 'INFO'];
  const common = { hrTime, hrTimeObserved: hrTime, severityText: level, severityNumber, body: msg };
  // The line belongs to the trace, but to none of its spans.
  return {
    ...common,
    attributes,
    ...(traceId !== undefined && { spanContext: { traceId, spanId: '', traceFlags: 1 } }),
  };
}
