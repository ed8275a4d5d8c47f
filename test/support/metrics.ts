/** One sample: a metric's name with labels and value. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All metrics of a server at one moment. */
export class ScrapedMetrics {
  readonly samples: readonly Sample[];
  /** The type of each metric by name, including those without a sample. */
  readonly types: ReadonlyMap<string, string>;

  constructor(text: string) {
    const lines = text.split('\n');
    this.types = new Map(lines.flatMap((line) => typeIn(line)));
    this.samples = lines.filter((line) => line !== '' && !line.startsWith('#')).map(sampleIn);
  }

  /** The sum of a metric's samples with these labels, whatever other labels they have. */
  sum(name: string, labels: Record<string, string> = {}): number {
    return this.matching(name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  /** A metric's samples with these labels, whatever other labels they have. */
  matching(name: string, labels: Record<string, string> = {}): Sample[] {
    return this.samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  }
}

/** The metrics URL of a server that was started with METRICS_PORT. */
export function metricsUrl(server: { readonly log: string }): string {
  const [, url] = /"url":"(http:[^"]+\/metrics)"/.exec(server.log) ?? [];
  if (url === undefined) throw new Error(`The server serves no metrics:\n${server.log}`);
  return url;
}

/** Reads the current metrics of a server. */
export async function scrapeMetrics(server: { readonly log: string }): Promise<ScrapedMetrics> {
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
