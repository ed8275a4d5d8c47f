import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRoute, Context, ApiErrors } from '../../access/access.decorators.js';
import type { AdminContext } from '../../access/request-context.js';
import { mapPage, PageQuery } from '../../http/paging.js';
import { Returns } from '../../http/returns.decorator.js';
import { Conditional } from '../../records/conditional.guard.js';
import { CreateUser, NewUserResponse, toNewUserResponse, toUserResponse, UserListResponse } from '../users/user.dto.js';
import {
  CreateOrganization,
  ListOrganizationsQuery,
  NewOrganizationResponse,
  OrganizationDataResponse,
  OrganizationId,
  OrganizationListResponse,
  OrganizationResponse,
  UpdateOrganization,
} from './organization.dto.js';
import { OrganizationsService } from './organizations.service.js';

@ApiTags('Organizations')
@Controller('organizations')
@AdminRoute('superAdmin')
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Post()
  @ApiOperation({
    summary: 'Create an organization',
    description:
      'Creates an organization together with its creator and, without a password, a token with which the creator sets one (`POST /auth/password-reset`).',
  })
  @ApiErrors('alreadyExists')
  @Returns(NewOrganizationResponse, 'The new organization.', 201)
  createOrganization(@Context() context: AdminContext, @Body() body: CreateOrganization) {
    return this.organizations.create(context, body);
  }

  @Get()
  @ApiOperation({ summary: 'List organizations', description: 'Lists organizations in order of creation.' })
  @Returns(OrganizationListResponse, 'A page of organizations.')
  listOrganizations(@Query() query: ListOrganizationsQuery) {
    return this.organizations.list(query);
  }

  @Get(':organizationId')
  @ApiOperation({ summary: 'Get an organization', description: 'Returns an organization with its creator.' })
  @Returns(OrganizationDataResponse, 'The organization.')
  async getOrganization(@OrganizationId() organizationId: string) {
    return { data: await this.organizations.getResponse(organizationId) };
  }

  @Patch(':organizationId')
  @Conditional('adminUpdate')
  @ApiOperation({
    summary: 'Update an organization',
    description:
      'Renames, disables or enables an organization. The API keys of a disabled organization stop working with the next request and work again once it is enabled.',
  })
  @Returns(OrganizationResponse, 'The updated organization.')
  updateOrganization(
    @Context() context: AdminContext,
    @OrganizationId() organizationId: string,
    @Body() body: UpdateOrganization,
  ) {
    return this.organizations.update(context, organizationId, body);
  }

  @Get(':organizationId/users')
  @ApiOperation({
    summary: "List an organization's users",
    description: 'Lists the creator and the admins of an organization in order of creation, including disabled ones.',
  })
  @Returns(UserListResponse, 'A page of users.')
  async listOrganizationUsers(@OrganizationId() organizationId: string, @Query() page: PageQuery) {
    return mapPage(await this.organizations.listUsers(organizationId, page), toUserResponse);
  }

  @Post(':organizationId/users')
  @ApiOperation({
    summary: 'Create an organization admin',
    description:
      'Creates a user with the role `organizationAdmin` and, without a password, a token with which the user sets one (`POST /auth/password-reset`).',
  })
  @ApiErrors('alreadyExists')
  @Returns(NewUserResponse, 'The new user.', 201)
  async createOrganizationAdmin(
    @Context() context: AdminContext,
    @OrganizationId() organizationId: string,
    @Body() body: CreateUser,
  ) {
    return toNewUserResponse(await this.organizations.createAdmin(context, organizationId, body));
  }
}
