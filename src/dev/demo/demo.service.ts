import { randomBytes } from 'node:crypto';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { ApiKeyAuthenticator } from '../../modules/api-keys/api-key-authenticator.js';
import { ApiKeysService } from '../../modules/api-keys/api-keys.service.js';
import { publicPrefix } from '../../access/public-api.js';
import { type AdminContext, type RequestContext, unconditional } from '../../access/request-context.js';
import type { DemoValues } from '../../http/pages.js';
import { Configuration } from '../../config/configuration.js';
import { OrganizationsService } from '../../modules/organizations/organizations.service.js';
import { UsersRepository } from '../../modules/users/users.repository.js';
import { DemoFile, type DemoState } from './demo-file.js';
import { demoLeague, DemoLeague } from '../../modules/sandbox/demo-league.js';
import { DemoExamples } from './demo-examples.js';
import { browserUrl, type DemoAccess } from './welcome.js';

interface Login {
  readonly email: string;
  readonly password: string;
}

interface WorkingKey {
  readonly apiKey: string;
  readonly context: RequestContext;
}

/**
 * Prepares the demo data of an embedded database. `demo.env` contains `DEMO_UNFINISHED` while it is created. A start
 * that finds this mark creates new demo data in another organization.
 */
export class DemoService {
  private readonly logger = new Logger('Demo');
  private readonly configuration = this.app.get(Configuration);
  private readonly users = this.app.get(UsersRepository);
  private readonly organizations = this.app.get(OrganizationsService);
  private readonly apiKeys = this.app.get(ApiKeysService);
  private readonly authenticator = this.app.get(ApiKeyAuthenticator);
  private readonly league = this.app.get(DemoLeague);
  private readonly examples = new DemoExamples(this.app);
  private readonly file = new DemoFile(this.configuration.dataFolder);
  private login: Login | undefined;

  /** @param app provides the services; no module provides this class, which is only loaded with the embedded database */
  constructor(private readonly app: INestApplicationContext) {}

  /**
   * Returns the login for the first super admin: the configured one, or a generated one that is saved in `demo.env`.
   * @returns undefined if there is a super admin whose login is not known
   */
  async superAdminLogin(): Promise<Login | undefined> {
    return (this.login = this.configuration.superAdmin ?? (await this.savedLogin()));
  }

  private async savedLogin(): Promise<Login | undefined> {
    const state = await this.file.read();
    const { DEMO_ADMIN_EMAIL: email, DEMO_ADMIN_PASSWORD: password } = state;
    if (email !== undefined && password !== undefined) return { email, password };
    if ((await this.users.findSuperAdmin()) !== null) return undefined;
    // Saved before it is used, so that a crash cannot leave an admin whose password is unknown.
    const login = { email: 'admin@demo.example', password: newPassword() };
    await this.file.write({ ...state, DEMO_ADMIN_EMAIL: login.email, DEMO_ADMIN_PASSWORD: login.password });
    return login;
  }

  /** Creates the demo data in an empty database, renews it at later starts, and returns the access data. */
  async prepare(url: string): Promise<DemoAccess> {
    const { servesConsole: hasConsole, superAdmin: configured } = this.configuration;
    // The operator knows the configured password.
    const superAdmin = configured ? { email: configured.email } : this.login;
    return { demo: await this.prepareLeague(url), superAdmin, hasConsole };
  }

  private async prepareLeague(url: string): Promise<DemoValues | undefined> {
    const admin = await this.actingAdmin();
    const state = await this.file.read();
    const isUnfinished = state.DEMO_UNFINISHED !== undefined;
    const existing = isUnfinished ? undefined : await this.workingKey(state, admin);
    if (existing === undefined && !isUnfinished && (await this.organizations.list({ page: 1, limit: 1 })).total > 0) {
      this.logger.warn('No demo data: the database contains other data, or the demo organization is disabled');
      return undefined;
    }
    const { apiKey, context } = existing ?? (await this.create(state, admin));
    await this.file.write({
      ...state,
      DEMO_UNFINISHED: undefined,
      API: `${browserUrl(url, this.configuration.host)}/${publicPrefix}`,
      DEMO_API_KEY: apiKey,
      DEMO_ORGANIZATION_ID: context.organization.id,
      DEMO_LIVE_SCHEDULE_ID: await this.league.renewLiveGame(context, state.DEMO_LIVE_SCHEDULE_ID),
    });
    return { apiKey, ids: await this.examples.find(context) };
  }

  private async create(state: DemoState, admin: AdminContext): Promise<WorkingKey> {
    await this.file.write({ ...state, DEMO_UNFINISHED: 'true' });
    const email = `dana.reyes.${randomBytes(3).toString('hex')}@demo.example`;
    const creator = { name: 'Dana Reyes', email, password: newPassword() };
    const input = { name: demoLeague.organization, creator };
    const organization = await this.organizations.create({ system: 'server', ...unconditional }, input);
    const key = await this.workingKey({ DEMO_ORGANIZATION_ID: organization._id }, admin);
    if (key === undefined) throw new Error('The key of the new demo organization does not work');
    await this.league.create(key.context);
    this.logger.log('Created the demo data');
    return key;
  }

  /** Returns the saved key, or a new one if it was revoked or rotated, or has another prefix than new keys. */
  private async workingKey(state: DemoState, admin: AdminContext): Promise<WorkingKey | undefined> {
    const { DEMO_API_KEY: apiKey = '', DEMO_ORGANIZATION_ID: organizationId } = state;
    const key = await this.withContext(apiKey);
    if (key !== undefined || organizationId === undefined) return key;
    if (!(await this.organizations.isInService(organizationId))) return undefined;
    const created = await this.apiKeys.create(admin, { name: 'Demo', organizationId });
    return this.withContext(created.apiKey);
  }

  private async withContext(apiKey: string): Promise<WorkingKey | undefined> {
    const holder = await this.authenticator.authenticate(apiKey, { ip: undefined });
    if (holder === null || 'reason' in holder) return undefined;
    return { apiKey, context: { ...holder, ...unconditional, requestId: 'demo', address: '' } };
  }

  /** Returns the context of the super admin who creates the demo data. */
  private async actingAdmin(): Promise<AdminContext> {
    const user = await this.users.findSuperAdmin();
    if (user === null) throw new Error('There is no super admin');
    const { name, email, role } = user;
    return { user: { id: String(user._id), name, email, role }, requestId: 'demo', address: '', ...unconditional };
  }
}

function newPassword(): string {
  return randomBytes(12).toString('base64url');
}
