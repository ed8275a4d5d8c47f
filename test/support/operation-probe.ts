import path from 'node:path';
import type { Response } from 'supertest';
import { formatApiKey, newSecret } from '../../src/modules/api-keys/api-key-format.js';
import { mapBounded } from './concurrency.js';
import type { SecretTracker } from './secret-tracker.js';
import { ignoringQuery, invalidRequestsOf, type SecretSource } from './invalid-requests.js';
import { type OperationFixture, OperationDriver } from './operation-driver.js';
import { type Operation, operations } from './operations.js';
import { createKey } from './organization.js';

/** Secrets that only the response that creates them contains. */
const secretFields: Readonly<Record<string, 'apiKey' | 'accessToken' | 'secret' | 'url' | 'data' | 'passwordReset'>> = {
  createApiKey: 'apiKey',
  rotateApiKey: 'apiKey',
  createWebhookEndpoint: 'secret',
  rotateWebhookSecret: 'secret',
  createCalendarLink: 'url',
  createPasswordReset: 'data',
  createSuperAdmin: 'passwordReset',
  login: 'accessToken',
  refresh: 'accessToken',
  changePassword: 'accessToken',
  createSecondFactor: 'secret',
  confirmSecondFactor: 'accessToken',
};

/** The responses of one operation, and every unexpected result. */
export interface ProbeResult {
  readonly operation: Operation;
  readonly responses: readonly { readonly what: string; readonly text: string }[];
  readonly failures: readonly string[];
  /** The ID of the request that succeeded. */
  readonly requestId: string | undefined;
}

/** Secrets that no response may contain, and those that an error may return to their sender. */
export interface ProbeSecrets {
  readonly hidden: SecretTracker;
  readonly named: SecretTracker;
}

/** Sends every operation successfully and in every invalid way, with secrets everywhere. */
export function probeAllOperations(driver: OperationDriver, secrets: ProbeSecrets): Promise<ProbeResult[]> {
  const credentials = new Map<OperationFixture, Promise<string[]>>();
  return mapBounded(operations, 4, (operation) => new OperationProbe(driver, secrets, operation, credentials).run());
}

class OperationProbe {
  private readonly answers: { what: string; text: string }[] = [];
  private readonly faults: string[] = [];
  private requestId: string | undefined;

  constructor(
    private readonly driver: OperationDriver,
    private readonly secrets: ProbeSecrets,
    private readonly operation: Operation,
    private readonly credentials: Map<OperationFixture, Promise<string[]>>,
  ) {}

  async run(): Promise<ProbeResult> {
    const { driver, operation } = this;
    const arranged = await driver.createFixture(operation);
    const words = await this.wordsFor(arranged);
    for (const { what, call } of invalidRequestsOf(operation, await driver.callOf(operation, arranged), words)) {
      const response = await driver.send(operation, call);
      this.keep(what, response);
      const ignores = what.includes('parameter') && ignoringQuery.has(operation.id);
      if ((response.status < 400 && !ignores) || response.status >= 500)
        this.faults.push(`${what}: ${response.status} ${response.text}`);
    }
    await this.succeed(arranged, words);
    return { operation, responses: this.answers, failures: this.faults, requestId: this.requestId };
  }

  private async succeed(arranged: OperationFixture, { secret }: SecretSource): Promise<void> {
    const headers = {
      ...(this.operation.id !== 'refresh' && { Cookie: `session=${secret()}` }),
      'X-Api-Key': secret(),
      Referer: `https://pages.example.com/?key=${secret()}`,
      'User-Agent': secret(),
      'X-Forwarded-For': secret(),
    };
    try {
      const response = await this.driver.succeed(this.operation, arranged, { headers });
      this.requestId = response.get('X-Request-Id');
      this.keep('success', response);
    } catch (error) {
      this.faults.push((error as Error).message);
    }
  }

  private keep(what: string, response: Response): void {
    this.answers.push({ what, text: `${JSON.stringify(response.headers)} ${this.textOf(response)}` });
  }

  /** The text of a response without a newly created secret, which is tracked from then on. */
  private textOf(response: Response): string {
    const field = response.status < 400 ? secretFields[this.operation.id] : undefined;
    if (field === undefined) return response.text;
    const { recoveryCodes = [], ...body } = response.body as { recoveryCodes?: string[] };
    for (const code of recoveryCodes) this.secrets.hidden.add('a recovery code', code);
    const { [field]: shown, ...rest } = body as Record<string, string | { token: string } | undefined>;
    const secret = typeof shown === 'object' ? shown.token : shown;
    if (secret === undefined) this.faults.push(`shows no ${field}`);
    else if (field === 'apiKey') this.secrets.hidden.addKey(secret);
    else if (field === 'secret') this.secrets.hidden.add(`the secret of ${this.operation.id}`, secret);
    else if (field === 'url') this.secrets.hidden.add('the token of a calendar', path.basename(secret, '.ics'));
    else if (field === 'accessToken') this.secrets.hidden.addToken(secret);
    else this.secrets.hidden.add('a token for a new password', secret);
    // The URI of a second factor contains it, too.
    return JSON.stringify(rest).replaceAll(secret ?? '', '');
  }

  private async wordsFor(arranged: OperationFixture): Promise<SecretSource> {
    const { hidden, named } = this.secrets;
    const wrong = this.credentials.get(arranged) ?? this.wrongCredentials(arranged);
    this.credentials.set(arranged, wrong);
    const [token = '', ...more] = await wrong;
    return {
      secret: () => this.driver.mark + hidden.create('a secret in a wrong place'),
      name: () => named.create('a secret as a name'),
      wrongCredentials: [
        this.operation.caller === 'apiKey' ? `Bearer ${token}` : `Bearer ${arranged.full.organization.key.apiKey}`,
        ...more,
      ],
    };
  }

  /** A token, and credentials that are wrong for every operation; those that share the records share them. */
  private async wrongCredentials({ full, user }: OperationFixture): Promise<string[]> {
    const { server } = this.driver;
    const { hidden } = this.secrets;
    const { id, key } = full.organization;
    const token = hidden.addToken(await server.login(user.email, user.password));
    const revoked = await createKey(server, id);
    await server.asSuperAdmin('delete', `/api-keys/${revoked.id}`).expect(200);
    const wrong = formatApiKey({ keyPrefix: key.keyPrefix, secret: newSecret() });
    const pair = Buffer.from(`${user.email}:${user.password}`).toString('base64');
    const password = hidden.create('a password');
    return [
      token,
      `Bearer ${hidden.addKey(wrong)}`,
      `Bearer ${hidden.addKey(revoked.apiKey)}`,
      `Bearer ${hidden.add('a key that was cut', key.apiKey.slice(0, -1))}`,
      `Bearer ${hidden.addToken(`${token.slice(0, -8)}AAAAAAAA`)}`,
      `Bearer ${password}`,
      `Bearer ${password} ${key.apiKey}`,
      `Basic ${hidden.add('a login in a header', pair)}`,
      key.apiKey,
    ];
  }
}
