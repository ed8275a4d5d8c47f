import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { type Logger, pino } from 'pino';
import { LogOutput, PinoLoggerService, requestLog } from './logger.js';

type Line = Record<string, unknown>;

function aLogger(): { logger: Logger; lines: Line[] } {
  const lines: Line[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(JSON.parse(chunk.toString()) as Line);
      done();
    },
  });
  return {
    logger: pino({ level: 'trace', base: null, formatters: { level: (label) => ({ level: label }) } }, stream),
    lines,
  };
}

describe('Nest log calls', () => {
  it.each([
    ['log', 'info'],
    ['warn', 'warn'],
    ['error', 'error'],
    ['debug', 'debug'],
    ['verbose', 'trace'],
    ['fatal', 'fatal'],
  ] as const)('write a line with the context: %s at level %s', (method, level) => {
    const { logger, lines } = aLogger();
    new PinoLoggerService(logger)[method]('The database is away', { durationMs: 5 }, 'Database');
    expect(lines).toEqual([
      expect.objectContaining({ level, msg: 'The database is away', context: 'Database', durationMs: 5 }),
    ]);
  });

  it('use level debug for modules and routes', () => {
    const { logger, lines } = aLogger();
    new PinoLoggerService(logger).log('Mapped {/teams, GET} route', 'RouterExplorer');
    expect(lines).toEqual([expect.objectContaining({ level: 'debug' })]);
  });

  it('include the stack of an error in any argument', () => {
    const { logger, lines } = aLogger();
    const service = new PinoLoggerService(logger);
    service.error('It failed', { error: 50000 }, new Error('broken'), 'Errors');
    service.error(new Error('broken'));
    expect(lines[0]).toMatchObject({
      msg: 'It failed',
      error: 50000,
      context: 'Errors',
      err: { message: 'broken', stack: expect.stringContaining('logging.spec') as string },
    });
    expect(lines[1]).toMatchObject({ msg: 'broken', err: { message: 'broken' } });
  });
});

describe('the request log', () => {
  const served = (over: object = {}) => {
    const response = Object.assign(new EventEmitter(), { statusCode: 201, writableFinished: true });
    const request = {
      requestId: 'request-0001',
      arrivedAt: performance.now(),
      method: 'POST',
      url: '/v1/public-api/teams?secret=1',
      route: { path: '/v1/public-api/teams' },
      headers: { authorization: 'Bearer ffk_live_secret' },
      body: { name: 'secret' },
      knownKey: { id: 'key', organizationId: 'organization', name: 'secret' },
      ...over,
    };
    const { logger, lines } = aLogger();
    let passedOn = 0;
    requestLog(logger)(request as unknown as Request, response as unknown as Response, () => passedOn++);
    return { response, lines, passedOn };
  };

  it('has one line per request with caller, route and outcome', () => {
    const { response, lines, passedOn } = served();
    expect([passedOn, lines.length]).toEqual([1, 0]);
    response.emit('close');
    response.emit('close');
    expect(lines).toHaveLength(1);
    const said = {
      requestId: 'request-0001',
      method: 'POST',
      route: '/v1/public-api/teams',
      status: 201,
      apiKeyId: 'key',
      organizationId: 'organization',
    };
    expect(lines[0]).toMatchObject({ ...said, level: 'info', msg: 'request completed' });
    expect(lines[0]?.['durationMs']).toBeGreaterThanOrEqual(0);
    expect(lines[0]).not.toHaveProperty('aborted');
  });

  it('has no header, query value or body', () => {
    const { response, lines } = served();
    response.emit('close');
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('marks requests that the client aborted', () => {
    const { response, lines } = served();
    response.writableFinished = false;
    response.emit('close');
    expect(lines[0]).toMatchObject({ aborted: true });
  });

  it('has a line for each overload rejection, such as a write conflict, except those that another line counts', () => {
    const [conflict, counted] = [{}, { isCountedAsRejected: true }].map((over) =>
      served({ errorCode: 50302, ...over }),
    );
    conflict?.response.emit('close');
    counted?.response.emit('close');
    expect(conflict?.lines).toMatchObject([{ requestId: 'request-0001', error: 50302 }]);
    expect(counted?.lines).toEqual([]);
  });
});

/** A stream that is read only when the test does so. */
class Reader {
  text = '';
  private waiting: ((error?: Error) => void) | undefined;
  private readonly stream = new Writable({
    highWaterMark: 1,
    write: (chunk: Buffer, _encoding, done) => {
      this.waiting = (error) => {
        if (error === undefined) this.text += chunk.toString();
        done(error);
      };
    },
  });
  readonly output = new LogOutput(this.stream);

  async readAll(error?: Error): Promise<void> {
    // Lines are written at the end of a turn.
    await nextTurn();
    while (this.waiting !== undefined) {
      const read = this.waiting;
      this.waiting = undefined;
      read(error);
      await nextTurn();
    }
  }
}

describe('LogOutput', () => {
  it('buffers 16 MiB for a hanging reader, drops further lines and writes again when it resumes', async () => {
    const reader = new Reader();
    const padding = 'x'.repeat(1_000_000);
    for (let number = 0; number < 30; number++) reader.output.write(`${number} ${padding}\n`);
    expect(reader.output.droppedLines).toBe(14);
    await reader.readAll();
    reader.output.write('after\n');
    await reader.readAll();
    const written = reader.text.split('\n').map((line) => line.split(' ')[0]);
    expect(written).toEqual([...[...Array(16).keys()].map(String), 'after', '']);
    expect(reader.output.droppedLines).toBe(14);
  });

  it('counts lines that cannot be written as dropped', async () => {
    const reader = new Reader();
    for (const line of ['lost\n', 'too\n']) reader.output.write(line);
    await reader.readAll(new Error('no space left'));
    expect([reader.text, reader.output.droppedLines]).toEqual(['', 2]);
  });

  it('flushes until everything is read', async () => {
    const reader = new Reader();
    reader.output.write('one\n');
    const flushed = reader.output.flush();
    await reader.readAll();
    await flushed;
    expect(reader.text).toBe('one\n');
  });

  it('stops flushing after 1 s if nothing is read', async () => {
    const reader = new Reader();
    reader.output.write('one\n');
    await reader.output.flush();
    expect(reader.text).toBe('');
  });
});
