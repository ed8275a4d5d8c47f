import type { Response } from 'supertest';
import { bodyLimitOf, BodyTarget, bodyOperations } from '../support/body-target.js';
import { expectError } from '../support/expectations.js';
import {
  unsupportedBodies,
  harmlessBodies,
  type HostileBody,
  oversizedBodies,
  unreadableBodies,
} from '../support/hostile-bodies.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests(() => RunningServer.start({ WEBHOOK_WORKER: 'off' }));

/** Reads the OpenAPI documents, so that new operations are tested as soon as they are documented. */
describe.each(bodyOperations)('the body of $id', (operation) => {
  const limit = bodyLimitOf(operation);
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

  /** Expects each body to be rejected with the error envelope and without a write. */
  const expectRefused = async (bodies: readonly HostileBody[], error: number) => {
    const before = await target.stored();
    for (const body of bodies) {
      const response = await send(body);
      const { error: got } = response.body as { error?: number };
      expect({ what: body.what, got, text: response.text }).toMatchObject({ what: body.what, got: error });
      expectError(response, error);
    }
    expect(await target.stored()).toEqual(before);
  };

  it('is accepted as documented', () => {
    expect({ ok: usual.ok || !target.dependsOnBodyOnly, text: usual.text }).toMatchObject({ ok: true });
    expect(usual.status).toBeLessThan(500);
  });

  it('is accepted in all equivalent forms of JSON and HTTP', async () => {
    for (const body of harmlessBodies) {
      target.expectAccepted(await send(body), usual.status, body.what);
    }
  });

  it('is rejected with 40000 unless it is a JSON object in UTF-8 with at most 32 levels', async () => {
    const isSmall = ({ of }: HostileBody) => Buffer.byteLength(of(JSON.stringify(target.body()))) <= limit;
    await expectRefused(unreadableBodies.filter(isSmall), 40000);
  });

  it('is rejected with 41500 if its media type or encoding is not supported', async () => {
    await expectRefused(unsupportedBodies, 41500);
  });

  it(`is accepted with ${limit} bytes and rejected with 41300 with one more, also if compressed`, async () => {
    const response = await target.send(JSON.stringify(target.body()).padEnd(limit));
    target.expectAccepted(response, usual.status, `${limit} bytes`);
    await expectRefused(oversizedBodies(limit), 41300);
  });
});
