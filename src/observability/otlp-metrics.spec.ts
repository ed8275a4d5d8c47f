import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { toMetricData } from './otlp-metrics.js';

describe('toMetricData', () => {
  const registers = [new Registry()];
  const convert = async () => {
    const [registry = new Registry()] = registers;
    const metrics = toMetricData(await registry.getMetricsAsJSON(), [1, 0]);
    registry.clear();
    return metrics.map(({ dataPoints, descriptor: { name, description } }) => ({
      ...{ name, description },
      points: dataPoints.map(({ attributes, value }) => [attributes, value]),
    }));
  };
  const named = (name: string) => ({ name, help: `Help of ${name}.`, registers });

  it('keeps names, help texts and labels of counters and gauges, and omits values that could not be read', async () => {
    new Counter({ ...named('hits_total'), labelNames: ['route'] }).inc({ route: '/teams' }, 3);
    new Gauge({ ...named('size'), collect() { this.set(Number.NaN); } }); // prettier-ignore
    new Counter(named('starts_total')).inc();
    expect(await convert()).toEqual([
      { name: 'hits_total', description: 'Help of hits_total.', points: [[{ route: '/teams' }, 3]] },
      { name: 'size', description: 'Help of size.', points: [] },
      { name: 'starts_total', description: 'Help of starts_total.', points: [[{}, 1]] },
    ]);
  });

  it('converts the cumulative buckets of each series of a histogram', async () => {
    const histogram = new Histogram({ ...named('seconds'), labelNames: ['route', 'method'], buckets: [0.5, 1] });
    for (const value of [0.1, 0.5, 0.7, 4]) histogram.observe({ route: '/a', method: 'GET' }, value);
    histogram.observe({ route: '/b', method: 'GET' }, 0.75);
    const [{ points } = { points: [] }] = await convert();
    expect(points).toEqual([
      [
        { route: '/a', method: 'GET' },
        { buckets: { boundaries: [0.5, 1], counts: [2, 1, 1] }, sum: 5.3, count: 4 },
      ],
      [
        { route: '/b', method: 'GET' },
        { buckets: { boundaries: [0.5, 1], counts: [0, 1, 0] }, sum: 0.75, count: 1 },
      ],
    ]);
  });
});
