import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Db } from 'mongodb';
import { FeedMirror } from '../../../support/feed.js';
import { checkDeliveries, modelKinds } from '../../../support/feed-model.js';
import { type Command, createField, type Field, FeedWriter, quickCommand } from '../../../support/feed-writers.js';
import { createOrganization } from '../../../support/organization.js';
import { eventually } from '../../../support/processes.js';
import type { RunningServer } from '../../../support/server.js';
import { Ledger } from './ledger.js';

const clientCount = 6;
/** Pause between two requests of one client; six clients send about 100 requests per second. */
const pauseMilliseconds = 45;
const sampleOfReplays = 15;

/**
 * Clients of a new organization that read and write over some servers until they are stopped, and a partner who copies its
 * records by following the change feed.
 */
export class Load {
  private isStopping = false;
  private running: Promise<PromiseSettledResult<void>[]> = Promise.resolve([]);

  private constructor(
    readonly ledger: Ledger,
    private readonly field: Field,
    private readonly mirror: FeedMirror,
  ) {}

  static async start(servers: readonly RunningServer[]): Promise<Load> {
    const [first] = servers;
    if (first === undefined) throw new Error('There is no server');
    const ledger = new Ledger();
    const organization = await createOrganization(first);
    const field = await createField([organization, organization], (exchange) => ledger.note(exchange));
    const load = new Load(ledger, field, new FeedMirror(organization));
    const onAny = () => organization.over(servers[Math.floor(Math.random() * servers.length)] ?? first);
    const clients = Array.from({ length: clientCount }, () => new FeedWriter(field, onAny).run(load.commands()));
    load.running = Promise.allSettled([...clients, load.follow(onAny)]);
    return load;
  }

  /** Stops the clients, none of which may have got an unexpected response. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const ended of await this.running) if (ended.status === 'rejected') throw ended.reason;
  }

  /**
   * Expects that the copy equals what is stored, and contradicts no response: no acknowledged write is lost or applied twice,
   * and no revision has two results.
   */
  async expectNothingLost(database: Db): Promise<void> {
    const { mirror } = this;
    const { model } = this.field;
    await mirror.followUntilEqual(database);
    const records = [...mirror.rows.values()];
    for (const kind of modelKinds) {
      const ofKind = records.flatMap((row) => (row.kind === kind && row.record !== undefined ? [row.record] : []));
      expect(model.problemsOf(kind, ofKind)).toEqual([]);
    }
    expect(model.missingAmong(new Set(records.map(({ id }) => id)))).toEqual([]);
    expect(model.unseenRevisions).toBeLessThanOrEqual(model.lost);
    expect([...checkDeliveries(model, mirror.delivered), ...model.violations]).toEqual([]);
  }

  /** Repeats some acknowledged creates and expects each first response, byte for byte. */
  async expectReplays(): Promise<void> {
    const creates = this.ledger.exchanges.filter(({ response, repeat }) => repeat && response?.status === 201);
    for (const { name, response, repeat } of creates.slice(-sampleOfReplays)) {
      let again: typeof response;
      await eventually(`${name} is served`, async () => (again = await repeat?.())?.status !== 503);
      expect([again?.status, again?.text]).toEqual([201, response?.text]);
    }
  }

  private async *commands(): AsyncGenerator<Command> {
    // More than any fault takes.
    for (const command of fc.sample(quickCommand, 5_000)) {
      if (this.isStopping) return;
      yield command;
      await sleep(pauseMilliseconds * (0.5 + Math.random()));
    }
  }

  private async follow(onAny: () => ConstructorParameters<typeof FeedMirror>[0]): Promise<void> {
    while (!this.isStopping) {
      // A server that was killed is not reachable.
      await this.mirror.follow(onAny()).catch(() => undefined);
      await sleep(100);
    }
  }
}
