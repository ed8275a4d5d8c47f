import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValueWithName } from '@prometheus-io/client';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';
import { createResource, exporterOptions, logOutages, type OtlpOptions, shutDown } from './otlp.js';

type Value = MetricValueWithName<string>;
type Metric = MetricObjectWithValues<Value>;

interface MetricsOptions extends OtlpOptions {
  readonly intervalMilliseconds: number;
}

/**
 * Sends the metrics of the registry in intervals. Import this module only if it is used, as it loads OpenTelemetry.
 * @returns a function that sends them for the last time, within 2 s
 */
export function startMetrics(options: MetricsOptions, metrics: Metrics, logger: Logger): () => Promise<void> {
  const resource = createResource(options);
  const exporter = new OTLPMetricExporter(exporterOptions(options, 'metrics'));
  logOutages(exporter, logger, 'metrics');
  const startTime = hrTime();
  const collect = async () => {
    const values = await metrics.registry.getMetricsAsJSON();
    const scopeMetrics = [{ scope: { name: 'metrics' }, metrics: toMetricData(values, startTime) }];
    return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
  };
  const exportIntervalMillis = options.intervalMilliseconds;
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, metricProducers: [{ collect }] });
  const provider = new MeterProvider({ resource, readers: [reader] });
  metrics.measureProcess();
  return () => shutDown(provider);
}

/** Converts the values of a registry. Omits gauges that could not be read. */
export function toMetricData(metrics: readonly Metric[], startTime: HrTime): MetricData[] {
  const endTime = hrTime();
  const toPoint = <T>(labels: Value['labels'], value: T): DataPoint<T> => ({
    ...{ startTime, endTime, value },
    // Series without labels have no such property, although the type requires it.
    attributes: { ...labels },
  });
  return metrics.map((metric) => {
    const descriptor = { name: metric.name, description: metric.help, unit: '', valueType: ValueType.DOUBLE };
    const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
    if (metric.type === 'histogram') {
      const dataPoints = toHistograms(metric).map(({ labels, value }) => toPoint(labels, value));
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
    }
    const read = metric.values.filter(({ value }) => Number.isFinite(value));
    const dataPoints = read.map(({ labels, value }) => toPoint(labels, value));
    if (metric.type === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  });
}

/** Joins the cumulative buckets, the sum and the count of each series, which the registry returns one by one. */
function toHistograms({ name, values }: Metric) {
  const series = Map.groupBy(values, ({ labels: { le, ...labels } }) => JSON.stringify(Object.entries(labels).sort()));
  return [...series.values()].map((parts) => {
    const valueOf = (suffix: string) => parts.find(({ metricName }) => metricName === name + suffix);
    const cumulative = parts.filter(({ metricName }) => metricName === `${name}_bucket`);
    const boundaries = cumulative.map(({ labels }) => Number(labels['le'])).filter(Number.isFinite);
    const counts = cumulative.map(({ value }, index) => value - (cumulative[index - 1]?.value ?? 0));
    const [sum, count] = [valueOf('_sum'), valueOf('_count')];
    return {
      labels: sum?.labels ?? {},
      value: { buckets: { boundaries, counts }, sum: sum?.value ?? 0, count: count?.value ?? 0 },
    };
  });
}
