import type { Response } from 'supertest';
import { BodyTarget, bodyOperations } from '../support/body-target.js';
import { expectError } from '../support/expectations.js';
import {
  unsupportedBodies,
  harmlessBodies,
  type HostileBody,
  oversizedBodies,
  unreadableBodies,
} from '../support/hostile-bodies.js';
import { RunningServer } from '../support/server.js';

/** In bytes, where it is not the usual one. */
const limits: Readonly<Record<string, number>> = { replacePlayerStatistics: 1_048_576, login: 4_096 };

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.start();
});
afterAll(() => server.stop());

/** Of both documents: a new operation is tried as soon as it is described there. */
describe.each(bodyOperations)('the body of $id', (operation) => {
  const { id } = operation;
  const limit = limits[id] ?? 102_400;
  let target: BodyTarget;
  let usual: Response;

  beforeAll(async () => {
    target = await BodyTarget.create(server, operation);
    usual = await target.send(JSON.stringify(target.body()));
  });
  afterAll(async () => {
    await server.call('get', '/health/live').expect(200);
  });

  const send = ({ of, headers }: HostileBody) => target.send(of(JSON.stringify(target.body())), headers);

  /** Checks that each is refused in the envelope, and that nothing was written. */
  const expectRefused = async (bodies: readonly HostileBody[], error: number) => {
    const before = await target.stored();
    for (const body of bodies) {
      const answer = await send(body);
      const { error: got } = answer.body as { error?: number };
      expect({ what: body.what, got, text: answer.text }).toMatchObject({ what: body.what, got: error });
      expectError(answer, error);
    }
    expect(await target.stored()).toEqual(before);
  };

  it('is taken as the document describes it', () => {
    expect({ ok: usual.ok || !target.dependsOnBodyOnly, text: usual.text }).toMatchObject({ ok: true });
    expect(usual.status).toBeLessThan(500);
  });

  it('is the same with what JSON and HTTP allow to differ', async () => {
    for (const body of harmlessBodies) {
      target.expectAccepted(await send(body), usual.status, body.what);
    }
  });

  it('is refused with 40000 where it is no JSON object in UTF-8 of 32 levels', async () => {
    const isSmall = ({ of }: HostileBody) => Buffer.byteLength(of(JSON.stringify(target.body()))) <= limit;
    await expectRefused(unreadableBodies.filter(isSmall), 40000);
  });

  it('is refused with 41500 where its type or its encoding is not read', async () => {
    await expectRefused(unsupportedBodies, 41500);
  });

  it(`is taken with ${limit} bytes, and refused with 41300 from one more, also where it is packed`, async () => {
    const answer = await target.send(JSON.stringify(target.body()).padEnd(limit));
    target.expectAccepted(answer, usual.status, `${limit} bytes`);
    await expectRefused(oversizedBodies(limit), 41300);
  });
});
