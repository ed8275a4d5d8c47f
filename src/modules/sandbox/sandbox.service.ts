import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../access/request-context.js';
import { ServiceError, writeConflict } from '../../errors/service-error.js';
import { ErasureRepository, resetModels } from '../erasure/erasure.repository.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { DemoLeague } from './demo-league.js';

/** How long others wait for a reset whose server was killed, in milliseconds: longer than a request may take. */
const resetMilliseconds = 5_000;

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
    const isStarted = await this.organizations.startReset(context, resetMilliseconds);
    if (!isStarted) throw writeConflict('Another request is resetting the sandbox');
    try {
      await this.records.deleteAll(context, resetModels);
      await this.league.create(context);
      await this.league.renewLiveGame(context, undefined);
    } finally {
      await this.organizations.endReset(context);
    }
  }
}
