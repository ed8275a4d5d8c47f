import { type AnyValue, logs, ROOT_CONTEXT, SeverityNumber, trace } from '@opentelemetry/api';
import type { DestinationStream } from 'pino';

/** A line of JSON. Its other fields become attributes. */
interface Line extends Record<string, AnyValue> {
  level: string;
  time: string;
  msg: string;
  otelTraceId?: string;
  otelSpanId?: string;
}

const logger = logs.getLogger('log');

/** Sends log lines with OpenTelemetry's SDK. */
export const collectorOutput: DestinationStream = {
  write(text: string): void {
    const { level, time, msg, otelTraceId: traceId, otelSpanId: spanId, ...attributes } = JSON.parse(text) as Line;
    logger.emit({
      ...{ timestamp: new Date(time), severityText: level, body: msg, attributes },
      severityNumber: SeverityNumber[level.toUpperCase() as 'INFO'],
      context: trace.setSpanContext(ROOT_CONTEXT, { traceId: traceId ?? '', spanId: spanId ?? '', traceFlags: 1 }),
    });
  },
};
