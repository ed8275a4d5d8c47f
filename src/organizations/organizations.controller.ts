import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AdminRoute } from '../common/context/access.decorators.js';
import { PageQuery } from '../common/http/paging.js';
import { RecordIdPipe } from '../common/validation/record-id.pipe.js';
import { toUserResponse, UserResponse } from '../users/user.response.js';
import { CreateOrganization, CreateUser } from './dto/organization.requests.js';
import { OrganizationListResponse, OrganizationResponse } from './organization.response.js';
import { OrganizationsService } from './organizations.service.js';

@ApiTags('Organizations')
@Controller('organizations')
@AdminRoute('superAdmin')
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Post()
  @ApiOperation({
    summary: 'Create an organization',
    description: 'Creates an organization together with its creator.',
  })
  @ApiCreatedResponse({ type: OrganizationResponse, description: 'The organization.' })
  createOrganization(@Body() body: CreateOrganization): Promise<OrganizationResponse> {
    return this.organizations.create(body);
  }

  @Get()
  @ApiOperation({ summary: 'List organizations', description: 'Lists all organizations in order of creation.' })
  @ApiOkResponse({ type: OrganizationListResponse, description: 'A page of organizations.' })
  listOrganizations(@Query() page: PageQuery): Promise<OrganizationListResponse> {
    return this.organizations.list(page);
  }

  @Post(':organizationId/users')
  @ApiOperation({
    summary: 'Create an organization admin',
    description: 'Creates a user who administers the organization.',
  })
  @ApiParam({ name: 'organizationId', description: "The organization's id.", example: '6650f1f77bcf86cd79943911' })
  @ApiCreatedResponse({ type: UserResponse, description: 'The user.' })
  async createOrganizationAdmin(
    @Param('organizationId', RecordIdPipe) organizationId: string,
    @Body() body: CreateUser,
  ): Promise<UserResponse> {
    return toUserResponse(await this.organizations.createAdmin(organizationId, body));
  }
}
