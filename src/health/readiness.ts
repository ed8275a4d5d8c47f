import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';

/** Whether this server may be sent requests. */
@Injectable()
export class Readiness {
  private state: 'starting' | 'started' | 'stopping' = 'starting';

  constructor(private readonly database: DatabaseService) {}

  /** True while requests are to be sent here, as far as it is this server's own affair. */
  get isStarted(): boolean {
    return this.state === 'started';
  }

  started(): void {
    this.state = 'started';
  }

  stopping(): void {
    this.state = 'stopping';
  }

  /** What is in the way, in words; undefined where nothing is. */
  async obstacle(): Promise<string | undefined> {
    if (this.state === 'stopping') return 'The server is stopping';
    if (!(await this.database.isReachable())) return 'The database cannot be reached';
    return this.state === 'starting' ? 'The server is starting' : undefined;
  }
}
