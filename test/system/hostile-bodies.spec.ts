import type { Response } from 'supertest';
import { bodiesFor, bodyLimitOf, BodyTarget, bodyOperations } from '../support/body-target.js';
import { expectError } from '../support/expectations.js';
import {
  unsupportedBodies,
  harmlessBodies,
  type HostileBody,
  oversizedBodies,
  unreadableBodies,
} from '../support/hostile-bodies.js';
import { RunningServer } from '../support/server.js';
import { mapBounded } from '../support/concurrency.js';

const server = RunningServer.forTests({ WEBHOOK_WORKER: 'off' });

/** Reads the OpenAPI documents, so that new operations are tested as soon as they are documented. */
describe.each(bodyOperations)('the body of $id', (operation) => {
  const limit = bodyLimitOf(operation);
  let target: BodyTarget;
  let usual: Response;

  beforeAll(async () => {
    target = await BodyTarget.create(server, operation);
    usual = await target.send(JSON.stringify(target.body()));
  });
  // The server still works: a valid request gets the usual response.
  afterEach(async () => {
    const answer = await target.send(JSON.stringify(target.body()));
    target.expectAccepted(answer, usual.status, 'a right body');
    if (answer.ok) expect(Object.keys(answer.body as object)).toEqual(Object.keys(usual.body as object));
  });

  /** Expects each body to be rejected with the error envelope and without a write. */
  const expectRejected = async (bodies: readonly HostileBody[], error: number) => {
    const json = JSON.stringify(target.body());
    const before = await target.stored();
    await mapBounded(bodiesFor(operation, bodies), 4, async ({ what, of, headers }) => {
      const answer = await target.send(of(json), headers);
      const { error: got } = answer.body as { error?: number };
      expect({ what, got, text: answer.text.slice(0, 500) }).toMatchObject({ what, got: error });
      expectError(answer, error);
    });
    expect(await target.stored()).toEqual(before);
  };

  it('is accepted as documented', () => {
    expect({ ok: usual.ok || !target.dependsOnBodyOnly, text: usual.text }).toMatchObject({ ok: true });
    expect(usual.status).toBeLessThan(500);
  });

  it('is accepted in all equivalent forms of JSON and HTTP', async () => {
    for (const body of bodiesFor(operation, harmlessBodies)) {
      target.expectAccepted(
        await target.send(body.of(JSON.stringify(target.body())), body.headers),
        usual.status,
        body.what,
      );
    }
  });

  it('is rejected with 40000 unless it is a JSON object in UTF-8 with at most 32 levels', async () => {
    const isSmall = ({ of }: HostileBody) => Buffer.byteLength(of(JSON.stringify(target.body()))) <= limit;
    await expectRejected(unreadableBodies.filter(isSmall), 40000);
  });

  it('is rejected with 41500 if its media type or encoding is not supported', async () => {
    await expectRejected(unsupportedBodies, 41500);
  });

  it(`is accepted with ${limit} bytes and rejected with 41300 with one more, also if compressed`, async () => {
    const response = await target.send(JSON.stringify(target.body()).padEnd(limit));
    target.expectAccepted(response, usual.status, `${limit} bytes`);
    await expectRejected(oversizedBodies(limit), 41300);
  });
});
