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
import { webhookEvents } from '../../src/modules/webhooks/webhook-delivery.schema.js';
import { mapBounded } from '../support/concurrency.js';
import type { Input } from '../support/documented-requests.js';
import { hostileMembers, type HostileValue, hostileValues, verdictOf } from '../support/hostile-values.js';

/** A body and the error with which it is rejected. */
interface Refused {
  readonly what: string;
  readonly body: string | Buffer;
  readonly headers?: Record<string, string> | undefined;
  readonly error: number;
  /** A field that `details` must name, or a part of it. */
  readonly field?: string;
}

/** Fields that the server computes for `null`. */
const computedFields = ['endDate', 'eventTitle', 'teamTwoName'];
/** What responses contain of a field that is not stored. */
const returnedIfMissing: Record<string, unknown> = { events: webhookEvents };

const server = RunningServer.forTests({ WEBHOOK_WORKER: 'off' });

/** Reads the OpenAPI documents, so that new operations and fields are tested as soon as they are documented. */
describe.each(bodyOperations)('the body of $id', (operation) => {
  const { id } = operation;
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

  const everyField = () => target.fields.flatMap((input) => hostileValues.map((value) => ({ input, value })));

  /** Expects each body to be rejected with the error envelope and without a write. */
  const expectRefused = async (bodies: readonly Refused[]) => {
    const before = await target.stored();
    await mapBounded(bodies, 4, async ({ what, body, headers, error, field }) => {
      const answer = await target.send(body, headers);
      const { error: got } = answer.body as { error?: number };
      expect({ what, got, text: answer.text.slice(0, 500) }).toMatchObject({ what, got: error });
      const details = expectError(answer, error).details ?? [];
      expect(details.length).toBeLessThanOrEqual(50);
      const isNamed = field === undefined || details.some((one) => one.field.startsWith(field));
      expect({ what, details, isNamed: isNamed || error !== 40001 }).toMatchObject({ isNamed: true });
    });
    expect(await target.stored()).toEqual(before);
  };

  const expectUnread = (bodies: readonly HostileBody[], error: number) => {
    const json = JSON.stringify(target.body());
    return expectRefused(
      bodiesFor(operation, bodies).map(({ what, of, headers }) => ({ what, body: of(json), headers, error })),
    );
  };

  /** Sends a value in all these fields at once; returns the fields that `details` does not name. */
  const fieldsNotNamed = async (inputs: readonly Input[], value: HostileValue) => {
    const wrong = inputs.filter((input) => verdictOf(input, value) === 40001);
    if (wrong.length === 0 || value.json.length > 1_000) return inputs;
    const answer = await target.send(target.bodyWith(wrong, value.json));
    const { error, details = [] } = answer.body as { error: number; details?: { field: string }[] };
    expect(answer.status).toBe(400);
    if (error !== 40001) return inputs;
    const named = details.map(({ field }) => field);
    const isOf = (one: string, field: string) =>
      one === field || one.startsWith(`${field}.`) || one.startsWith(`${field}[`);
    return inputs.filter(({ field }) => !named.some((one) => isOf(one, field)));
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
    await expectUnread(unreadableBodies.filter(isSmall), 40000);
  });

  it('is rejected with 41500 if its media type or encoding is not supported', async () => {
    await expectUnread(unsupportedBodies, 41500);
  });

  it(`is accepted with ${limit} bytes and rejected with 41300 with one more, also if compressed`, async () => {
    const response = await target.send(JSON.stringify(target.body()).padEnd(limit));
    target.expectAccepted(response, usual.status, `${limit} bytes`);
    await expectUnread(oversizedBodies(limit), 41300);
  });

  it('is rejected with an invalid value in any field', async () => {
    const before = await target.stored();
    let count = 0;
    const unnamed = await mapBounded(hostileValues, 4, async (value) => {
      const inputs = target.fields.filter((input) => verdictOf(input, value) !== 'taken');
      count += inputs.length;
      return (await fieldsNotNamed(inputs, value)).map((input) => ({ input, value }));
    });
    expect(count).toBeGreaterThan(20);
    expect(await target.stored()).toEqual(before);
    // Tests a field alone if another one hides it or determines the error.
    await expectRefused(
      unnamed.flat().map(({ input, value }): Refused => {
        const body = target.bodyWith([input], value.json);
        const isTooLarge = operation.caller === 'anybody' && body.length > 4_096;
        const error = isTooLarge ? 41300 : (verdictOf(input, value) as 40001 | 40301);
        return { what: `${input.field}: ${value.what}`, body, error, field: input.field };
      }),
    );
  }, 120_000);

  it('is stored as sent with an unusual but valid value', async () => {
    for (const { input, value } of everyField()) {
      if (verdictOf(input, value) !== 'taken') continue;
      // It deletes a record, and stands alone: deletions.spec.ts.
      if (input.name === 'delete') continue;
      // They are cleared together: schedules-outcome.spec.ts.
      if (value.json === 'null' && /Score$|^forfeitedBy$/.test(input.name)) continue;
      const answer = await target.send(target.bodyWith([input], value.json));
      const what = `${input.field}: ${value.what}`;
      target.expectAccepted(answer, id === 'login' && input.name !== 'code' ? 401 : usual.status, what);
      const isStored = operation.caller === 'apiKey' && input.name !== 'dryRun' && id !== 'writePlayerStatistics';
      if (isStored) await expectKept(answer, input.name, JSON.parse(value.json));
    }
  });

  it('is rejected with an unknown property in any of its objects', async () => {
    const bodies = hostileMembers.flatMap(({ what, json, isAllowedInLocation: isOwn }) =>
      target
        .bodiesWithMember(json)
        .filter(({ where }) => !(isOwn && where.endsWith('location')))
        .map(({ where, json: body }): Refused => ({ what: `${what} in ${where}`, body, error: 40001 })),
    );
    await expectRefused(bodies);
  });

  /**
   * Expects a value in the response, unless it is that of a bulk request, and in the database; a cleared field is in
   * neither, unless the server computes it or responses have a default.
   */
  const expectKept = async (answer: Response, field: string, sent: unknown) => {
    const { data: [row] = [] } = answer.body as { data?: Record<string, unknown>[] };
    const answered = row ?? (answer.body as Record<string, unknown>);
    const stored = await target.storedRecord(String(answered['_id']));
    const value = sent ?? (computedFields.includes(field) ? (stored[field] ?? 'a value') : undefined);
    const shown = [row === undefined ? answered : stored, stored].map((record) => JSON.stringify(record[field]));
    const returned = value ?? returnedIfMissing[field];
    expect({ field, shown }).toEqual({ field, shown: [JSON.stringify(returned), JSON.stringify(value)] });
  };
});
