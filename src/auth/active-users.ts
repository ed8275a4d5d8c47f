import { Injectable } from '@nestjs/common';
import { OrganizationsService } from '../organizations/organizations.service.js';
import type { UserRecord } from '../users/user.schema.js';
import { UsersService } from '../users/users.service.js';

/** The users who may act: neither they nor their organization is disabled or gone. */
@Injectable()
export class ActiveUsers {
  constructor(
    private readonly users: UsersService,
    private readonly organizations: OrganizationsService,
  ) {}

  /** The user with this email and password, or null where there is none, or they may not act. */
  async findByLogin(email: string, password: string, network: string): Promise<UserRecord | null> {
    return this.ifActive(await this.users.findByLogin(email, password, network));
  }

  /** Returns the logged-in user if this is their password, or null. */
  async findByPassword(id: string, password: string): Promise<UserRecord | null> {
    return this.ifActive(await this.users.findByPassword(id, password));
  }

  /** Stores from where a user logged in. */
  recordLogin(user: UserRecord, network: string): Promise<void> {
    return this.users.recordLogin(user, network);
  }

  /** The user with this email, whether they may act or not, or null where there is none. */
  findByEmail(email: string): Promise<UserRecord | null> {
    return this.users.findByEmail(email);
  }

  /** A user by id, or null where there is none, or they may not act. */
  async findById(id: string): Promise<UserRecord | null> {
    return this.ifActive(await this.users.findActive(id));
  }

  /** A super admin belongs to no organization, and costs no second look. */
  private async ifActive(user: UserRecord | null): Promise<UserRecord | null> {
    if (user?.organizationId === undefined) return user;
    return (await this.organizations.isActive(String(user.organizationId))) ? user : null;
  }
}
