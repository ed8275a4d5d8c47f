import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { aFullOrganization, everythingOf, type FullOrganization } from './full-organization.js';
import type { Method, RunningServer } from './server.js';

/** A request of organization A; `<b.team>` names the team of organization B, `<a.team>` its own. */
export interface NamedRequest {
  readonly method: Method;
  readonly path: string;
  readonly body?: object;
}

/** Two organizations full of data, of which A sends requests and B must not be touched. */
export class TwoOrganizations {
  private constructor(
    private readonly server: RunningServer,
    readonly a: FullOrganization,
    readonly b: FullOrganization,
    /** Stands in every text of B. */
    readonly word: string,
  ) {}

  static async make(server: RunningServer): Promise<TwoOrganizations> {
    const word = `Secret${randomUUID().slice(0, 8)}`;
    return new TwoOrganizations(
      server,
      await aFullOrganization(server, 'Own'),
      await aFullOrganization(server, word),
      word,
    );
  }

  /** A text with the ids in the place of their names. */
  named(text: string): string {
    return text.replace(/<([ab])\.(\w+)>/g, (_, whose: 'a' | 'b', what: 'team') => this[whose][what]._id);
  }

  /** Sends a request with the key of A. */
  async send({ method, path, body }: NamedRequest): Promise<Response> {
    const call = this.a.organization.call(method, this.named(path)).set('idem-key', randomUUID());
    return body === undefined ? call : call.send(JSON.parse(this.named(JSON.stringify(body))) as object);
  }

  /** Everything that is stored of A and of B. */
  async stored(): Promise<{ a: string; b: string }> {
    const database = await this.server.database();
    const [a, b] = [this.a.organization.id, this.b.organization.id];
    return { a: await everythingOf(database, a), b: await everythingOf(database, b) };
  }

  /** Checks that an answer holds no text and no id of B. */
  expectNothingOfB(answer: Response): void {
    const { organization, season, team, opponent, player, schedule } = this.b;
    const records = [season, team, opponent, player, schedule].map(({ _id }) => _id);
    for (const secret of [this.word, organization.id, organization.creator._id, ...records]) {
      expect(answer.text).not.toContain(secret);
    }
  }
}
