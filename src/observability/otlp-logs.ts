import { type AnyValue, logs, ROOT_CONTEXT, SeverityNumber, trace } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import type { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import type { LineOutput } from './logger.js';

/** About 16 MB of request lines. */
export const maxPendingLines = 50_000;
const retryMilliseconds = 1_000;

/**
 * Sends log lines to a collector, and repeats requests while it is unavailable. Drops and counts lines that the collector
 * rejects for good, and further ones while 50,000 are waiting.
 */
export class LogSender implements LineOutput {
  droppedLines = 0;
  private pendingLines = 0;
  private readonly logger = logs.getLogger('log');

  constructor(readonly exporter: OTLPLogExporter) {
    const send = exporter.export.bind(exporter);
    exporter.export = (records, done) =>
      send(records, (result) => {
        // The error has the status as code only if OTLP forbids to repeat the request: not for 429, 502, 503 and 504.
        const isRejected = typeof (result.error as { code?: unknown } | undefined)?.code === 'number';
        if (result.code !== ExportResultCode.SUCCESS && !isRejected) {
          setTimeout(() => exporter.export(records, done), retryMilliseconds);
          return;
        }
        this.pendingLines -= records.length;
        if (isRejected) this.droppedLines += records.length;
        done(result);
      });
  }

  write(line: string): void {
    if (this.pendingLines === maxPendingLines) {
      this.droppedLines++;
      return;
    }
    this.pendingLines++;
    const {
      level,
      time,
      msg,
      otelTraceId: traceId = '',
      otelSpanId: spanId = '',
      ...attributes
    } = JSON.parse(line) as Line;
    this.logger.emit({
      ...{ timestamp: new Date(time), severityText: level, body: msg, attributes },
      severityNumber: SeverityNumber[level.toUpperCase() as 'INFO'],
      context: trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: 1 }),
    });
  }
}

/** A line of JSON. Its other fields become attributes. */
interface Line extends Record<string, AnyValue> {
  level: string;
  time: string;
  msg: string;
  otelTraceId?: string;
  otelSpanId?: string;
}
