import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValueWithName, Registry } from '@prometheus-io/client';

type Value = MetricValueWithName<string>;
type Metric = MetricObjectWithValues<Value>;

/** Gives the metrics of a registry, once there is one, to OpenTelemetry's SDK. */
export class RegistryProducer implements MetricProducer {
  registry: Registry | undefined;
  private readonly startTime = hrTime();

  async collect(): Promise<CollectionResult> {
    const values = (await this.registry?.getMetricsAsJSON()) ?? [];
    const scopeMetrics = [{ scope: { name: 'metrics' }, metrics: toMetricData(values, this.startTime) }];
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
  }
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
