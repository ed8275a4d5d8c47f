import type { Response } from 'supertest';
import type { BulkResponse, RowError } from '../../src/records/bulk.dto.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { type DocumentedRequest, exampleOf, type Input, inputsOf, requestOf } from '../support/documented-requests.js';
import { type Operation, operations as allOperations } from '../support/operations.js';
import { isRowPlayer, idFor, isUndeclaredId, namesRecord, expectedErrorOf, valueFor } from '../support/record-names.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer } from '../support/server.js';
import { type NamedId, invalidIdCombinations } from '../support/id-variants.js';
import { TwoOrganizations } from '../support/two-organizations.js';

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
  return least.length === inputs.length
    ? [all]
    : [all, { id, extent: 'required fields and IDs', operation, sent: least }];
});
const withIds = allRequests.filter(({ sent }) => invalidIdCombinations(sent).length > 0);
const complete = withIds.filter(({ extent }) => extent === 'all fields');
const only = (operationId: string) => allRequests.filter(({ id }) => id === operationId);

/** The pairs, with the requests that name records of B, and those that succeed: only a sandbox can reset itself. */
const pairs = [
  {
    name: 'two live organizations',
    sandboxes: { a: false, b: false },
    naming: withIds,
    requests: allRequests.filter(({ id }) => id !== 'resetSandbox'),
  },
  {
    name: 'a sandbox beside a live organization',
    sandboxes: { a: true, b: false },
    naming: complete,
    requests: only('resetSandbox'),
  },
  {
    name: 'a live organization beside a sandbox',
    sandboxes: { a: false, b: true },
    naming: complete,
    requests: only('getKey'),
  },
];

/** A request of A with its own records, other IDs if given, and documented examples for everything else. */
function requestOfA({ operation, sent }: RequestCase, both: TwoOrganizations, variants: readonly NamedId[] = []) {
  const values = sent.map((input): [Input, unknown] => {
    const other = variants.find((one) => one.input === input);
    return [input, other?.text(input, both) ?? idFor(input, both.a) ?? valueFor(input, operation) ?? exampleOf(input)];
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

const server = RunningServer.forTests(() => RunningServer.start({ ...preload(cheapHashes), WEBHOOK_WORKER: 'off' }));
it('no undeclared ID is in the public document: add new ones to record-names.ts', () => {
  const unknown = operations.flatMap((operation) =>
    inputsOf(operation)
      .filter(isUndeclaredId)
      .map(({ field }) => [operation.id, field]),
  );
  expect(unknown).toEqual([]);
  expect(allRequests.flatMap(({ sent }) => invalidIdCombinations(sent)).length).toBeGreaterThan(200);
});

describe.each(pairs)('$name', ({ sandboxes, naming, requests }) => {
  let pair: TwoOrganizations;

  beforeAll(async () => {
    pair = await TwoOrganizations.create(server, sandboxes);
  });

  describe('a request that names records of another organization, or unknown ones', () => {
    let before: Record<string, string[]>;

    // The pair is alone in the database: every test checks that nothing has changed.
    beforeAll(async () => {
      before = await pair.stored();
    });
    afterEach(async () => {
      const then = before;
      before = await pair.stored();
      expect(before).toEqual(then);
    });

    it.each(naming)('is rejected, reveals and changes nothing: $id, $extent', async (requestCase) => {
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
    });

    it.each(requests)('cannot name another organization in the query or body: $id, $extent', async (requestCase) => {
      const request: DocumentedRequest = requestOfA(requestCase, pair);
      const organizationId = pair.b.organization.id;
      const path = `${request.path}${request.path.includes('?') ? '&' : '?'}organizationId=${organizationId}`;
      expectFieldError(await pair.send({ ...request, path }), 'organizationId');
      expectFieldError(await pair.send({ ...request, body: { ...request.body, organizationId } }), 'organizationId');
    });
  });

  describe('a request that names only own records', () => {
    it.each(requests)(
      'succeeds, reveals and changes nothing of another organization: $id, $extent',
      async (requestCase) => {
        // New records for A, because a successful request may change or delete them.
        const both = await pair.withNewA();
        const before = await both.storedOfB();
        const response = await both.send(requestOfA(requestCase, both));
        // The team is in use.
        const isOk = response.ok || (response.body as { error: number }).error === 40908;
        expect({ isOk, text: response.text }).toMatchObject({ isOk: true });
        for (const [, id] of response.text.matchAll(/"organizationId":"(\w+)"/g))
          expect(id).toBe(both.a.organization.id);
        const { data, total } = response.body as { data?: unknown[]; total?: number };
        if (total !== undefined) expect(total).toBe(data?.length);
        both.expectNothingOfB(response);
        expect(await both.storedOfB()).toEqual(before);
      },
    );
  });
});
