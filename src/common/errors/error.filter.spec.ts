import { type ArgumentsHost, Logger, type LoggerService } from '@nestjs/common';
import { ErrorFilter } from './error.filter.js';
import { errorCatalogue } from './error-catalogue.js';
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
    ['warn', new ServiceError(errorCatalogue.databaseUnavailable), 50301],
  ])('logs the request ID at level %s', (level, thrown, error) => {
    lines.length = 0;
    new ErrorFilter().catch(thrown, hostOf({ requestId: 'request-1' }));
    expect(lines).toMatchObject([{ level, details: { requestId: 'request-1', error } }]);
  });

  it('logs overload once per second, with the number of rejected requests', () => {
    jest.useFakeTimers();
    lines.length = 0;
    const filter = new ErrorFilter();
    for (const requestId of ['one', 'two', 'three']) {
      filter.catch(new ServiceError(errorCatalogue.overloaded), hostOf({ requestId }));
    }
    jest.advanceTimersByTime(1_000);
    expect(lines).toMatchObject([{ level: 'warn', details: { error: 50302, refused: 3 } }]);
    jest.useRealTimers();
  });
});

function hostOf(request: object): ArgumentsHost {
  const response = { headersSent: false, setHeader: () => undefined, end: () => undefined };
  const http = { getRequest: () => request, getResponse: () => response };
  return { switchToHttp: () => http } as unknown as ArgumentsHost;
}
