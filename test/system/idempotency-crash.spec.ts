import type { Response } from 'supertest';
import { mapBounded } from '../support/concurrency.js';
import {
  createTeamFixture,
  sendCreate,
  createRoutes,
  type CreateRoute,
  expectCreated,
  expectReplayed,
  listIds,
  type TeamFixture,
} from '../support/idempotent-creates.js';
import type { Stored } from '../support/organization.js';
import { CrashableServer } from '../support/crashable-server.js';
import { RunningServer } from '../support/server.js';

/** How many requests are sent at once, and after how many answers the server is killed over the others. */
const sentAtOnce = 48;
const answersBefore = [1, 4, 11, 20, 31, 42];
/** A lock that outlives its process would hold a retry for seconds, at the least for as long as a transaction lives. */
const promptly = 3_000;

interface Request {
  route: CreateRoute;
  key: string;
}

let steady: RunningServer;
let mortal: CrashableServer;

beforeAll(async () => {
  steady = await RunningServer.start();
  mortal = await CrashableServer.start(steady.databaseUri);
}, 60_000);

afterAll(async () => {
  await mortal.stop();
  await steady.stop();
});

// Whatever became of the one before, the next test has one that runs.
afterEach(() => mortal.crash());

const send = ({ organization, ...place }: TeamFixture, server: RunningServer, { route, key }: Request) =>
  sendCreate(route, { ...place, organization: organization.over(server) }, key).then(
    (answer) => answer,
    () => undefined, // the connection broke: nobody knows whether the record was made
  );

/** Sends all at once and kills the server after so many answers; what was answered. */
async function sendAndKill(
  place: TeamFixture,
  requests: Request[],
  answers: number,
): Promise<(Response | undefined)[]> {
  const doomed = mortal.server;
  // The first sight of the organization's key takes its time, and is no create.
  await place.organization.over(doomed).call('get', '/teams').expect(200);
  let answered = 0;
  return mapBounded(requests, requests.length, async (request) => {
    const answer = await send(place, doomed, request);
    // A busy machine may answer 503, which tells as little as a broken connection.
    if (answer?.status === 503) return undefined;
    if (answer !== undefined && ++answered === answers) doomed.process.kill('SIGKILL');
    return answer;
  });
}

it.each(answersBefore)(
  'a server that is killed in the midst of creates, after %i answers, leaves no lock: on another one each retry is answered at once, and has one effect',
  async (answers) => {
    const place = await createTeamFixture(steady);
    const routes = createRoutes.map(([, route]) => route);
    const requests = Array.from({ length: sentAtOnce / routes.length }, (_, index) =>
      routes.map((route): Request => ({ route, key: `import-${index}` })),
    ).flat();
    const before = new Map<CreateRoute, string[]>();
    for (const route of routes) before.set(route, await listIds(route, place));
    const firsts = await sendAndKill(place, requests, answers);

    expect(firsts.filter((first) => first !== undefined).length).toBeGreaterThanOrEqual(answers);

    let longest = 0;
    const retries = await mapBounded(requests, 6, async (request) => {
      const begun = performance.now();
      const answer = await send(place, steady, request);
      longest = Math.max(longest, performance.now() - begun);
      return answer;
    });
    for (const [index, retry] of retries.entries()) {
      expect(retry?.status).toBe(201);
      const first = firsts[index];
      if (first === undefined || retry === undefined) continue;
      expectCreated(first);
      expectReplayed(retry, first);
    }
    for (const route of routes) {
      const made = retries.filter((_, index) => requests[index]?.route === route);
      const ids = made.map((answer) => (answer?.body as Stored)._id);
      expect((await listIds(route, place)).sort()).toEqual([...(before.get(route) ?? []), ...ids].sort());
    }
    expect(longest).toBeLessThan(promptly);
    const unanswered = retries.filter((_, index) => firsts[index] === undefined);
    expect(unanswered.length).toBeGreaterThan(0);
    const kept = unanswered.filter((retry) => retry?.headers['idempotent-replayed'] === 'true').length;
    process.stdout.write(
      `  ${unanswered.length} of ${sentAtOnce} were not answered, ${kept} of these made; longest retry ${Math.round(longest)} ms\n`,
    );
  },
  60_000,
);
