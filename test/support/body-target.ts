import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Response } from 'supertest';
import type { BulkResponse } from '../../src/records/bulk.dto.js';
import { createFullOrganization, dumpDatabase, type FullOrganization } from './full-organization.js';
import { exampleOf, type Input, inputsOf, requestOf } from './documented-requests.js';
import { type Operation, operations } from './operations.js';
import { idFor, valueFor } from './record-names.js';
import { type RunningServer, superAdmin } from './server.js';

type Body = Record<string, unknown>;

/** Every operation of both documents that has a body. */
export const bodyOperations: readonly Operation[] = operations.filter(({ body }) => body !== undefined);

/** Returns the maximum size of an operation's body in bytes. */
export function bodyLimitOf({ row: { bodyLimit = 102_400 } }: Operation): number {
  return bodyLimit;
}

/**
 * Returns all bodies for the first operation with its caller and limit, and some in turn for the others, because one
 * parser reads the bodies of all.
 */
export function bodiesFor<T>(operation: Operation, all: readonly T[]): readonly T[] {
  const kindOf = (one: Operation) => `${one.caller} ${bodyLimitOf(one)}`;
  const index = bodyOperations.indexOf(operation);
  if (bodyOperations.findIndex((one) => kindOf(one) === kindOf(operation)) === index) return all;
  return all.filter((_body, place) => place === 0 || place % 9 === index % 9);
}

/** Placeholder for raw JSON that `JSON.stringify` cannot produce. */
const placeholder = '@hole@';

/** An operation with a body, and an organization with the records that the body can name. */
export class BodyTarget {
  private readonly inputs: readonly Input[];
  private created: string | undefined;

  private constructor(
    private readonly server: RunningServer,
    private readonly operation: Operation,
    private readonly organization: FullOrganization,
  ) {
    this.inputs = inputsOf(operation);
  }

  static async create(server: RunningServer, operation: Operation): Promise<BodyTarget> {
    return new BodyTarget(server, operation, await createFullOrganization(server, 'Own'));
  }

  /**
   * Whether only the body can make the request fail: its path names existing records, and it changes no other login.
   */
  get dependsOnBodyOnly(): boolean {
    const { id, path } = this.operation;
    const named = this.inputs
      .filter(({ place }) => place === 'path')
      .every((input) => this.knownId(input) !== undefined || input.name === 'externalId');
    return id === 'login' || (named && !path.startsWith('/auth/'));
  }

  /** Checks that the body was not rejected; if the path names no existing record, the request may fail for that. */
  expectAccepted(response: Response, expected: number, what: string): void {
    const isTaken =
      response.status === expected || (!this.dependsOnBodyOnly && response.clientError && response.status !== 400);
    expect({ what, text: response.text, status: response.status, isTaken }).toMatchObject({ isTaken: true });
  }

  get fields(): Input[] {
    return this.inputs.filter(({ place }) => place === 'body');
  }

  /** A valid body, different each time. */
  body(): Body {
    return this.request().body ?? {};
  }

  /** The JSON of a valid body with other JSON in some fields. */
  bodyWith(inputs: readonly Pick<Input, 'keys'>[], json: string): string {
    const body = this.body();
    for (const { keys } of inputs) {
      const place = keys.slice(0, -1).reduce<unknown>((inner, key) => (inner as Body)[key], body) as Body;
      place[String(keys.at(-1))] = placeholder;
    }
    return JSON.stringify(body).replaceAll(`"${placeholder}"`, () => json);
  }

  /** Sends bytes unchanged, by default as JSON in UTF-8. A failed row of a bulk request is returned as an error. */
  async send(body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
    const { method, path, headers: own } = this.request();
    const { organization } = this.organization;
    const isAdmin = this.operation.caller === 'adminToken';
    const call = isAdmin ? this.server.asSuperAdmin(method, path) : this.server.call(method, path);
    if (this.operation.caller === 'apiKey') void call.set('Authorization', `Bearer ${organization.key.apiKey}`);
    // A response to a body that is still being sent can get lost if the server closes the connection after it.
    const usual = { 'Content-Type': 'application/json', Connection: 'keep-alive' };
    void call.set({ ...own, ...usual, ...headers }).timeout(10_000);
    const response = await call.serialize((bytes) => bytes as string).send(body as string);
    await this.makeRoom(response);
    return toRowResponse(response);
  }

  /** Deletes the webhook endpoint before a new one: an organization can have only ten. */
  private async makeRoom({ status, body }: Response): Promise<void> {
    if (this.operation.id !== 'createWebhookEndpoint' || status !== 201) return;
    const { organization } = this.organization;
    if (this.created !== undefined) await organization.call('delete', `/webhook-endpoints/${this.created}`).expect(200);
    this.created = (body as { _id: string })._id;
  }

  /** Everything stored except the audit, which may record a rejection. */
  async stored(): Promise<Record<string, string[]>> {
    const stored = await dumpDatabase(await this.server.database());
    return { ...stored, auditEvents: [] };
  }

  private request() {
    return requestOf(this.operation, new Map(this.inputs.map((input) => [input, this.valueOf(input)])));
  }

  private valueOf(input: Input): unknown {
    const { name, field } = input;
    if (this.operation.id === 'login') return superAdmin[name as keyof typeof superAdmin];
    if (name === 'email' && this.operation.caller !== 'apiKey') return `${randomUUID()}@example.com`;
    // Counters that contradict each other are tested elsewhere.
    if (field.includes('.stats.')) return 0;
    // Admin operations get unknown IDs, because later tests need the existing records.
    return (
      this.knownId(input) ??
      valueFor(input, this.operation) ??
      (input.place === 'path' ? String(new ObjectId()) : exampleOf(input))
    );
  }

  private knownId(input: Input): string | undefined {
    // Later requests of the test need the player and the organization.
    if (this.operation.id.startsWith('erase') && input.place === 'path') return undefined;
    if (input.name === 'organizationId') return this.organization.organization.id;
    // The ID of a key or a season is called like that of a webhook endpoint.
    return /^\/(?:api-keys|seasons)/.test(this.operation.path) ? undefined : idFor(input, this.organization);
  }
}

/** Returns the response to a bulk request with one row as if the row had been the request. */
function toRowResponse(response: Response): Response {
  const { summary, data } = response.body as Partial<BulkResponse>;
  const refusal = summary && data?.[0]?.error;
  if (refusal === undefined) return response;
  const { error, message } = refusal;
  const details = refusal.details?.map((problem) => ({ ...problem, field: `rows[0].${problem.field}` }));
  const envelope = { timestamp: new Date().toISOString(), traceId: response.headers['x-request-id'] };
  const body = { error, message, ...envelope, ...(details && { details }) };
  const status = Math.floor(error / 100);
  const headers = { ...response.headers, link: `</docs#errors/description/${error}>; rel="help"` };
  // The document does not list the errors of rows.
  const request = { method: 'row', url: 'http://localhost' };
  const result = { status, ok: false, clientError: true, headers, body, text: JSON.stringify(body), request };
  return Object.assign(Object.create(response) as Response, result);
}
