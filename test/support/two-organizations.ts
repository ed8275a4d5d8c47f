import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { createFullOrganization, dumpDatabase, type FullOrganization } from './full-organization.js';
import type { DocumentedRequest } from './documented-requests.js';
import type { RunningServer } from './server.js';

/** Two organizations with records of every kind: A sends requests, B must not be affected. */
export class TwoOrganizations {
  private constructor(
    private readonly server: RunningServer,
    readonly a: FullOrganization,
    readonly b: FullOrganization,
    /** A word in every string of B. */
    private readonly word: string,
    /** The IDs of all records of B. */
    private readonly ids: readonly string[],
  ) {}

  static async create(server: RunningServer, isSandbox = false): Promise<TwoOrganizations> {
    const word = `Secret${randomUUID().slice(0, 8)}`;
    const [a, b] = [
      await createFullOrganization(server, 'Own', { isSandbox }),
      await createFullOrganization(server, word, { isSandbox }),
    ];
    const documents = await dumpDatabase(await server.database(), b.organization.id);
    const ids = documents.map((text) => (JSON.parse(text) as { _id: string })._id);
    for (const { _id } of [b.season, b.team, b.opponent, b.player, b.schedule, b.live, b.endpoint, b.delivery])
      expect(ids).toContain(_id);
    return new TwoOrganizations(server, a, b, word, ids);
  }

  /** A new A with the same B. */
  async withNewA(): Promise<TwoOrganizations> {
    const a = await createFullOrganization(this.server, 'Own');
    return new TwoOrganizations(this.server, a, this.b, this.word, this.ids);
  }

  /** Sends a request with the key of A. */
  async send({ method, path, headers, body }: DocumentedRequest): Promise<Response> {
    const call = this.server.call(method, path).set(headers);
    void call.set('Authorization', `Bearer ${this.a.organization.key.apiKey}`);
    return body === undefined ? call : call.send(body);
  }

  /** Everything stored, except the audit events of rejected admin requests. */
  async stored(id = ''): Promise<string[]> {
    const stored = await dumpDatabase(await this.server.database(), id);
    return stored.filter((text) => !/"outcome":"failure".*"collection":"auditEvents"/.test(text));
  }

  /** Everything stored of B. */
  storedOfB(): Promise<string[]> {
    return this.stored(this.b.organization.id);
  }

  /** Checks that a response contains no string and no ID of B. */
  expectNothingOfB(response: Response): void {
    const revealed = [this.word, ...this.ids].filter((secret) => response.text.includes(secret));
    expect(revealed).toEqual([]);
  }
}
