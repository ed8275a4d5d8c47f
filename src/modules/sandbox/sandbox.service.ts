import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../access/request-context.js';
import { ServiceError, writeConflict } from '../../errors/service-error.js';
import { ErasureRepository, resetModels } from '../erasure/erasure.repository.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { DemoLeague } from './demo-league.js';

/** How long others wait for a reset whose server was killed, in milliseconds: longer than a request may take. */
const resetMilliseconds = 5_000;
const retryMilliseconds = 200;
/** How often a request tries to start while another reset is running: for 3 s. */
const maxAttempts = 15;

@Injectable()
export class SandboxService {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly records: ErasureRepository,
    private readonly league: DemoLeague,
  ) {}

  /** Deletes all records of a sandbox and creates the demo league. If it is interrupted, a repetition completes it. */
  async reset(context: RequestContext): Promise<void> {
    if (context.organization.sandbox === undefined) throw new ServiceError('sandboxOnly');
    await this.start(context);
    try {
      await this.records.deleteAll(context, resetModels);
      const teamIds = await this.league.create(context);
      await this.records.deleteWithoutTeam(context, teamIds);
      await this.league.renewLiveGame(context, undefined);
    } finally {
      await this.organizations.endReset(context);
    }
  }

  private async start(context: RequestContext): Promise<void> {
    for (let attempt = 1; !(await this.organizations.startReset(context, resetMilliseconds)); attempt++) {
      if (attempt === maxAttempts) throw writeConflict('Another request is resetting the sandbox');
      await sleep(retryMilliseconds);
    }
  }
}
