import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What an instrument is called, and what it says: `help` is shown beside its figures. */
export interface Described {
  readonly name: string;
  readonly help: string;
}

/** Makes the instruments of one registry, in the few kinds that this server has. */
export class Instruments {
  constructor(readonly registry: Registry) {}

  /** A count that only grows, for each combination of some labels. */
  counter<Label extends string>(described: Described, labels: readonly Label[]): Counter<Label> {
    return new Counter({ ...described, labelNames: [...labels], registers: [this.registry] });
  }

  /** A count that only grows; what is given back adds one. */
  count(described: Described): () => void {
    const counter = this.counter(described, []);
    return () => counter.inc();
  }

  /**
   * A count for each value of one label; what is given back adds one to a value's.
   * @param known values that are shown from the start, as zero: a rate needs a figure before the first event
   */
  countBy<Value extends string>(label: string, described: Described, known: readonly Value[] = []) {
    const counter = this.counter(described, [label]);
    const seriesOf = remembered((value: Value) => counter.labels(value));
    for (const value of known) seriesOf(value).inc(0);
    return (value: Value, by = 1): void => seriesOf(value).inc(by);
  }

  /** A count that somebody else keeps, asked for when it is looked at. */
  total(described: Described, read: () => number): void {
    const counter: Counter = new Counter({
      ...described,
      registers: [this.registry],
      collect: () => {
        counter.reset();
        counter.inc(read());
      },
    });
  }

  /** A figure that is asked for when it is looked at, and costs nothing before; a truth is 1, else 0. */
  gauge(described: Described, read: () => number | boolean | Promise<number | boolean>): void {
    const gauge: Gauge = new Gauge({
      ...described,
      registers: [this.registry],
      collect: async () => gauge.set(Number(await read())),
    });
  }

  /** What does not change while the process runs, said by labels. */
  constant(described: Described, labels: Record<string, string>): void {
    const gauge = new Gauge({ ...described, labelNames: Object.keys(labels), registers: [this.registry] });
    gauge.set(labels, 1);
  }

  /** How long something took, in seconds, and how often it happened. */
  histogram<Label extends string>(described: Described, labels: readonly Label[], buckets: readonly number[]) {
    return new Histogram({ ...described, labelNames: [...labels], buckets: [...buckets], registers: [this.registry] });
  }
}

/** What a function gave for a text, the first time that it was asked for it. The texts must be few. */
export function remembered<Name extends string, T>(make: (name: Name) => T): (name: Name) => T {
  const made = new Map<Name, T>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const fresh = make(name);
    made.set(name, fresh);
    return fresh;
  };
}
