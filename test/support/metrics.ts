import type { RunningServer } from './server.js';

/** One figure: a metric's name with its labels. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Everything that a server shows at one moment. */
export class ScrapedMetrics {
  readonly samples: readonly Sample[];
  /** The name of each metric and its type, also of those that have no figure yet. */
  readonly types: ReadonlyMap<string, string>;

  constructor(text: string) {
    const lines = text.split('\n');
    this.types = new Map(lines.flatMap((line) => typeIn(line)));
    this.samples = lines.filter((line) => line !== '' && !line.startsWith('#')).map(sampleIn);
  }

  /** The sum of the figures of a metric whose labels are these, whatever others they have. */
  sum(name: string, labels: Record<string, string> = {}): number {
    return this.matching(name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  /** The figures of a metric whose labels are these, whatever others they have. */
  matching(name: string, labels: Record<string, string> = {}): Sample[] {
    return this.samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  }
}

/** Where a server that was started with METRICS_PORT shows its metrics. */
export function metricsUrl(server: { readonly log: string }): string {
  const [, url] = /"address":"(http:[^"]+\/metrics)"/.exec(server.log) ?? [];
  if (url === undefined) throw new Error(`The server serves no metrics:\n${server.log}`);
  return url;
}

/** What a server shows now. */
export async function scrapeMetrics(server: RunningServer): Promise<ScrapedMetrics> {
  const response = await fetch(metricsUrl(server));
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return new ScrapedMetrics(await response.text());
}

function typeIn(line: string): [string, string][] {
  const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
  return name === undefined || type === undefined ? [] : [[name, type]];
}

function sampleIn(line: string): Sample {
  const [, name = '', inner = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (value === undefined) throw new Error(`This is no figure: ${line}`);
  const labels = [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [label, text]);
  return { name, labels: Object.fromEntries(labels) as Record<string, string>, value: Number(value) };
}
