import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { ApiKeyAuthenticator } from '../api-keys/api-key-authenticator.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import type { AdminContext, RequestContext } from '../common/context/request-context.js';
import { ServiceError } from '../common/errors/service-error.js';
import { isRecordId } from '../common/validation/fields.js';
import { Configuration } from '../config/configuration.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { UsersService } from '../users/users.service.js';
import { DemoFile, type DemoMemory } from './demo-file.js';
import { DemoLeague } from './demo-league.service.js';
import { LiveGame } from './live-game.service.js';
import type { DemoAccess } from './welcome.js';

interface Login {
  readonly email: string;
  readonly password: string;
}

/** A key that works, and whom it stands for. */
interface WorkingKey {
  readonly apiKey: string;
  readonly context: RequestContext;
}

const requestId = 'demo';
const adminEmail = 'admin@demo.example';

/**
 * The demo data of an embedded database. `demo.env` says that they are unfinished before the first record is written,
 * and gets their key after the last one: a start that finds them unfinished leaves those to themselves and makes
 * new ones, in another organization.
 */
@Injectable()
export class DemoService {
  private readonly logger = new Logger('Demo');
  private readonly file: DemoFile;

  constructor(
    private readonly configuration: Configuration,
    private readonly users: UsersService,
    private readonly organizations: OrganizationsService,
    private readonly apiKeys: ApiKeysService,
    private readonly authenticator: ApiKeyAuthenticator,
    private readonly league: DemoLeague,
    private readonly liveGame: LiveGame,
  ) {
    this.file = new DemoFile(configuration.dataFolder);
  }

  /**
   * The login for a first super admin: the configuration's, or one that is made up and kept.
   * @returns undefined where there is a super admin already, whose login nobody told
   */
  async superAdminLogin(): Promise<Login | undefined> {
    if (this.configuration.superAdmin !== undefined) return this.configuration.superAdmin;
    const memory = await this.file.read();
    const kept = keptLogin(memory);
    if (kept !== undefined) return kept;
    if ((await this.users.findSuperAdmin()) !== null) return undefined;
    // Kept before it is used, so that no crash leaves an admin whom nobody can log in as.
    const login = { email: adminEmail, password: newPassword() };
    await this.file.write({ ...memory, adminEmail: login.email, adminPassword: login.password });
    return login;
  }

  /** Makes the demo data where the database is empty, and at later starts what has to be renewed; tells how to get in. */
  async prepare(): Promise<DemoAccess> {
    const memory = await this.file.read();
    const admin = await this.actingAdmin();
    const apiKey = memory.apiKey === undefined ? await this.begin(memory, admin) : await this.renew(memory, admin);
    const superAdmin = await this.knownLogin(memory);
    return { ...(apiKey !== undefined && { apiKey }), ...(superAdmin !== undefined && { superAdmin }) };
  }

  private async begin(memory: DemoMemory, admin: AdminContext): Promise<string | undefined> {
    if (memory.unfinished !== undefined || (await this.isDatabaseEmpty())) return this.create(memory, admin);
    this.logger.warn('No demo data were made: the embedded database holds others');
    return undefined;
  }

  private async create({ adminEmail, adminPassword }: DemoMemory, admin: AdminContext): Promise<string> {
    const login = { ...(adminEmail && { adminEmail }), ...(adminPassword && { adminPassword }) };
    await this.file.write({ ...login, unfinished: 'true' });
    const email = `dana.reyes.${randomBytes(3).toString('hex')}@demo.example`;
    const creator = { name: 'Dana Reyes', email, password: newPassword() };
    const organization = await this.organizations.create(
      { system: 'server' },
      { name: 'Demo Flag Football League', creator },
    );
    const key = await this.createKey(organization._id, admin);
    if (key === undefined) throw new Error('The key of the new demo organization does not work');
    const liveScheduleId = await this.league.create(key.context);
    const { apiKey } = key;
    await this.file.write({
      ...login,
      apiKey,
      organizationId: organization._id,
      ...(liveScheduleId !== undefined && { liveScheduleId }),
    });
    this.logger.log('The demo data were made');
    return apiKey;
  }

  /** Brings older demo data up to now. What operators did to them stays; where too much is gone, a warning says so. */
  private async renew(memory: DemoMemory, admin: AdminContext): Promise<string | undefined> {
    const key = await this.workingKey(memory, admin);
    if (key === undefined) {
      if (await this.isDatabaseEmpty()) return this.create(memory, admin);
      this.logger.warn('There is no demo key: the demo organization is gone or disabled');
      return undefined;
    }
    const { apiKey, context } = key;
    const liveScheduleId = await this.renewedLiveGame(context, memory.liveScheduleId);
    const renewed = { ...memory, apiKey, ...(liveScheduleId !== undefined && { liveScheduleId }) };
    if (renewed.apiKey !== memory.apiKey || renewed.liveScheduleId !== memory.liveScheduleId) {
      await this.file.write(renewed);
    }
    return apiKey;
  }

  private async renewedLiveGame(context: RequestContext, remembered: string | undefined): Promise<string | undefined> {
    try {
      return await this.liveGame.ensure(context, remembered);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.logger.warn(`There is no live demo game: ${error.message}`);
      return undefined;
    }
  }

  /** The remembered key, or a new one where that was revoked or rotated, or begins with another prefix than keys do now. */
  private async workingKey(
    { apiKey = '', organizationId }: DemoMemory,
    admin: AdminContext,
  ): Promise<WorkingKey | undefined> {
    const holder = await this.authenticator.identify(apiKey);
    if (holder !== null) return { apiKey, context: { ...holder, requestId } };
    if (organizationId === undefined || !isRecordId(organizationId)) return undefined;
    try {
      const key = await this.createKey(organizationId, admin);
      if (key !== undefined) this.logger.warn('The demo key did not work any more; there is a new one');
      return key;
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  private async createKey(organizationId: string, admin: AdminContext): Promise<WorkingKey | undefined> {
    const { id, apiKey } = await this.apiKeys.create(admin, { name: 'Demo', organizationId });
    const holder = await this.authenticator.identify(apiKey);
    if (holder !== null) return { apiKey, context: { ...holder, requestId } };
    await this.apiKeys.revoke(admin, id);
    return undefined;
  }

  private async isDatabaseEmpty(): Promise<boolean> {
    return (await this.organizations.list({ page: 1, limit: 1 })).total === 0;
  }

  /** The super admin in whose name the demo data are written. */
  private async actingAdmin(): Promise<AdminContext> {
    const user = await this.users.findSuperAdmin();
    if (user === null) throw new Error('There is no super admin');
    const { name, email, role } = user;
    return { user: { id: String(user._id), name, email, role }, requestId, address: '' };
  }

  /** The login that works, of those that are known; the configuration's without its password, which the operator knows. */
  private async knownLogin(memory: DemoMemory): Promise<DemoAccess['superAdmin']> {
    const { superAdmin } = this.configuration;
    if (superAdmin !== undefined && (await this.isSuperAdmin(superAdmin))) return { email: superAdmin.email };
    const kept = keptLogin(memory);
    return kept !== undefined && (await this.isSuperAdmin(kept)) ? kept : undefined;
  }

  private async isSuperAdmin({ email, password }: Login): Promise<boolean> {
    return (await this.users.findByLogin(email, password, ''))?.role === 'superAdmin';
  }
}

function keptLogin({ adminEmail: email, adminPassword: password }: DemoMemory): Login | undefined {
  return email === undefined || password === undefined ? undefined : { email, password };
}

function newPassword(): string {
  return randomBytes(12).toString('base64url');
}
