import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { scrapeMetrics, type ScrapedMetrics } from '../support/metrics.js';
import { createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

interface Rule {
  /** Of an alert; recording rules have `record`. */
  readonly alert?: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
interface Dashboard {
  readonly panels: readonly {
    readonly datasource?: { readonly uid: string };
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const root = path.resolve(__dirname, '../..');
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');
const { panels } = JSON.parse(textOf('deploy/grafana/dashboard.json')) as Dashboard;
/** Returns the rules of a file. */
function rulesOf(file: string): Rule[] {
  const { groups } = JSON.parse(textOf(`deploy/prometheus/${file}`)) as { groups: readonly { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}
const rules = [...rulesOf('alerts.json'), ...rulesOf('objectives.json')];
const alertExpressions = rulesOf('alerts.json').map(({ expr }) => expr);
const ruleExpressions = rules.map(({ expr }) => expr);
const panelExpressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
/** Labels that Prometheus adds to every series. */
const targetLabels = ['job', 'instance'];

/** Returns the metrics that an expression selects, each with the labels of its selector; promtool checks the syntax. */
function selectorsIn(expression: string): { name: string; labels: string[] }[] {
  const found = expression.matchAll(/\b((?:ffapi|nodejs|process)_\w+)(?:\{([^}]*)\})?/g);
  return [...found].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label),
  }));
}

describe('the dashboard and the alert rules', () => {
  const server = RunningServer.forTests({ METRICS_PORT: '0', RATE_LIMIT_PER_MINUTE: '1' });
  let metrics: ScrapedMetrics;
  /** The metrics before the first request. */
  let fresh: ScrapedMetrics;

  /** Starts a server and triggers each event that adds labels. */
  beforeAll(async () => {
    fresh = await scrapeMetrics(server);
    const organization = await createOrganization(server);
    await organization.call('post', '/teams').set('idem-key', randomUUID()).send({ name: 'Hawks' }).expect(400);
    await organization.call('get', '/teams').expect(429);
    // A new server may not have collected garbage yet; each scrape creates some.
    const hasCollected = async () => {
      metrics = await scrapeMetrics(server);
      return metrics.matching('nodejs_gc_duration_seconds_sum').length > 0;
    };
    await eventually('garbage is collected', hasCollected, 30);
  });

  it('use only metrics and labels of a running server', () => {
    const asked = [...ruleExpressions, ...panelExpressions].flatMap(selectorsIn);
    expect(asked.length).toBeGreaterThan(50);
    const missing = asked.filter(({ name, labels }) => {
      const found = metrics.matching(name);
      const known = [...targetLabels, ...found.flatMap((sample) => Object.keys(sample.labels))];
      return found.length === 0 || labels.some((label) => !known.includes(label));
    });
    expect(missing).toEqual([]);
  });

  it('see the first event, too: counters of alerts start at zero', () => {
    const counters = alertExpressions.flatMap((expr) =>
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
    const asked = panelExpressions.flatMap(selectorsIn).map(({ name }) => name.replace(/_(bucket|sum|count)$/, ''));
    const own = [...metrics.types.keys()].filter((name) => name.startsWith('ffapi_'));
    expect(own.length).toBeGreaterThan(15);
    expect(own.filter((name) => !asked.includes(name))).toEqual([]);
  });
});

it('every alert has its severity and section in docs/operators/alerts.md, which has no other sections', () => {
  const found = textOf('docs/operators/alerts.md').matchAll(/^## (\S+)\n\n(?:\*\*(Critical|Info)\.)?/gm);
  const sections = [...found].map(([, alert, severity = 'warning']) => ({ alert, severity: severity.toLowerCase() }));
  const alerts = rules.filter((rule): rule is Rule & { alert: string } => rule.alert !== undefined);
  const severities = alerts.map(({ alert, labels: { severity } }) => ({ alert, severity }));
  expect(sections).toHaveLength(alerts.length);
  expect(sections).toEqual(expect.arrayContaining(severities));
  for (const { alert, annotations } of alerts) {
    expect(annotations.runbook).toBe(`docs/operators/alerts.md#${alert.toLowerCase()}`);
  }
});

it('every alert has series with which it fires and series with which it does not', () => {
  interface RuleTest {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }
  const files = readdirSync(path.join(root, 'test/monitoring')).map((file) => load(textOf(`test/monitoring/${file}`)));
  const tests = (files as { tests: { alert_rule_test?: RuleTest[] }[] }[])
    .flatMap((file) => file.tests)
    .flatMap(({ alert_rule_test: found = [] }) => found);
  const alertsOf = (found: RuleTest[]) => [...new Set(found.map(({ alertname }) => alertname))].sort();
  const alerts = rules.flatMap(({ alert }) => (alert === undefined ? [] : [alert])).sort();
  expect(alertsOf(tests.filter(({ exp_alerts }) => exp_alerts.length > 0))).toEqual(alerts);
  expect(alertsOf(tests.filter(({ exp_alerts }) => exp_alerts.length === 0))).toEqual(alerts);
});

it('the example configuration of Prometheus loads all rules and scrapes the default address as their job', () => {
  const example = textOf('deploy/prometheus/prometheus.yml');
  const jobs = alertExpressions.flatMap((expr) => [...expr.matchAll(/job="([^"]+)"/g)].map(([, job]) => job));
  expect(example).toMatch(/^rule_files:\n {2}- alerts\.json\n {2}- objectives\.json$/m);
  expect(example).toMatch(/^ +- 127\.0\.0\.1:9464$/m);
  expect(jobs.length).toBeGreaterThan(0);
  for (const job of jobs) expect(example).toContain(`job_name: ${job}\n`);
});

it('the dashboard shows the objectives and their error budgets', () => {
  for (const record of ['objective:error_ratio', 'objective:error_budget'])
    expect(panelExpressions.filter((expr) => expr.includes(record))).not.toEqual([]);
});

it('the dashboard uses only the selected data source', () => {
  const asking = panels.filter(({ targets }) => targets !== undefined);
  for (const { datasource } of asking) expect(datasource?.uid).toBe('${datasource}');
});
