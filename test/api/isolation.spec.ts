import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { createOrganizationAdmin } from '../support/admins.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import type { FullOrganization } from '../support/full-organization.js';
import { type Method, RunningServer } from '../support/server.js';
import { TwoOrganizations } from '../support/two-organizations.js';
import type { BulkResponse, RowError } from '../../src/records/bulk.dto.js';
import { exampleOf, type Input, inputsOf, requestOf } from '../support/documented-requests.js';
import { type Operation, operations as allOperations } from '../support/operations.js';
import {
  isOwnId,
  isRowPlayer,
  idFor,
  isUndeclaredId,
  namesRecord,
  expectedErrorOf,
  valueFor,
} from '../support/record-names.js';
import { type NamedId, invalidIdCombinations } from '../support/id-variants.js';

const server = RunningServer.forTests({ WEBHOOK_WORKER: 'off' });

describe('requests from the document', () => {
  /** An operation and the inputs to send. */
  interface RequestCase {
    readonly id: string;
    readonly extent: string;
    readonly operation: Operation;
    readonly sent: readonly Input[];
  }

  const isRowId = ({ field }: Input) => field === 'rows[0].externalId';

  /** From the published document, so that a new route or field is tested as soon as it is documented. */
  const operations = allOperations.filter(({ caller }) => caller === 'apiKey');
  const allRequests: RequestCase[] = operations.flatMap((operation) => {
    const { id } = operation;
    // The document can show no valid cursor: list-cursors.spec.ts tests the cursors of another organization.
    const inputs = inputsOf(operation).filter(({ name }) => name !== 'cursor');
    const least = inputs.filter((input) => input.required || namesRecord(input) || isRowId(input));
    const all = { id, extent: 'all fields', operation, sent: inputs };
    const named = inputsOf(operation, 'ExternalId').filter(
      (input) => input.required || namesRecord(input) || isRowId(input),
    );
    return [
      all,
      ...(least.length === inputs.length ? [] : [{ id, extent: 'required fields and IDs', operation, sent: least }]),
      ...(named.some(isOwnId) ? [{ id, extent: 'external IDs of teams', operation, sent: named }] : []),
    ];
  });
  const withIds = allRequests.filter(({ sent }) => invalidIdCombinations(sent).length > 0);
  /** Without IDs that a service may check first: the query for the others must itself be limited to the organization. */
  const withFewIds: RequestCase[] = operations.flatMap((operation) => {
    const { id, method } = operation;
    const inputs = inputsOf(operation).filter(({ required, place, name }) => {
      return required || (place !== 'header' && name !== 'cursor');
    });
    const isOptionalId = (input: Input) => !input.required && namesRecord(input) && !isRowPlayer(input);
    const optionalIds = inputs.filter(isOptionalId);
    const required = inputs.filter((input) => input.required);
    const fields = inputs.filter((input) => !input.required && !namesRecord(input) && input.place === 'body');
    const others = inputs.filter((input) => !isOptionalId(input));
    return [
      ...(optionalIds.length > 0 ? [{ id, extent: 'no optional ID', operation, sent: others }] : []),
      ...(optionalIds.length > 1 ? optionalIds : []).map((one) => {
        return { id, extent: `only the optional ID ${one.field}`, operation, sent: [...others, one] };
      }),
      ...(method === 'patch' ? fields.slice(0, 2) : []).map((one) => {
        return { id, extent: `only ${one.field}`, operation, sent: [...required, one] };
      }),
    ].filter(({ sent }) => sent.some(namesRecord));
  });

  /** A request of A with its own records, other IDs if given, and documented examples for everything else. */
  function requestOfA({ operation, sent }: RequestCase, both: TwoOrganizations, variants: readonly NamedId[] = []) {
    const values = sent.map((input): [Input, unknown] => {
      const other = variants.find((one) => one.input === input);
      return [
        input,
        other?.text(input, both) ?? idFor(input, both.a) ?? valueFor(input, operation) ?? exampleOf(input),
      ];
    });
    return requestOf(operation, new Map(values));
  }

  /** The name of an input in `details`, for which a row of a bulk request is the request. */
  const rowFieldOf = ({ field }: Input) => field.replace(/^rows\[0\]\./, '');

  /** The error of a request, or of the only row of a bulk request. */
  function rejectionOf(response: Response): Pick<RowError, 'error' | 'details'> {
    const { summary, data } = response.body as Partial<BulkResponse>;
    const row = summary && data?.[0];
    if (row === undefined) return expectError(response, (response.body as { error: number }).error);
    return row.error ?? { error: 0 };
  }

  it('no undeclared ID, such as that of an organization, is in the public document: add new ones to record-names.ts', () => {
    const unknown = operations.flatMap((operation) =>
      inputsOf(operation)
        .filter(isUndeclaredId)
        .map(({ field }) => [operation.id, field]),
    );
    expect(unknown).toEqual([]);
    expect(allRequests.flatMap(({ sent }) => invalidIdCombinations(sent)).length).toBeGreaterThan(200);
  });

  // Before the requests that succeed, which fill the database that these tests compare.
  describe('a request that names records of another organization', () => {
    let pair: TwoOrganizations;
    let before: string[];

    // The pair is alone in the database: every test checks that nothing has changed.
    beforeAll(async () => {
      pair = await TwoOrganizations.create(server);
      before = await pair.stored();
    });

    it.each([...withIds, ...withFewIds])(
      'or unknown ones is rejected, reveals and changes nothing: $id, $extent',
      async (requestCase) => {
        for (const variants of invalidIdCombinations(requestCase.sent)) {
          const response = await pair.send(requestOfA(requestCase, pair, variants));
          const { error, details } = rejectionOf(response);
          const what = variants.map((one) => `${one.input.field} ${one.what}`).join(', ');
          expect({ what, error }).toEqual({ what, error: expectedErrorOf(variants) });
          const isNamed = ({ input, whose }: NamedId) =>
            error === 40301 || isRowPlayer(input) ? whose !== 'own' : whose === 'malformed';
          const rejected = variants
            .filter(isNamed)
            .map(({ input }) => (isRowPlayer(input) ? input.field : rowFieldOf(input)));
          for (const { field } of details ?? []) expect(rejected).toContain(field);
          pair.expectNothingOfB(response);
        }
        expect(await pair.stored()).toEqual(before);
      },
    );
  });

  describe('a request that names only own records', () => {
    let pair: TwoOrganizations;
    let before: string[];

    beforeAll(async () => {
      pair = await TwoOrganizations.create(server);
      before = await pair.storedOfB();
    });

    it.each(allRequests.filter(({ id }) => id !== 'resetSandbox'))(
      'succeeds, reveals and changes nothing of another organization: $id, $extent',
      async (requestCase) => {
        const response = await pair.send(requestOfA(requestCase, pair));
        // The team is in use.
        const isOk = response.ok || (response.body as { error: number }).error === 40908;
        expect({ isOk, text: response.text }).toMatchObject({ isOk: true });
        for (const [, id] of response.text.matchAll(/"organizationId":"(\w+)"/g))
          expect(id).toBe(pair.a.organization.id);
        const { data, total } = response.body as { data?: unknown[]; total?: number };
        if (total !== undefined) expect(total).toBe(data?.length);
        pair.expectNothingOfB(response);
        expect(await pair.storedOfB()).toEqual(before);
        if (requestCase.operation.method === 'delete' && response.ok) pair = await pair.withNewA();
      },
    );
  });
});

/** Isolation that cannot be derived from the document. */
describe('an organization', () => {
  let both: TwoOrganizations;

  beforeAll(async () => {
    both = await TwoOrganizations.create(server);
  });

  /** Sends a request with the key of A. */
  const send = async (method: Method, path: string): Promise<Response> => both.a.organization.call(method, path);

  it('that is a sandbox resets itself, and no other one', async () => {
    const both = await TwoOrganizations.create(server, true);
    const before = await both.storedOfB();
    const response = await both.a.organization.call('post', '/sandbox/reset');
    expect(response.status).toBe(200);
    both.expectNothingOfB(response);
    expect(await both.storedOfB()).toEqual(before);
  });

  it.each(['live', 'upcoming'])('finds no %s schedules of another organization', async (filter) => {
    const response = await send('get', `/schedules?filter=${filter}`);
    const { data, total } = response.body as { data: { _id: string }[]; total: number };
    const own = filter === 'live' ? both.a.live : both.a.schedule;
    expect({ ids: data.map(({ _id }) => _id), total }).toEqual({ ids: [own._id], total: 1 });
    both.expectNothingOfB(response);
  });

  it('shares no idem-key with another organization: each creates its own record', async () => {
    const key = randomUUID();
    const create = ({ organization, team }: FullOrganization) =>
      organization
        .call('post', '/schedules')
        .set('idem-key', key)
        // It is over, so that no other test finds it.
        .send({ teamId: team._id, startDate: '2020-05-01T10:00:00Z', teamTwoName: 'Foxes' });
    const [first, second] = [await create(both.a).expect(201), await create(both.b).expect(201)];
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
    expect((second.body as { _id: string })._id).not.toBe((first.body as { _id: string })._id);
  });

  it("gets 40301 for another organization's path, with a used or unused idem-key", async () => {
    const key = randomUUID();
    const create = ({ organization }: FullOrganization, name: string) =>
      organization.call('post', `/teams/${both.b.team._id}/players`).set('idem-key', key).send({ name });
    await create(both.b, 'Jordan Lee').expect(201);
    for (const name of ['Jordan Lee', 'Sam Fox']) expectError(await create(both.a, name), 40301);
  });

  it('gets 40402 instead of 40302 after another organization deleted a schedule', async () => {
    const path = `/schedules/${(await both.b.organization.schedule(both.b.team._id))._id}`;
    expectError(await send('get', path), 40302);
    await both.b.organization.call('delete', `${path}?teamId=${both.b.team._id}`).expect(200);
    expectError(await send('get', path), 40402);
  });

  it('sees a season of all organizations beside its own, and can use it', async () => {
    const shared = { name: 'Shared', startDate: '2027-01-01T00:00:00Z', endDate: '2027-02-01T00:00:00Z' };
    const season = (await server.asSuperAdmin('post', '/seasons').send(shared).expect(201)).body as { _id: string };
    for (const { organization, season: own } of [both.a, both.b]) {
      const { data } = (await organization.call('get', '/seasons?limit=100').expect(200)).body as {
        data: { _id: string }[];
      };
      expect(data.map(({ _id }) => _id)).toEqual([own._id, season._id]);
      await organization.call('post', '/teams').send({ name: 'Third', season: season._id }).expect(201);
    }
    await (await server.database()).collection('seasons').deleteOne({ name: 'Shared' });
  });

  it.each(['creator', 'admin'] as const)('cannot write statistics of a foreign player as the %s', async (role) => {
    const { organization } = both.a;
    const user = role === 'admin' ? await createOrganizationAdmin(organization) : organization.creator;
    const token = await server.login(user.email, user.password);
    const before = await both.stored();
    const foreignPlayer = await server
      .call('put', `/schedules/${both.a.schedule._id}/player-statistics`)
      .set('Authorization', `Bearer ${token}`)
      .send({ rows: [{ playerId: both.b.player._id, category: 'qb', stats: {} }] });
    expectFieldError(foreignPlayer, 'rows[0].playerId');
    both.expectNothingOfB(foreignPlayer);
    expect(await both.stored()).toEqual(before);
  });
});
