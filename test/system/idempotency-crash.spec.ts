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

/** Number of concurrent requests, and numbers of responses after which the server is killed. */
const sentAtOnce = 48;
const answersBefore = [1, 11, 31];
/** A lock that outlives its process would delay a retry for seconds, at least as long as a transaction lives. */
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

// Starts the server for the next test.
afterEach(() => mortal.crash());

const send = ({ organization, ...place }: TeamFixture, server: RunningServer, { route, key }: Request) =>
  sendCreate(route, { ...place, organization: organization.over(server) }, key).then(
    (answer) => answer,
    () => undefined, // the connection broke: the result is unknown
  );

/** Sends all requests at once, kills the server after some responses, and returns the responses. */
async function sendAndKill(
  place: TeamFixture,
  requests: Request[],
  answers: number,
): Promise<(Response | undefined)[]> {
  const doomed = mortal.server;
  // The first use of the API key is slow, so it should not be a create.
  await place.organization.over(doomed).call('get', '/teams').expect(200);
  let answered = 0;
  return mapBounded(requests, requests.length, async (request) => {
    const answer = await send(place, doomed, request);
    // On a busy machine the server can respond 503, which leaves the result unknown, like a broken connection.
    if (answer?.status === 503) return undefined;
    if (answer !== undefined && ++answered === answers) doomed.process.kill('SIGKILL');
    return answer;
  });
}

it.each(answersBefore)(
  'a server killed during creates, after %i responses, leaves no lock: on another server each retry succeeds at once and has one effect',
  async (answers) => {
    const place = await createTeamFixture(steady);
    // The transaction of a season and its audit event stays open for up to a minute after its server was killed.
    const routes = createRoutes.map(([, route]) => route).filter(({ collection }) => collection !== 'seasons');
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
      const created = retries.filter((_, index) => requests[index]?.route === route);
      const ids = created.map((answer) => (answer?.body as Stored)._id);
      expect((await listIds(route, place)).sort()).toEqual([...(before.get(route) ?? []), ...ids].sort());
    }
    expect(longest).toBeLessThan(promptly);
    const unanswered = retries.filter((_, index) => firsts[index] === undefined);
    expect(unanswered.length).toBeGreaterThan(0);
    const kept = unanswered.filter((retry) => retry?.headers['idempotent-replayed'] === 'true').length;
    process.stdout.write(
      `  ${unanswered.length} of ${sentAtOnce} got no response, ${kept} of these were created; longest retry ${Math.round(longest)} ms\n`,
    );
  },
  60_000,
);
