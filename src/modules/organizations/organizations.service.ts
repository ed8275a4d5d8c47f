import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Clock } from '../../common/clock.js';
import type { Author } from '../../common/context/request-context.js';
import { isDisabled } from '../users/account-update.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { ServiceError } from '../../common/errors/service-error.js';
import type { Page, PageQuery } from '../../common/http/paging.js';
import { SecretHasher } from '../../common/secrets/secret-hasher.js';
import { newRecordId } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
import { type AccountFields, accountUpdate } from '../users/account-update.js';
import type { UserRecord } from '../users/user.schema.js';
import type { ListedUser } from '../users/users.repository.js';
import { UsersService } from '../users/users.service.js';
import type { CreateOrganization, CreateUser } from './dto/organization.requests.js';
import { type OrganizationResponse, toOrganizationResponse } from './organization.response.js';
import type { OrganizationRecord } from './organization.schema.js';
import { OrganizationsRepository } from './organizations.repository.js';

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly users: UsersService,
    private readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes an organization and its creator, both or neither.
   * @throws ServiceError 40901 where the creator's email is taken
   */
  async create(author: Author, input: CreateOrganization): Promise<OrganizationResponse> {
    const passwordHash = await this.secrets.hash(input.creator.password);
    const { name, email } = input.creator;
    const _id = newRecordId();
    const organizationId = String(_id);
    const now = this.clock.now();
    return this.transactions.run(author, async (session) => {
      const role = 'organizationCreator';
      const creator = await this.users.create({ name, email, passwordHash, role, organizationId }, session);
      const record: OrganizationRecord = {
        _id,
        name: input.name,
        creatorId: creator._id,
        createdAt: now,
        updatedAt: now,
      };
      await this.organizations.insert(record, session);
      const target = { kind: 'organization', id: organizationId } as const;
      const changes = { name: input.name, creatorId: String(creator._id) };
      const event = { action: 'createOrganization', target, organizationId, changes };
      await this.audit.recordChange(author, event, session);
      return toOrganizationResponse(record, { _id: String(creator._id), name, email });
    });
  }

  /** A page of all organizations, in order of creation. */
  async list(page: PageQuery): Promise<Page<OrganizationResponse>> {
    const { data, total } = await this.organizations.findPage(page);
    return { data: await this.withCreators(data), total };
  }

  /**
   * Renames, disables or enables an organization; disabling it again is no change.
   * @throws ServiceError 40406 for an unknown organization
   */
  async update(author: Author, id: string, fields: AccountFields): Promise<OrganizationResponse> {
    const work = async (session: Session): Promise<OrganizationRecord> => {
      const before = await this.organizations.findById(id, session);
      if (before === null) throw new ServiceError(errorCatalogue.organizationNotFound);
      const update = accountUpdate(before, fields, this.clock.now());
      if (update === undefined) return before;
      const after = await this.organizations.updateById(id, update.stored, session);
      const target = { kind: 'organization', id } as const;
      const event = { action: 'updateOrganization', target, organizationId: id, changes: { ...update.told } };
      await this.audit.recordChange(author, event, session);
      return after ?? before;
    };
    const organization = await this.transactions.run(author, work);
    const creator = await this.users.namesOf([String(organization.creatorId)]);
    return toOrganizationResponse(organization, creator.get(String(organization.creatorId)));
  }

  /**
   * Makes an admin of an organization, of a disabled one, too.
   * @throws ServiceError 40406 for an unknown organization, 40901 where the email is taken
   */
  async createAdmin(author: Author, organizationId: string, input: CreateUser): Promise<UserRecord> {
    await this.demand(organizationId);
    const { name, email, password } = input;
    const admin = { name, email, password, role: 'organizationAdmin', organizationId } as const;
    return this.users.add(author, 'createOrganizationAdmin', admin);
  }

  /**
   * A page of an organization's creator and admins, in order of creation.
   * @throws ServiceError 40406 for an unknown organization
   */
  async listUsers(organizationId: string, page: PageQuery): Promise<Page<ListedUser>> {
    await this.demand(organizationId);
    return this.users.listOfOrganization(organizationId, page);
  }

  /** Returns true if an organization exists and is not disabled. */
  async isActive(organizationId: string): Promise<boolean> {
    const organization = await this.organizations.findById(organizationId);
    return organization !== null && !isDisabled(organization);
  }

  /** Returns the user, or null if their organization is missing or disabled. Super admins belong to no organization. */
  async ifActive(user: UserRecord | null): Promise<UserRecord | null> {
    if (user?.organizationId === undefined) return user;
    return (await this.isActive(String(user.organizationId))) ? user : null;
  }

  /**
   * Makes sure that an organization exists.
   * @throws ServiceError 40406
   */
  async demand(organizationId: string): Promise<void> {
    if (!(await this.organizations.exists(organizationId))) throw new ServiceError(errorCatalogue.organizationNotFound);
  }

  private async withCreators(organizations: readonly OrganizationRecord[]): Promise<OrganizationResponse[]> {
    const creators = await this.users.namesOf(organizations.map(({ creatorId }) => String(creatorId)));
    return organizations.map((one) => toOrganizationResponse(one, creators.get(String(one.creatorId))));
  }
}
