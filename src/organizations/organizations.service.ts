import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import type { Page, PageQuery } from '../common/http/paging.js';
import { SecretHasher } from '../common/secrets/secret-hasher.js';
import { newRecordId } from '../database/record.js';
import { Transactions } from '../database/transaction.js';
import type { UserRecord } from '../users/user.schema.js';
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
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes an organization and its creator, both or neither.
   * @throws ServiceError 40901 where the creator's email is taken
   */
  async create(input: CreateOrganization): Promise<OrganizationResponse> {
    const passwordHash = await this.secrets.hash(input.creator.password);
    const { name, email } = input.creator;
    const _id = newRecordId();
    const now = this.clock.now();
    return this.transactions.run(async (session) => {
      const role = 'organizationCreator';
      const creator = await this.users.create(
        { name, email, passwordHash, role, organizationId: String(_id) },
        session,
      );
      const record: OrganizationRecord = {
        _id,
        name: input.name,
        creatorId: creator._id,
        createdAt: now,
        updatedAt: now,
      };
      await this.organizations.insert(record, session);
      return toOrganizationResponse(record, { _id: String(creator._id), name, email });
    });
  }

  /** A page of all organizations, in order of creation. */
  async list(page: PageQuery): Promise<Page<OrganizationResponse>> {
    const { data, total } = await this.organizations.findPage(page);
    const creators = await this.users.namesOf(data.map((organization) => String(organization.creatorId)));
    return {
      data: data.map((organization) =>
        toOrganizationResponse(organization, creators.get(String(organization.creatorId))),
      ),
      total,
    };
  }

  /**
   * Makes an admin of an organization.
   * @throws ServiceError 40406 for an unknown organization, 40901 where the email is taken
   */
  async createAdmin(organizationId: string, input: CreateUser): Promise<UserRecord> {
    await this.demand(organizationId);
    const passwordHash = await this.secrets.hash(input.password);
    const { name, email } = input;
    return this.users.create({ name, email, passwordHash, role: 'organizationAdmin', organizationId });
  }

  /**
   * Makes sure that an organization exists.
   * @throws ServiceError 40406
   */
  async demand(organizationId: string): Promise<void> {
    if (!(await this.organizations.exists(organizationId))) throw new ServiceError(errorCatalogue.organizationNotFound);
  }
}
