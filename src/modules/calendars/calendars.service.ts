import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../config/clock.js';
import { type Tenant, type RequestContext, unconditional } from '../../access/request-context.js';
import { assertFound, ServiceError } from '../../errors/service-error.js';
import type { ApiRequest } from '../../http/api-request.js';
import { offsetOf, type Page, type PageQuery } from '../../http/paging.js';
import { SharedWork } from '../../http/shared-work.js';
import { runInTurns } from '../../http/turns.js';
import { newRecordId, toRecordId } from '../../database/record.js';
import { HitCounter } from '../../rate-limit/hit-counter.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { SchedulesRepository } from '../schedules/schedules.repository.js';
import { type TeamRef, TeamsService } from '../teams/teams.service.js';
import { CalendarLinksRepository } from './calendar-links.repository.js';
import { type CalendarLinkResponse, type CreateCalendarLink, toCalendarLinkResponse } from './calendar.dto.js';
import { calendarFormat, formatCalendar, nearestGames } from './calendar.rules.js';

const requestsPerMinute = 60;
const day = 24 * 60 * 60_000;
const idBytes = 12;
const secretBytes = 32;
const hashOf = (token: string) => hash('sha256', token, 'base64url');

type Calendar = Readonly<{ version: string; text: Buffer }>;

/** The calendars of teams, and the secret links to them. */
@Injectable()
export class CalendarsService {
  /** The last calendar of each team, 20 MB in total: most requests find that nothing has changed. */
  private readonly kept = new LRUCache<string, Calendar>({ max: 10_000, maxSize: 20_000_000 });
  private readonly work = new SharedWork<Calendar>(2, 100);

  constructor(
    private readonly links: CalendarLinksRepository,
    private readonly schedules: SchedulesRepository,
    private readonly teams: TeamsService,
    private readonly organizations: OrganizationsService,
    private readonly counter: HitCounter,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Creates a link. Only this method returns its token, of which the hash is stored. */
  async create(context: RequestContext, teamId: string, { description }: CreateCalendarLink) {
    const team = await this.teams.requireOfPath(context, teamId);
    const token = createToken(context);
    const now = this.clock.now();
    const sent = description !== undefined && { description };
    const link = {
      ...sent,
      _id: newRecordId(),
      teamId: toRecordId(team.id),
      organizationId: toRecordId(context.organization.id),
      createdBy: toRecordId(context.actingUser.id),
      tokenHash: hashOf(token),
      createdAt: now,
      updatedAt: now,
    };
    const change = changeOf(context, 'createCalendarLink', String(link._id), team, { teamId: team.id, ...sent });
    const isInserted = await this.links.insert(context, link, (insertion) =>
      this.audit.recordWith(context, change, insertion),
    );
    if (!isInserted) throw new ServiceError('tooManyCalendarLinks');
    return { link: toCalendarLinkResponse(link), token };
  }

  async list(context: RequestContext, teamId: string, page: PageQuery): Promise<Page<CalendarLinkResponse>> {
    const team = await this.teams.requireOfPath(context, teamId);
    const links = await this.links.findOfTeam(context, team.id);
    const start = offsetOf(page);
    return { data: links.slice(start, start + page.limit).map(toCalendarLinkResponse), total: links.length };
  }

  async remove(context: RequestContext, teamId: string, id: string): Promise<void> {
    const team = await this.teams.requireOfPath(context, teamId);
    await this.audit.recordWith(context, changeOf(context, 'deleteCalendarLink', id, team), async (session) => {
      assertFound(await this.links.findOfTeamById(context, team.id, id, session), 'calendarLinkNotFound');
      await this.links.remove(context, id, session);
    });
  }

  /**
   * Returns the calendar of a token.
   * @throws ServiceError 40410 if the token is unknown, its team deleted, or its organization or its creator disabled; 42901,
   * or 42902 after too many unknown tokens
   */
  async read(token: string, request: ApiRequest): Promise<Calendar> {
    const organizationId = organizationOf(token);
    const tenant: Tenant = { organization: { id: organizationId }, ...unconditional };
    const found = await this.links.findByTokenHash(tenant, hashOf(token));
    const link = found ?? (await this.counter.countFailure(request, new ServiceError('calendarLinkNotFound')));
    await this.assertRate(String(link._id));
    const teamId = String(link.teamId);
    const [isInService, team] = await Promise.all([
      this.organizations.isInService(organizationId),
      this.teams.find(tenant, teamId),
    ]);
    if (!isInService || team === undefined) throw new ServiceError('calendarLinkNotFound');
    // With the name, so that a request after a renaming does not share work from before it.
    return this.work.run(organizationId, `${teamId} ${team.name}`, () => this.readOfTeam(tenant, team));
  }

  /** Returns the calendar of a team, which is formatted once for each version. */
  private async readOfTeam(tenant: Tenant, { id, name }: TeamRef): Promise<Calendar> {
    // The day, because it decides which games are the nearest.
    const today = new Date(Math.floor(this.clock.now().getTime() / day) * day);
    const games = nearestGames(await this.schedules.findForCalendar(tenant, id, today), today);
    const revisions = games.map(({ _id, revision }) => [_id, revision]);
    const contents = JSON.stringify([calendarFormat, process.versions['tz'], name, today, revisions]);
    const version = hash('sha256', contents, 'base64url');
    const kept = this.kept.get(id);
    if (kept?.version === version) return kept;
    const text = Buffer.from(await runInTurns(formatCalendar(name, games)));
    this.kept.set(id, { version, text }, { size: text.length });
    return { version, text };
  }

  private async assertRate(linkId: string): Promise<void> {
    const { hits, secondsLeft } = await this.counter.hit('calendar', linkId, 60);
    if (hits <= requestsPerMinute) return;
    const message = `Too many requests: the limit is ${requestsPerMinute} per minute. Retry in ${secondsLeft} seconds`;
    throw new ServiceError('rateLimited', { message, retryAfterSeconds: secondsLeft });
  }
}

/** Creates a token: the ID of the organization, so that the link is looked up within it, and the secret. */
function createToken({ organization }: Tenant): string {
  return Buffer.concat([Buffer.from(organization.id, 'hex'), randomBytes(secretBytes)]).toString('base64url');
}

/** @throws ServiceError 40410 for anything that is no token */
function organizationOf(token: string): string {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== idBytes + secretBytes) throw new ServiceError('calendarLinkNotFound');
  return bytes.toString('hex', 0, idBytes);
}

function changeOf(
  { organization }: Tenant,
  action: 'createCalendarLink' | 'deleteCalendarLink',
  id: string,
  { name }: TeamRef,
  changes?: object,
) {
  return { action, id, organizationId: organization.id, name, changes } as const;
}
