import { randomBytes, randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { createSuperAdmin, updateOrganization } from './admins.js';
import { exampleOf, type Input, inputsOf, requestOf } from './documented-requests.js';
import { createFullOrganization, type FullOrganization, knownExternalId } from './full-organization.js';
import { codeOf, enrol } from './second-factor.js';
import type { SecretTracker } from './secret-tracker.js';
import type { Operation, Schema } from './operations.js';
import type { TestOrganization } from './organization.js';
import type { RunningServer } from './server.js';

/** A request to an operation, ready to be sent or changed. */
export interface Call {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** A string is sent unchanged. */
  readonly body: object | string | undefined;
}

/** An organization for one operation, and the IDs for its parameters and fields. */
export interface OperationFixture {
  readonly full: FullOrganization;
  readonly ids: Readonly<Record<string, string>>;
  /** A user who can log in and is used by no other operation. */
  readonly user: { readonly email: string; readonly password: string };
  /** The token of the caller, if it is not that of the first super admin. */
  readonly accessToken?: string;
}

/**
 * Sends any operation of the published documents successfully, with their examples: IDs are those of existing records,
 * passwords are tracked secrets, and every free text contains `mark`.
 */
export class OperationDriver {
  private fixtureForReading: Promise<OperationFixture> | undefined;

  constructor(
    readonly server: RunningServer,
    private readonly secrets: SecretTracker,
    readonly mark: string,
  ) {}

  /** Creates the records for one operation, so that operations do not affect each other; those that only read share theirs. */
  createFixture({ id, method }: Partial<Operation> = {}): Promise<OperationFixture> {
    return method === 'get' ? (this.fixtureForReading ??= this.createRecords()) : this.createRecords(id);
  }

  private async createRecords(id?: string): Promise<OperationFixture> {
    const full = await createFullOrganization(this.server, this.mark, { isSandbox: id === 'resetSandbox' });
    const { organization, season, team, opponent, player, schedule, endpoint, delivery, calendarLink } = full;
    const user = await this.createUser(organization);
    this.secrets.addKey(organization.key.apiKey);
    const token = /([\w-]+)\.ics$/.exec(String(calendarLink['url']))?.[1] ?? '';
    this.secrets.add('the token of a calendar', token);
    const ids = {
      organizationId: organization.id,
      season: season._id,
      seasonId: season._id,
      teamId: team._id,
      teamTwoId: opponent._id,
      playerId: player._id,
      scheduleId: schedule._id,
      userId: user._id,
      apiKeyId: organization.key.id,
      webhookEndpointId: endpoint._id,
      deliveryId: delivery._id,
      linkId: calendarLink._id,
      token,
    };
    return { full, ids, user };
  }

  /** The request that succeeds. */
  async callOf(operation: Operation, fixture: OperationFixture): Promise<Call> {
    const arranged = await this.arrange(operation, fixture);
    const isSent = ({ place, required }: Input) => place === 'body' || (required && place !== 'header');
    const inputs = inputsOf(operation).filter(isSent);
    const values = new Map(inputs.map((input) => [input, this.valueOf(operation, input, arranged)]));
    const given = (place: Input['place']) =>
      Object.fromEntries(
        inputs.filter((input) => input.place === place).map((input) => [input.name, String(values.get(input))]),
      );
    return {
      path: given('path'),
      query: given('query'),
      headers: { ...(await this.credentialOf(operation, arranged)), ...this.idempotencyKeyOf(operation) },
      body: requestOf(operation, values).body,
    };
  }

  private async arrange({ id }: Operation, fixture: OperationFixture): Promise<OperationFixture> {
    if (id.startsWith('deleteTeam')) return this.withUnusedTeam(fixture);
    // Not earlier, as nobody of a disabled organization can log in.
    if (id === 'eraseOrganization')
      await updateOrganization(this.server, fixture.full.organization.id, { disabled: true });
    if (id === 'resetPassword') return this.withResetToken(fixture);
    if (id === 'deleteSecondFactor') return this.withSecondFactor(fixture);
    if (id === 'resetSecondFactor') return this.withOwnSecondFactor(await this.withSecondFactor(fixture));
    if (id === 'endGracePeriod') await this.rotateKey(fixture);
    return id === 'confirmSecondFactor' ? this.withSecret(fixture) : fixture;
  }

  /** The user has a secret of a second factor, whose code is not used. */
  private async withSecret({ full, ids, user }: OperationFixture): Promise<OperationFixture> {
    const token = await this.login(user);
    const call = this.server.call('post', '/auth/second-factor').set('Authorization', `Bearer ${token}`);
    const { secret } = (await call.send({ password: user.password }).expect(201)).body as { secret: string };
    this.secrets.add('the secret of a second factor', secret);
    return { full, ids: { ...ids, code: codeOf(secret) }, user };
  }

  /** The previous secret of the key still works. */
  private async rotateKey({ ids }: OperationFixture): Promise<void> {
    const call = this.server.asSuperAdmin('post', `/api-keys/${ids['apiKeyId']}/rotate`);
    const { apiKey } = (await call.send({ graceSeconds: 60 }).expect(200)).body as { apiKey: string };
    this.secrets.addKey(apiKey);
  }

  /** A new user has a second factor, whose code is not used. */
  private async withSecondFactor({ full, ids }: OperationFixture): Promise<OperationFixture> {
    const user = await this.createUser(full.organization);
    const { secret, accessToken } = await enrol(this.server, await this.login(user), user.password);
    return { full, ids: { ...ids, userId: user._id, code: codeOf(secret) }, user, accessToken };
  }

  /** The caller is another super admin, who has a second factor. */
  private async withOwnSecondFactor({ full, ids }: OperationFixture): Promise<OperationFixture> {
    const user = await createSuperAdmin(this.server);
    const { secret, accessToken } = await enrol(this.server, await this.login(user), user.password);
    return { full, ids: { ...ids, code: codeOf(secret) }, user, accessToken };
  }

  /** The user has a token for a new password. */
  private async withResetToken({ full, ids, user }: OperationFixture): Promise<OperationFixture> {
    const created = await this.server.asSuperAdmin('post', `/users/${ids['userId']}/password-reset`).expect(201);
    const { token } = (created.body as { data: { token: string } }).data;
    this.secrets.add('a token for a new password', token);
    return { full, ids: { ...ids, token }, user };
  }

  /** A team with players or schedules cannot be deleted. */
  private async withUnusedTeam({ full, ids, user }: OperationFixture): Promise<OperationFixture> {
    const externalId = randomUUID();
    const team = await full.organization.team({ season: full.season._id, name: `${this.mark} unused`, externalId });
    return { full, ids: { ...ids, teamId: team._id, externalId }, user };
  }

  /** Sends a request to an operation. */
  async send(operation: Operation, { path, query, headers, body }: Call): Promise<Response> {
    const route = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
    const call = this.server.call(operation.method, route).query(query);
    for (const [name, value] of Object.entries(headers)) void call.set(name, value);
    if (typeof body === 'string') void call.set('Content-Type', headers['Content-Type'] ?? 'application/json');
    return body === undefined ? call : call.send(body);
  }

  /**
   * Sends an operation and checks that it succeeds.
   * @throws Error naming the operation if it is rejected
   */
  async succeed(operation: Operation, arranged: OperationFixture, extra: Partial<Call> = {}): Promise<Response> {
    const call = await this.callOf(operation, arranged);
    const headers = { ...call.headers, ...extra.headers };
    const response = await this.send(operation, { ...call, ...extra, headers });
    if (response.status === operation.success) return response;
    const said = `${response.status} ${response.text} instead of ${operation.success} to ${JSON.stringify(call.body)}`;
    throw new Error(`${operation.id} cannot be driven: ${said}. Teach test/support/operation-driver.ts what it needs.`);
  }

  private async credentialOf(
    { id, caller, path }: Operation,
    { full, user, accessToken }: OperationFixture,
  ): Promise<Call['headers']> {
    // Operations on the own user need a user of their own.
    const token = async () =>
      accessToken ?? (path.startsWith('/auth/') ? this.login(user) : this.server.superAdminToken);
    if (id === 'refresh')
      return { Cookie: `__Host-token=${this.secrets.addToken(await token())}`, 'Sec-Fetch-Site': 'same-origin' };
    if (caller === 'anybody') return {};
    const credential = caller === 'apiKey' ? full.organization.key.apiKey : await token();
    if (caller === 'adminToken') this.secrets.addToken(credential);
    return { Authorization: `Bearer ${credential}` };
  }

  private login({ email, password }: OperationFixture['user']): Promise<string> {
    return this.server.login(email, password);
  }

  private async createUser({ id }: TestOrganization): Promise<{ _id: string; email: string; password: string }> {
    const user = { name: `${this.mark} user`, email: this.newEmail(), password: this.secrets.create('a password') };
    const created = await this.server.asSuperAdmin('post', `/organizations/${id}/users`).send(user).expect(201);
    return { ...user, _id: (created.body as { _id: string })._id };
  }

  private idempotencyKeyOf({ parameters }: Operation): Call['headers'] {
    const takesOne = parameters.some(({ name }) => name === 'idem-key');
    return takesOne ? { 'idem-key': this.secrets.create('an idem-key') } : {};
  }

  private valueOf(operation: Operation, input: Input, arranged: OperationFixture): unknown {
    const { name, field, schema } = input;
    const id = arranged.ids[name === 'id' ? ownerOf(operation) : name];
    if (id !== undefined) return id;
    if (name === 'externalId') return operation.success === 201 ? randomUUID() : knownExternalId;
    // Counters that contradict each other are tested elsewhere.
    if (field.includes('.stats.')) return 0;
    if (operation.id === 'eraseOrganization') return `${this.mark} organization`;
    if (/password/i.test(name)) return this.passwordFor(operation, name, arranged);
    if (name === 'email') return operation.id === 'login' ? arranged.user.email : this.newEmail();
    if (schema['format'] === 'uri') return `https://cdn.example.com/${this.mark}.png`;
    return schema['type'] === 'string' && isFreeText(schema) ? `${this.mark} ${name}` : exampleOf(input);
  }

  private passwordFor(operation: Operation, name: string, { user }: OperationFixture): string {
    const isKnown = /^login$|SecondFactor$/.test(operation.id) || /current|old/i.test(name);
    return isKnown ? user.password : this.secrets.create('a password');
  }

  private newEmail(): string {
    return `${this.mark}.${randomBytes(8).toString('hex')}@example.com`;
  }
}

function isFreeText({ enum: choices, format, pattern, maxLength }: Schema): boolean {
  return [choices, format, pattern].every((rule) => rule === undefined) && Number(maxLength ?? 1_000) >= 60;
}

/** The record that `id` in the path of an operation names. */
function ownerOf({ path }: Operation): string {
  if (path.includes('/webhook-endpoints')) return 'webhookEndpointId';
  if (path.includes('/records/')) return 'season';
  return path.startsWith('/seasons') ? 'season' : 'apiKeyId';
}
