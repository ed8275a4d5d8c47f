import type { NextFunction, Request, Response } from 'express';

/** The answers that are under way, so that each connection can be ended with its next answer when the server stops. */
export class OpenResponses {
  private readonly open = new Set<Response>();
  private ending = false;

  /** The middleware that keeps them. */
  readonly track = (_request: Request, response: Response, next: NextFunction): void => {
    if (this.ending) response.setHeader('Connection', 'close');
    this.open.add(response);
    response.once('close', () => this.open.delete(response));
    next();
  };

  /** From now on every answer says that its connection ends with it. */
  endConnections(): void {
    this.ending = true;
    for (const response of this.open) if (!response.headersSent) response.setHeader('Connection', 'close');
  }
}
