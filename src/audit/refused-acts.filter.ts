import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { ErrorFilter, refusalOf } from '../common/errors/error.filter.js';
import type { ServedRequest } from '../common/http/served-request.js';
import { AuditTrail } from './audit-trail.js';
import { refusedActOf } from './refused-act.js';

/**
 * Records every refused act (4xx) of a logged-in admin before the one filter answers it; looking is an act, too. What
 * strangers send is not recorded here, or they could fill the audit: neither a request without a right token (401), nor an
 * unknown path or method (404, 405), for which nobody is asked who they are. Faults of ours (5xx) are in the log.
 */
@Catch()
export class RefusedActsFilter implements ExceptionFilter {
  private readonly envelope = new ErrorFilter();

  constructor(private readonly trail: AuditTrail) {}

  catch(thrown: unknown, host: ArgumentsHost): Promise<void> | undefined {
    const request = host.switchToHttp().getRequest<ServedRequest>();
    const { adminContext } = request;
    const response = host.switchToHttp().getResponse<Response>();
    const act = adminContext && refusedActOf(request, refusalOf(thrown, request, response));
    if (adminContext !== undefined && act !== undefined) {
      return this.trail.recordRefusedAct(adminContext, act).then(() => this.envelope.catch(thrown, host));
    }
    this.envelope.catch(thrown, host);
    return undefined;
  }
}
