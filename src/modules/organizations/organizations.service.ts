import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { Actor, AdminContext, Tenant, RecordContext, RequestContext } from '../../access/request-context.js';
import { assertFound, invalidField, ServiceError } from '../../errors/service-error.js';
import type { Page, PageQuery } from '../../http/paging.js';
import { assertChangeTime, changeTimeOf, newRecordId, type RecordId, toRecordId } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { type AccountChanges, accountOf, accountUpdate, isDisabled } from '../users/user.rules.js';
import { type CreateUser, type NewUser, toUserName } from '../users/user.dto.js';
import type { ListedUser, UserRecord } from '../users/user.schema.js';
import { UsersRepository } from '../users/users.repository.js';
import { UsersService } from '../users/users.service.js';
import {
  type CreateOrganization,
  type ListOrganizationsQuery,
  type NewOrganizationResponse,
  type OrganizationResponse,
  toOrganizationResponse,
  type OwnerName,
} from './organization.dto.js';
import type { OrganizationRecord } from './organization.schema.js';
import { OrganizationsRepository } from './organizations.repository.js';

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly users: UsersService,
    private readonly userRecords: UsersRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Creates an organization and its creator in one transaction. */
  async create(actor: Actor, input: CreateOrganization): Promise<NewOrganizationResponse> {
    const { creator, isSandbox = false, ...fields } = input;
    const _id = newRecordId();
    const role = { role: 'organizationCreator', organizationId: _id } as const;
    const { user, passwordReset } = await this.users.build(creator, role);
    const { _id: creatorId, createdAt, updatedAt } = user;
    const record: OrganizationRecord = { _id, ...fields, isSandbox, creatorId, createdAt, updatedAt };
    const id = String(_id);
    const changes = { ...fields, creatorId: String(creatorId), ...(isSandbox && { isSandbox }) };
    const event = { action: 'createOrganization', id, organizationId: id, name: record.name, changes } as const;
    await this.audit.recordWith(actor, event, async (session) => {
      await this.userRecords.insert(user, session);
      await this.organizations.insert(record, session);
    });
    return Object.assign(toOrganizationResponse(record, toUserName(user)), { passwordReset });
  }

  /** Returns a page of the organizations that match, in order of creation. */
  async list(page: ListOrganizationsQuery): Promise<Page<OrganizationResponse>> {
    const { data, total } = await this.organizations.findPage(page);
    const creators = await this.users.findNames(data.map(({ creatorId }) => String(creatorId)));
    return { data: data.map((one) => toOrganizationResponse(one, creators.get(String(one.creatorId)))), total };
  }

  /** Returns an organization with its creator. */
  async getResponse(id: string): Promise<OrganizationResponse> {
    return this.toResponse(await this.get(id));
  }

  /** Renames, disables or enables an organization. */
  async update(actor: Actor, id: string, fields: AccountChanges): Promise<OrganizationResponse> {
    const organization = await this.transactions.run(actor, async (session) => {
      const before = await this.getWritable(id, session);
      assertChangeTime(actor, before);
      const update = accountUpdate(before, fields, changeTimeOf(before, this.clock.now()));
      if (update === undefined) return before;
      const after = await this.organizations.updateById(id, update.stored, session);
      const { name } = before;
      const event = { action: 'updateOrganization', id, organizationId: id, name } as const;
      const values = { changes: update.changes, before: accountOf(before) };
      await this.audit.record(actor, { ...event, ...values }, session);
      return after ?? before;
    });
    return this.toResponse(organization);
  }

  /** Creates an admin of an organization, which may be disabled. */
  async createAdmin(actor: Actor, organizationId: string, user: CreateUser): Promise<NewUser> {
    await this.getWritable(organizationId);
    const role = { role: 'organizationAdmin', organizationId: toRecordId(organizationId) } as const;
    return this.users.create(actor, 'createOrganizationAdmin', user, role);
  }

  /** Returns a page of an organization's creator and admins, in order of creation. */
  async listUsers(organizationId: string, page: PageQuery): Promise<Page<ListedUser>> {
    await this.get(organizationId);
    return this.userRecords.findPage({ ...page, organizationId });
  }

  /** Returns whether an organization is in service, which `isOutOfService` decides. */
  async isInService(id: string): Promise<boolean> {
    return (await this.organizations.findOutOfService([id])).size === 0;
  }

  /** Returns those of the organizations, or of all, that are out of service. */
  findOutOfService(ids?: readonly string[]): Promise<ReadonlySet<string>> {
    return this.organizations.findOutOfService(ids);
  }

  /** Adds to each record of a response the name of its organization, unless that is erased, and whether it is a sandbox. */
  async withNames<T extends { readonly organizationId?: RecordId | string | undefined }>(
    records: readonly T[],
  ): Promise<(T & OwnerName)[]> {
    const ids = records.flatMap(({ organizationId }) => (organizationId === undefined ? [] : String(organizationId)));
    const found = await this.organizations.findNames([...new Set(ids)]);
    const owners = new Map(found.map((owner) => [String(owner._id), owner]));
    return records.map((record) => {
      const owner = owners.get(String(record.organizationId));
      return { ...record, organizationName: owner?.name, isSandbox: owner?.isSandbox === true || undefined };
    });
  }

  /** Returns whether a user is enabled and their organization in service. Super admins belong to no organization. */
  async isActiveUser(user: UserRecord): Promise<boolean> {
    return !isDisabled(user) && (user.organizationId === undefined || this.isInService(String(user.organizationId)));
  }

  /** Returns an organization as the tenant of an admin, who has none of their own. */
  async tenantFor({ assertMayWrite }: AdminContext, id: string): Promise<Tenant> {
    await this.get(id);
    return { organization: { id }, assertMayWrite };
  }

  /** Returns the context in which an admin reads and writes the records of an organization that is not being erased. */
  async recordContextFor(admin: AdminContext, id: string): Promise<RecordContext> {
    await this.getWritable(id);
    return { ...admin, organization: { id }, actingUser: admin.user };
  }

  /** Starts a reset of a sandbox, together with the audit event. Returns false if another one is running. */
  startReset(context: RequestContext, milliseconds: number): Promise<boolean> {
    const { id } = context.organization;
    const now = this.clock.now();
    const until = new Date(now.getTime() + milliseconds);
    const event = { action: 'resetSandbox', id, organizationId: id } as const;
    const start = (session: Session) => this.organizations.startReset(id, now, until, session);
    return this.audit.recordWith(context, (isStarted) => (isStarted ? event : undefined), start);
  }

  endReset({ organization }: Tenant): Promise<void> {
    return this.organizations.endReset(organization.id);
  }

  /**
   * Marks a disabled organization, together with the audit event, so that `OrganizationEraser` erases it.
   * @param name the name of the organization, which confirms the erasure
   */
  async startErasure(actor: Actor, id: string, name: string): Promise<OrganizationResponse> {
    const organization = await this.transactions.run(actor, async (session) => {
      const before = await this.get(id, session);
      if (name !== before.name) throw invalidField('name', 'name must be the name of the organization');
      if (!isDisabled(before)) throw new ServiceError('organizationEnabled');
      if (before.erasingSince !== undefined) return before;
      const after = await this.organizations.startErasure(id, session);
      await this.audit.record(actor, { action: 'eraseOrganization', id, organizationId: id, name }, session);
      return after ?? before;
    });
    return this.toResponse(organization);
  }

  /**
   * Returns an organization for which records may be created.
   * @throws ServiceError 40406 for an unknown organization or one that is being erased
   */
  async getWritable(id: string, session?: Session): Promise<OrganizationRecord> {
    const organization = await this.get(id, session);
    if (organization.erasingSince === undefined) return organization;
    throw new ServiceError('organizationNotFound', { message: 'The organization is being erased' });
  }

  async get(id: string, session?: Session): Promise<OrganizationRecord> {
    return assertFound(await this.organizations.findById(id, session), 'organizationNotFound');
  }

  private async toResponse(organization: OrganizationRecord): Promise<OrganizationResponse> {
    const creatorId = String(organization.creatorId);
    return toOrganizationResponse(organization, (await this.users.findNames([creatorId])).get(creatorId));
  }
}
