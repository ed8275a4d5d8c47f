import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, parsed, PartnerClient, type Purpose } from './exchange.js';
import { type Create, type CreatedKind, isAcknowledged, Ledger, type Trail } from './ledger.js';
import type { Partner } from './partner.js';

const clientCount = 8;
/** Pause between two requests of one client; eight clients send about 150 requests per second. */
const pauseMilliseconds = 45;
/** Maximum wait before the next attempt of a rejected create, even if Retry-After is longer. */
const longestRetryPause = 400;
/** Maximum number of rejected creates that one client keeps; it sends no new ones beyond that. */
const mostWaiting = 12;
const settleMilliseconds = 6_000;
const purposes: Record<CreatedKind, Purpose> = { teams: 'new team', players: 'new player', schedules: 'new schedule' };

/** A rejected or interrupted create, and the time of its next attempt. */
interface Waiting {
  readonly create: Create;
  readonly dueAt: number;
}

/** Several clients that read and write until they are stopped. */
export class Workload {
  readonly ledger = new Ledger();
  private stopping = false;
  private readonly clients: Promise<void>[] = [];

  private constructor(
    private readonly bases: readonly string[],
    private readonly partner: Partner,
  ) {}

  /** Starts the clients, which send requests to the addresses in turn. */
  static start(bases: readonly string[], partner: Partner): Workload {
    const workload = new Workload(bases, partner);
    for (let index = 0; index < clientCount; index++) workload.clients.push(workload.runClient());
    return workload;
  }

  /** Stops the clients after they have retried rejected creates for some seconds. */
  async stop(): Promise<Ledger> {
    this.stopping = true;
    await Promise.all(this.clients);
    return this.ledger;
  }

  private async runClient(): Promise<void> {
    const client = new PartnerClient(this.bases, this.partner.apiKey);
    const actor = new Actor(client, this.partner, this.ledger);
    try {
      while (!this.stopping) {
        await actor.act();
        await sleep(pauseMilliseconds * (0.5 + Math.random()));
      }
      await actor.settle(performance.now() + settleMilliseconds);
    } finally {
      client.close();
    }
  }
}

/** One client, with its pending retries. */
class Actor {
  private waiting: Waiting[] = [];
  private readonly own: Trail[] = [];

  constructor(
    private readonly client: PartnerClient,
    private readonly partner: Partner,
    private readonly ledger: Ledger,
  ) {}

  /** Sends a due retry or another request of the mix. */
  async act(): Promise<void> {
    const due = this.waiting.find(({ dueAt }) => dueAt <= performance.now());
    if (due !== undefined) {
      this.waiting = this.waiting.filter((other) => other !== due);
      return this.attempt(due.create);
    }
    const dice = Math.random();
    if (dice < 0.4) return this.read();
    if (dice < 0.6 && this.own.length > 0) return this.change();
    if (dice < 0.66 && this.own.length > 2) return this.remove();
    return this.waiting.length < mostWaiting ? this.create() : this.read();
  }

  /** Retries rejected creates until none is left or the time is over. */
  async settle(end: number): Promise<void> {
    while (this.waiting.length > 0 && performance.now() < end) {
      const [next, ...rest] = this.waiting;
      this.waiting = rest;
      if (next === undefined) return;
      await sleep(Math.max(0, next.dueAt - performance.now()));
      await this.attempt(next.create);
    }
  }

  private async read(): Promise<void> {
    const trail = pick(this.own.filter(({ deletion }) => deletion === 'none'));
    const reads: [Purpose, string][] = [
      ['list of teams', '/teams?limit=20'],
      ['list of schedules', '/schedules?limit=20'],
      ['upcoming schedules', '/schedules?filter=upcoming&limit=20'],
    ];
    if (trail !== undefined) reads.push(['one schedule', `/schedules/${trail.id}`]);
    const [purpose, path] = pick(reads) ?? ['list of teams', '/teams'];
    this.ledger.note(await this.client.send({ purpose, method: 'GET', path }), [200]);
  }

  private create(): Promise<void> {
    const dice = Math.random();
    const kind = dice < 0.2 ? 'teams' : dice < 0.65 ? 'players' : 'schedules';
    const marker = this.ledger.marker();
    const withoutKey = kind === 'schedules' && Math.random() < 0.25;
    const sending = {
      purpose: purposes[kind],
      method: 'POST',
      ...this.bodyOf(kind, marker),
      ...(!withoutKey && { idemKey: randomUUID() }),
    } as const;
    const create: Create = { kind, marker, sending, attempts: 0 };
    this.ledger.creates.push(create);
    return this.attempt(create);
  }

  private bodyOf(kind: CreatedKind, marker: string): { path: string; body: object } {
    const { seasonId: season } = this.partner;
    const teamId = pick(this.partner.teamIds) ?? '';
    if (kind === 'teams') return { path: '/teams', body: { name: marker, season } };
    if (kind === 'players') return { path: `/teams/${teamId}/players`, body: { name: marker, jerseyNumber: '07' } };
    const startDate = '2030-05-01T10:00:00Z';
    return { path: '/schedules', body: { teamId, startDate, teamTwoName: marker } };
  }

  private async attempt(create: Create): Promise<void> {
    const { sending } = create;
    create.attempts++;
    const response = await this.client.send(sending);
    // An earlier attempt with this key may still be in progress.
    const wanted = create.attempts > 1 ? [201, 409] : [201];
    this.ledger.note(response, wanted);
    if (response.status === 201) this.acknowledge(create, response);
    else if (sending.idemKey !== undefined && mayBeRepeated(response)) {
      this.waiting.push({ create, dueAt: performance.now() + pauseBefore(response) });
    }
  }

  private acknowledge(create: Create, response: Exchange): void {
    const id = String(parsed(response.text)?.['_id']);
    create.acknowledged = { id, text: response.text };
    if (create.kind !== 'schedules' || this.own.length > 5) return;
    const trail: Trail = { id, lastSent: 0, lastAcknowledged: 0, deletion: 'none' };
    this.own.push(trail);
    this.ledger.trails.push(trail);
  }

  private async change(): Promise<void> {
    const trail = pick(this.own.filter(({ deletion }) => deletion === 'none'));
    if (trail === undefined) return this.read();
    const number = ++trail.lastSent;
    const response = await this.client.send({
      purpose: 'change of a schedule',
      method: 'PATCH',
      path: `/schedules/${trail.id}`,
      body: { teamId: this.teamOf(trail), eventTitle: titleOf(number) },
    });
    this.ledger.note(response, [200]);
    if (isAcknowledged(response)) trail.lastAcknowledged = number;
  }

  private async remove(): Promise<void> {
    // First repeats a rejected deletion.
    const trail = this.own.find(({ deletion }) => deletion === 'asked') ?? pick(this.own);
    if (trail === undefined) return;
    const path = `/schedules/${trail.id}?teamId=${this.teamOf(trail)}`;
    const response = await this.client.send({ purpose: 'deletion of a schedule', method: 'DELETE', path });
    // After an attempt with an unknown result, 404 means that it was deleted then.
    const gone = trail.deletion === 'asked' && response.status === 404;
    this.ledger.note(response, gone ? [404] : [200]);
    trail.deletion = isAcknowledged(response) || gone ? 'acknowledged' : 'asked';
    if (trail.deletion === 'acknowledged') this.own.splice(this.own.indexOf(trail), 1);
  }

  private teamOf(trail: Trail): string {
    const create = this.ledger.creates.find(({ acknowledged }) => acknowledged?.id === trail.id);
    return String(parsed(create?.acknowledged?.text ?? '')?.['teamId']);
  }
}

/** Returns the title of the n-th change of a schedule. */
function titleOf(number: number): string {
  return `change ${number}`;
}

/** Returns the number of the change that set a title; 0 if none did. */
export function numberOf(title: string): number {
  return Number(/^change (\d+)$/.exec(title)?.[1] ?? 0);
}

function mayBeRepeated({ status }: Exchange): boolean {
  return status === undefined || status === 503 || status === 409;
}

function pauseBefore({ headers }: Exchange): number {
  return Math.min(longestRetryPause, Number(headers['retry-after'] ?? 0) * 1_000 || 100);
}

function pick<T>(items: readonly T[]): T | undefined {
  return items[Math.floor(Math.random() * items.length)];
}
