import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { CountedWindow } from './counted-window.js';

/** A count must never hold up a request for long: after so many milliseconds without an answer we go on without it. */
const answerMilliseconds = 35;

/** The start waits so long for the first connection, so that the first requests are already counted together. */
const connectMilliseconds = 1_000;

/**
 * KEYS[1] a window, ARGV[1] how much to add (below zero: to take back), ARGV[2] the window's seconds. Answers the hits
 * and the milliseconds left. The library's own script is right for adding, but taking back would open a window of
 * minus one. And a key of Redis is gone only in the millisecond after its time: hence one millisecond less is set and
 * one more is told, so that what is told is true to the millisecond. A window that has no end, or a later one
 * than it can have (the clock of Redis was put back), gets a new one.
 */
const countScript = `
local change = tonumber(ARGV[1])
local lifetime = tonumber(ARGV[2]) * 1000 - 1
if change < 0 and tonumber(redis.call('get', KEYS[1]) or 0) + change < 1 then
  redis.call('del', KEYS[1])
  return {0, 0}
end
redis.call('set', KEYS[1], 0, 'PX', lifetime, 'NX')
local hits = redis.call('incrby', KEYS[1], change)
local left = redis.call('pttl', KEYS[1])
if left < 0 or left > lifetime then
  redis.call('pexpire', KEYS[1], lifetime)
  left = lifetime
end
return {hits, left + 1}
`;

/**
 * Windows in a Redis that all replicas share, each change one atomic step there. Every call ends within about 40 ms:
 * with an answer or with an error, whose message never holds the password of the URL.
 */
export class SharedWindows {
  private readonly redis: Redis;
  private readonly limiter: RateLimiterRedis;
  private readonly secrets: string[];
  private connectionProblem: string | undefined;

  /** `url`: `redis://` or `rediss://` (TLS). Connects with `open`, not before. */
  constructor(url: string) {
    this.secrets = secretsOf(url);
    this.redis = new Redis(url, {
      lazyConnect: true,
      // Nothing waits for a connection and nothing is sent twice: a count that came late is worth nothing.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      // A silent peer (a lost network, a stopped process) is given up and connected anew, also while connecting.
      socketTimeout: 2_000,
      connectTimeout: 2_000,
      disconnectTimeout: 100,
      retryStrategy: (times) => Math.min(times * 100, 1_000),
      // After a failover the old primary stays reachable but refuses writes; a new connection finds the new one.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
    // Without a listener ioredis writes the whole error to the console.
    this.redis.on('error', (error: Error) => {
      this.connectionProblem = textOf(error);
    });
    this.redis.on('ready', () => {
      this.connectionProblem = undefined;
    });
    this.limiter = new RateLimiterRedis({
      storeClient: this.redis,
      rejectIfRedisNotReady: true,
      customIncrTtlLuaScript: countScript,
      keyPrefix: 'ffapi:hits',
      // `penalty` only adds, it never refuses, so the limit of the library has no meaning here.
      points: 1,
      duration: 60,
    });
  }

  /** Connects and waits a second at most; rejects when Redis is not there by then, and goes on trying all the same. */
  async open(): Promise<void> {
    await this.answered(this.redis.connect(), connectMilliseconds);
  }

  /** Adds one. The window begins with its first hit and is not prolonged by later ones. */
  async hit(key: string, windowSeconds: number): Promise<CountedWindow> {
    const penalty = this.limiter.penalty(key, 1, { customDuration: windowSeconds });
    const window = await this.answered(penalty, answerMilliseconds);
    return { hits: window.consumedPoints, millisecondsLeft: window.msBeforeNext };
  }

  /** Takes one hit back. Without a hit there is nothing to take; without any left, the window is gone. */
  async refund(key: string, windowSeconds: number): Promise<void> {
    await this.answered(this.limiter.reward(key, 1, { customDuration: windowSeconds }), answerMilliseconds);
  }

  /** Asks for a sign of life. */
  async ping(): Promise<void> {
    await this.answered(this.redis.ping(), answerMilliseconds);
  }

  /** Ends the connection at once, also with a Redis that hangs. */
  close(): void {
    this.redis.disconnect();
  }

  /** The answer, or an error that may be logged. */
  private answered<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
    return withinMilliseconds(answer, milliseconds).catch((error: unknown) => {
      const reason = this.redis.status === 'ready' ? textOf(error) : (this.connectionProblem ?? textOf(error));
      // Without `cause`: an error of ioredis holds the command sent, and that of a log-in holds the password.
      throw new Error(this.secrets.reduce((text, secret) => text.replaceAll(secret, '***'), reason));
    });
  }
}

/**
 * The answer, or an error after so many milliseconds. What the process itself was busy with does not count against the
 * answer: a timer that was set late in a long turn comes early, by as long as the turn was, so it looks at the clock. And
 * timers run before sockets are read: the answer may lie there unread, so one round of reading passes before giving up.
 */
export function withinMilliseconds<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  const asked = performance.now();
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`No answer within ${milliseconds} ms`));
    const look = () => {
      const left = milliseconds - (performance.now() - asked);
      // A timer keeps no fractions of a millisecond.
      if (left < 1) setImmediate(giveUp);
      else timer = setTimeout(look, left);
    };
    let timer = setTimeout(look, milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** What must not be seen of a URL: the password as it stands there and as it is meant. */
function secretsOf(url: string): string[] {
  if (!/^rediss?:\/\//i.test(url) || !URL.canParse(url)) {
    // ioredis would take anything else for the path of a socket, and name it in its errors.
    throw new Error('The Redis URL must begin with redis:// or rediss:// and be a valid URL');
  }
  const { password } = new URL(url);
  return [url, password, decoded(password)].filter((secret) => secret !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Node gives an error without a message when no address of a host name answers; its code says why. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const code = 'code' in error ? String(error.code) : error.name;
  return error.message === '' ? code : error.message;
}
