import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { scrapeMetrics, type ScrapedMetrics } from '../support/metrics.js';
import { createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { parsePromql, isBalanced, type Selector } from '../support/promql.js';
import { RunningServer } from '../support/server.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

const root = path.resolve(__dirname, '../..');
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');
const dashboard = JSON.parse(textOf('deploy/grafana/dashboard.json')) as Dashboard;
const { groups } = JSON.parse(textOf('deploy/prometheus/alerts.json')) as { groups: readonly { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const operations = textOf('docs/operations.md');

/** Labels that Prometheus adds to every series. */
const targetLabels = ['job', 'instance'];

const alertExpressions = rules.map(({ alert, expr }) => ({ place: alert, expr, shown: '' }));
const panelExpressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ place: title, expr, shown: legendFormat })),
);
const expressions = [
  ...alertExpressions.map((each, index) => ({ ...each, shown: rules[index]?.annotations.summary ?? '' })),
  ...panelExpressions,
];

describe('the dashboard and the alert rules', () => {
  let server: RunningServer;
  let metrics: ScrapedMetrics;
  /** The metrics before the first request. */
  let fresh: ScrapedMetrics;

  /** Starts a server and triggers each event that adds labels. */
  beforeAll(async () => {
    server = await RunningServer.start({ METRICS_PORT: '0', RATE_LIMIT_PER_MINUTE: '1' });
    fresh = await scrapeMetrics(server);
    const organization = await createOrganization(server);
    await organization.call('post', '/teams').set('idem-key', randomUUID()).send({ name: 'Hawks' }).expect(400);
    await organization.call('get', '/teams').expect(429);
    // A new server may not have collected garbage yet; each scrape creates some.
    await eventually(
      'garbage is collected',
      async () => {
        metrics = await scrapeMetrics(server);
        return metrics.matching('nodejs_gc_duration_seconds_sum').length > 0;
      },
      30,
    );
  });
  afterAll(() => server.stop());

  /** Returns the labels of a metric; undefined if there is no such metric. */
  function labelsOf(name: string): string[] | undefined {
    if (name === 'up') return targetLabels; // Prometheus' own
    const found = metrics.matching(name);
    return found.length === 0 ? undefined : [...targetLabels, ...found.flatMap(({ labels }) => Object.keys(labels))];
  }

  const missingLabels = ({ name, labels }: Selector, more: readonly string[]) =>
    [...labels, ...more].filter((label) => !labelsOf(name)?.includes(label)).map((label) => `${name}{${label}}`);

  it.each(expressions)('use only metrics and labels of a running server: $place, $expr', (each) => {
    const { metrics: asked, grouping } = parsePromql(each.expr);
    const named = [...each.shown.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = '']) => label);
    expect(asked).not.toEqual([]);
    expect(asked.map(({ name }) => name).filter((name) => labelsOf(name) === undefined)).toEqual([]);
    expect(asked.flatMap((metric) => missingLabels(metric, grouping))).toEqual([]);
    // A displayed label must not be removed by the grouping.
    const isGrouped = /\b(sum|min|max|count|avg|topk)\b\s*(by)?\s*\(/.test(each.expr);
    const left = isGrouped ? grouping : asked.flatMap(({ name }) => labelsOf(name) ?? []);
    expect(named.filter((label) => !left.includes(label))).toEqual([]);
    expect(isBalanced(each.expr)).toBe(true);
  });

  it('see the first event, too: counters of alerts start at zero', () => {
    const counters = alertExpressions.flatMap(({ expr }) =>
      [...expr.matchAll(/(increase\()?\b(ffapi_\w+_total)(?:\{(.*?)\})?\[/g)].map(
        ([, increase, name = '', selector = '']) => ({ increase, name, selector }),
      ),
    );
    // A rate over all values of a label does not depend on the first event of one.
    const exact = counters.filter(({ increase, selector }) => increase !== undefined || selector !== '');
    expect(exact.length).toBeGreaterThan(6);
    for (const { name, selector } of exact) {
      const wanted = [...selector.matchAll(/(\w+)=~?"([^"]*)"/g)];
      const isWanted = (labels: Readonly<Record<string, string>>) =>
        wanted.every(([, label = '', value]) => new RegExp(`^${value}$`).test(labels[label] ?? ''));
      const values = fresh.matching(name).flatMap(({ labels, value }) => (isWanted(labels) ? [value] : []));
      expect([name, selector, [...new Set(values)]]).toEqual([name, selector, [0]]);
    }
  });

  it('show all metrics of the server on the dashboard', () => {
    const asked = panelExpressions.flatMap(({ expr }) => parsePromql(expr).metrics.map(({ name }) => name));
    const bare = new Set(asked.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
    const own = [...metrics.types.keys()].filter((name) => name.startsWith('ffapi_'));
    expect(own.length).toBeGreaterThan(15);
    expect(own.filter((name) => !bare.has(name))).toEqual([]);
  });
});

describe('the parser of expressions', () => {
  it('finds metrics and labels of selectors and groupings, but no functions, strings or numbers', () => {
    const text =
      'topk(3, sum by (le, route) (rate(a_bucket{x="b{c}", y!~"d"}[5m]))) / on (z) e > 1.5e9 and bool_f offset 5m';
    expect(parsePromql(text)).toEqual({
      metrics: [
        { name: 'a_bucket', labels: ['x', 'y'] },
        { name: 'e', labels: [] },
        { name: 'bool_f', labels: [] },
      ],
      grouping: ['le', 'route', 'z'],
    });
    expect([isBalanced('a(b{c="("}[1m])'), isBalanced('a(b]'), isBalanced('a((b)')]).toEqual([true, false, false]);
  });
});

describe('every alert', () => {
  it('has a unique name, a severity, a summary and a duration', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(['critical', 'warning', 'info']).toContain(rule.labels.severity);
      expect(rule.annotations.summary).toMatch(/\.$/);
      expect(rule.for).toMatch(/^\d+[ms]$/);
    }
  });

  it('links to its section in docs/operations.md, which has no other sections', () => {
    const [, alerts = ''] = /^## Alerts$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(operations) ?? [];
    const sections = [...alerts.matchAll(/^### (\S+)$/gm)].map(([, name = '']) => name);
    expect(sections.sort()).toEqual(rules.map(({ alert }) => alert).sort());
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
    }
  });

  it('is loaded by the example configuration of Prometheus, which scrapes the default address', () => {
    const example = textOf('deploy/prometheus/prometheus.yml');
    const jobs = rules.flatMap(({ expr }) => [...expr.matchAll(/job="([^"]+)"/g)].map(([, job]) => job));
    expect(example).toMatch(/^rule_files:\n {2}- alerts\.json$/m);
    expect(example).toMatch(/^ +- 127\.0\.0\.1:9464$/m);
    expect(jobs.length).toBeGreaterThan(0);
    for (const job of jobs) expect(example).toContain(`job_name: ${job}\n`);
  });
});

describe('the dashboard', () => {
  it('has a row for traffic, latency, errors, keys and limits, database, webhooks, process', () => {
    const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(rows).toEqual(['Traffic', 'Latency', 'Errors', 'Keys and limits', 'Database', 'Webhooks', 'Process']);
  });

  it('uses only the selected data source', () => {
    expect(dashboard.templating.list).toContainEqual(
      expect.objectContaining({ name: 'datasource', type: 'datasource' }),
    );
    const asking = dashboard.panels.filter(({ targets }) => targets !== undefined);
    for (const { datasource } of asking) expect(datasource?.uid).toBe('${datasource}');
  });

  it('has a unique ID and position for every panel', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });
});
