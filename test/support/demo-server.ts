import type { OpenAPIObject } from '@nestjs/swagger';
import { type Operation, operationsOf } from './operations.js';
import { api } from './organization.js';
import { eventually } from './processes.js';
import { RunningServer } from './server.js';

interface Row {
  teamId: string;
  playerId: string;
  category: string;
  stats: Record<string, number | null>;
}
interface Schedule {
  _id: string;
  teamId: string;
  teamTwoId?: string;
  eventType: string;
  startDate: string;
  endDate: string;
}
type Stored = Record<string, unknown> & { _id: string };

export interface Page<T> {
  data: T[];
  total: number;
}

/** A demo server as users see it on the screen and over HTTP. */
export class DemoServer {
  private constructor(
    readonly server: RunningServer,
    readonly screen: string[],
  ) {}

  static async start(folder: string, environment: Record<string, string> = {}): Promise<DemoServer> {
    const server = await RunningServer.startEmbedded(folder, environment);
    await eventually('the welcome', () => server.log.includes('\nSuper admin: '));
    await eventually('its end', () => screenOf(server).endsWith('\n\n'));
    return new DemoServer(server, screenOf(server).split('\n'));
  }

  get key(): string {
    return this.screen.flatMap((line) => /^Demo API key: (\S+)$/.exec(line)?.[1] ?? [])[0] ?? '';
  }

  get superAdmin(): { email: string; password: string } {
    const [, email = '', password = ''] = /^Super admin: (\S+) \/ (\S+)$/m.exec(this.screen.join('\n')) ?? [];
    return { email, password };
  }

  async list(route: string): Promise<Page<Stored>> {
    const call = this.server.call('get', `${api}${route}`).set('Authorization', `Bearer ${this.key}`);
    return (await call.expect(200)).body as Page<Stored>;
  }

  /** Returns the operations of a served document, whose examples name records of the demo. */
  async operations(path: string): Promise<Operation[]> {
    return operationsOf((await this.server.call('get', path).expect(200)).body as OpenAPIObject);
  }

  async schedules(query: string): Promise<Page<Schedule>> {
    return (await this.list(`/schedules${query}`)) as unknown as Page<Schedule>;
  }

  async liveGame(): Promise<Schedule> {
    const [game] = (await this.schedules('?filter=live&eventType=game')).data;
    if (game === undefined) throw new Error('There is no live game');
    return game;
  }

  async statistics(game: Schedule): Promise<Row[]> {
    const { data } = await this.list(`/schedules/${game._id}/player-statistics`);
    return data as unknown as Row[];
  }

  /** Totals that must stay the same after a restart. */
  async totals(): Promise<Record<string, number>> {
    const teams = await this.list('/teams');
    const players = await Promise.all(teams.data.map(({ _id }) => this.list(`/teams/${_id}/players`)));
    return {
      seasons: (await this.list('/seasons')).total,
      teams: teams.total,
      players: players.reduce((sum, { total }) => sum + total, 0),
      schedules: (await this.list('/schedules')).total,
      live: (await this.list('/schedules?filter=live')).total,
    };
  }
}

/** Returns what the server shows once it is ready, without the lines of its log, which can follow at any time. */
function screenOf({ log }: RunningServer): string {
  const fromReady = log.slice(log.indexOf('"msg":"Ready"'));
  return fromReady.replace(/^.*\n/, '').replace(/^\{.*\n/gm, '');
}
