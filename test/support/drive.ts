import type { Response } from 'supertest';
import { formatApiKey, newSecret } from '../../src/modules/api-keys/api-key-format.js';
import { mapBounded } from './concurrency.js';
import type { MarkedSecrets } from './marked-secrets.js';
import { misusesOf, type Words } from './invalid-requests.js';
import { type Arranged, OperationDriver } from './operation-driver.js';
import { type Operation, operations } from './operations.js';
import { aKey } from './organization.js';

/** What is shown once, in the answer that makes it and nowhere else. */
const shown: Readonly<Record<string, 'apiKey' | 'accessToken'>> = {
  createApiKey: 'apiKey',
  rotateApiKey: 'apiKey',
  login: 'accessToken',
  changePassword: 'accessToken',
};

/** What became of one operation: the texts of its answers, and all that went otherwise than it should. */
export interface Driven {
  readonly operation: Operation;
  readonly answers: readonly { readonly what: string; readonly text: string }[];
  readonly faults: readonly string[];
}

/** The secrets of a drive: those that no answer may show, and those that are told back to whoever sent them. */
export interface DrivenSecrets {
  readonly hidden: MarkedSecrets;
  readonly named: MarkedSecrets;
}

/** Sends every operation with success and in every wrong way, secrets everywhere. */
export function driveEverything(driver: OperationDriver, secrets: DrivenSecrets): Promise<Driven[]> {
  return mapBounded(operations, 4, (operation) => new Drive(driver, secrets, operation).run());
}

class Drive {
  private readonly answers: { what: string; text: string }[] = [];
  private readonly faults: string[] = [];

  constructor(
    private readonly driver: OperationDriver,
    private readonly secrets: DrivenSecrets,
    private readonly operation: Operation,
  ) {}

  async run(): Promise<Driven> {
    const { driver, operation } = this;
    const arranged = await driver.arrange();
    const words = await this.wordsFor(arranged);
    for (const { what, call } of misusesOf(operation, await driver.callOf(operation, arranged), words)) {
      const answer = await driver.send(operation, call);
      this.keep(what, answer);
      if (answer.status < 400 || answer.status >= 500) this.faults.push(`${what}: ${answer.status} ${answer.text}`);
    }
    await this.succeed(arranged, words);
    return { operation, answers: this.answers, faults: this.faults };
  }

  private async succeed(arranged: Arranged, { secret }: Words): Promise<void> {
    const headers = {
      Cookie: `session=${secret()}`,
      'X-Api-Key': secret(),
      Referer: `https://pages.example.com/?key=${secret()}`,
      'User-Agent': secret(),
      'X-Forwarded-For': secret(),
    };
    try {
      this.keep('success', await this.driver.succeed(this.operation, arranged, { headers }));
    } catch (error) {
      this.faults.push((error as Error).message);
    }
  }

  private keep(what: string, answer: Response): void {
    this.answers.push({ what, text: `${JSON.stringify(answer.headers)} ${this.textOf(answer)}` });
  }

  /** The text of an answer, without what it shows once; that is a secret from then on. */
  private textOf(answer: Response): string {
    const field = answer.status < 400 ? shown[this.operation.id] : undefined;
    if (field === undefined) return answer.text;
    const { [field]: secret, ...rest } = answer.body as Record<string, string | undefined>;
    if (secret === undefined) this.faults.push(`shows no ${field}`);
    else if (field === 'apiKey') this.secrets.hidden.addKey(secret);
    else this.secrets.hidden.addToken(secret);
    return JSON.stringify(rest);
  }

  private async wordsFor(arranged: Arranged): Promise<Words> {
    const { hidden, named } = this.secrets;
    return {
      secret: () => this.driver.mark + hidden.make('a secret in a wrong place'),
      name: () => named.make('a secret as a name'),
      wrongCredentials: await this.wrongCredentials(arranged),
    };
  }

  private async wrongCredentials({ full, user }: Arranged): Promise<string[]> {
    const { server } = this.driver;
    const { hidden } = this.secrets;
    const { id, key } = full.organization;
    const token = hidden.addToken(await server.login(user.email, user.password));
    const revoked = await aKey(server, id);
    await server.asSuperAdmin('delete', `/api-keys/${revoked.id}`).expect(200);
    const wrong = formatApiKey({ keyPrefix: key.keyPrefix, secret: newSecret() });
    const pair = Buffer.from(`${user.email}:${user.password}`).toString('base64');
    const password = hidden.make('a password');
    return [
      `Bearer ${this.operation.caller === 'apiKey' ? token : key.apiKey}`,
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
