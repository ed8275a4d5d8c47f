import { type ArgumentsHost, Logger, type LoggerService } from '@nestjs/common';
import { mongo } from 'mongoose';
import { ErrorFilter } from './error.filter.js';
import { ServiceError } from './service-error.js';

interface Line {
  readonly level: string;
  readonly message: unknown;
  readonly details: unknown;
}

describe('ErrorFilter', () => {
  const lines: Line[] = [];
  const note =
    (level: string) =>
    (message: unknown, details: unknown): void =>
      void lines.push({ level, message, details });

  beforeAll(() => {
    const logger: LoggerService = { log: note('info'), warn: note('warn'), error: note('error') };
    Logger.overrideLogger(logger);
  });
  afterAll(() => {
    Logger.overrideLogger(false);
  });

  it.each([
    ['error', new Error('broken'), 50000],
    ['warn', new ServiceError('databaseUnavailable'), 50301],
    ['warn', new mongo.MongoNetworkError('connection closed'), 50301],
  ])('logs the request ID at level %s', (level, thrown, error) => {
    lines.length = 0;
    new ErrorFilter().catch(thrown, hostOf({ requestId: 'request-1' }));
    expect(lines).toMatchObject([{ level, details: { requestId: 'request-1', error } }]);
  });

  it('counts overload errors for the log line of the overload middleware, and logs none', () => {
    lines.length = 0;
    const countRejection = jest.fn();
    const host = hostOf({ requestId: 'request-1', overload: { countRejection } });
    new ErrorFilter().catch(new ServiceError('overloaded'), host);
    expect(countRejection).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([]);
  });
});

function hostOf(request: object): ArgumentsHost {
  const response = {
    headersSent: false,
    setHeader: () => undefined,
    appendHeader: () => undefined,
    end: () => undefined,
  };
  const http = { getRequest: () => request, getResponse: () => response };
  return { switchToHttp: () => http } as unknown as ArgumentsHost;
}
