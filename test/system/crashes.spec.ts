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
import { type Stored, createOrganization } from '../support/organization.js';
import { CrashableServer } from '../support/crashable-server.js';
import { RunningServer } from '../support/server.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { eventually } from '../support/processes.js';
import { expectDemoLeague } from '../support/sandbox.js';

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

/** Counts what a reset deletes first and creates last. */
async function progressOf(organizationId: string) {
  const database = await steady.database();
  const count = (name: string) =>
    database.collection(name).countDocuments({ organizationId: new ObjectId(organizationId) });
  return {
    links: await count('calendarLinks'),
    players: await count('players'),
    schedules: await count('schedules'),
  };
}

type Progress = Awaited<ReturnType<typeof progressOf>>;

it.each([
  ['deletes', ({ links, players }: Progress) => links < 4_000 && players === 0],
  ['has deleted everything', ({ links }: Progress) => links === 0],
  ['creates the teams', ({ links, players }: Progress) => links === 0 && players > 10],
  ['creates the schedules', ({ links, schedules }: Progress) => links === 0 && schedules > 2],
])('a reset of a server that is killed while it %s is completed by a repetition', async (_what, isReached) => {
  const sandbox = await createOrganization(steady, 'Sandbox', { isSandbox: true });
  const organizationId = new ObjectId(sandbox.id);
  const links = Array.from({ length: 4_000 }, (_none, slot) => ({
    organizationId,
    slot,
    teamId: organizationId,
    tokenHash: `${sandbox.id} ${slot}`,
  }));
  await (await steady.database()).collection('calendarLinks').insertMany(links);
  const first = sandbox.over(mortal.server);
  await first.call('get', '/me').expect(200);
  const answered = new AbortController();
  const answer = first.call('post', '/sandbox/reset').then(
    () => answered.abort(),
    () => undefined,
  );
  while (!isReached(await progressOf(sandbox.id)) && !answered.signal.aborted) await sleep(5);
  await mortal.crash();
  await answer;
  // The first reset keeps others out until it can no longer write, and a slow machine may need several requests.
  const repeated = sandbox.over(mortal.server);
  const isReset = async () => (await repeated.call('post', '/sandbox/reset')).status === 200;
  await eventually('the sandbox is reset', isReset, 60);
  await expectDemoLeague(sandbox);
});
