import { Injectable } from '@nestjs/common';
import type { AdminContext } from '../../access/request-context.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { toPlayerResponse } from '../players/player.dto.js';
import { PlayersRepository } from '../players/players.repository.js';
import { toScheduleResponse } from '../schedules/schedule.dto.js';
import { SchedulesRepository } from '../schedules/schedules.repository.js';
import { toTeamResponse } from '../teams/team.dto.js';
import { TeamsRepository } from '../teams/teams.repository.js';
import type { FoundRecordsResponse, RecordCountsResponse } from './organization-records.dto.js';

@Injectable()
export class OrganizationRecordsService {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly teams: TeamsRepository,
    private readonly players: PlayersRepository,
    private readonly schedules: SchedulesRepository,
    private readonly audit: AuditTrail,
  ) {}

  /** Finds records by ID, external ID or name, players also by email, and records each player in the audit log. */
  async search(admin: AdminContext, organizationId: string, text: string): Promise<FoundRecordsResponse> {
    const tenant = await this.organizations.tenantFor(admin, organizationId);
    const [teams, players, schedules] = await Promise.all([
      this.teams.search(tenant, 'name', text),
      this.players.search(tenant, 'name', text),
      this.schedules.search(tenant, 'eventTitle', text),
    ]);
    const playerIds = players.map(({ _id }) => _id);
    await this.audit.recordReads(admin, organizationId, playerIds);
    const teamIds = players.map(({ teamId }) => String(teamId));
    const ofPlayers = await this.teams.findNames(tenant, teamIds);
    const names = new Map(ofPlayers.map(({ _id, name }) => [String(_id), name]));
    return {
      teams: teams.map(toTeamResponse),
      players: players.map((player) =>
        Object.assign(toPlayerResponse(player), { teamName: names.get(String(player.teamId)) }),
      ),
      schedules: schedules.map(toScheduleResponse),
    };
  }

  async count(admin: AdminContext, organizationId: string): Promise<RecordCountsResponse> {
    const tenant = await this.organizations.tenantFor(admin, organizationId);
    const [teams = 0, players = 0, schedules = 0] = await Promise.all(
      [this.teams, this.players, this.schedules].map((records) => records.countAll(tenant)),
    );
    return { teams, players, schedules };
  }
}
