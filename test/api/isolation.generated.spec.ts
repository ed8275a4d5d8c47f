import { randomUUID } from 'node:crypto';
import { expectFieldError, expectError } from '../support/expectations.js';
import { type DocumentedRequest, exampleOf, type Input, inputsOf, requestOf } from '../support/documented-requests.js';
import { type Operation, operations as allOperations } from '../support/operations.js';
import { idFor, isUndeclaredId, namesRecord, expectedErrorOf } from '../support/record-names.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer } from '../support/server.js';
import { type NamedId, invalidIdCombinations } from '../support/id-variants.js';
import { TwoOrganizations } from '../support/two-organizations.js';

/** An operation and which of its inputs are sent. */
interface Sending {
  readonly id: string;
  readonly extent: string;
  readonly operation: Operation;
  readonly sent: readonly Input[];
}

/** Read from the published document, so that a new route or field is tested as soon as it is described there. */
const operations = allOperations.filter(({ caller }) => caller === 'apiKey');
const sendings: Sending[] = operations.flatMap((operation) => {
  const { id } = operation;
  // No text that a document can show opens: what a foreign cursor does stands in list-cursors.spec.ts.
  const inputs = inputsOf(operation).filter(({ name }) => name !== 'cursor');
  const least = inputs.filter((input) => input.required || namesRecord(input));
  const all = { id, extent: 'all fields', operation, sent: inputs };
  return least.length === inputs.length ? [all] : [all, { id, extent: 'the least fields', operation, sent: least }];
});
const trespassing = sendings.filter(({ sent }) => invalidIdCombinations(sent).length > 0);

/** What A asks for: its own records but where they are spelled otherwise, and what the document shows for all else. */
function requestOfA({ operation, sent }: Sending, both: TwoOrganizations, spelled: readonly NamedId[] = []) {
  const values = sent.map((input): [Input, unknown] => {
    if (input.name === 'idem-key') return [input, randomUUID()];
    const other = spelled.find((one) => one.input === input);
    return [input, other?.text(input, both) ?? idFor(input, both.a) ?? exampleOf(input)];
  });
  return requestOf(operation, new Map(values));
}

let server: RunningServer;
let pair: TwoOrganizations;

beforeAll(async () => {
  server = await RunningServer.start(preload(cheapHashes));
  pair = await TwoOrganizations.create(server);
});
afterAll(() => server.stop());

describe('an organization that names a record of another, or none', () => {
  let before: Record<string, string[]>;

  // The pair is alone in the database still: every test checks that nothing in it has changed.
  beforeAll(async () => {
    before = await pair.stored();
  });
  afterEach(async () => {
    const then = before;
    before = await pair.stored();
    expect(before).toEqual(then);
  });

  it.each(trespassing)('is refused, sees nothing of another and changes nothing: $id, $extent', async (sending) => {
    for (const spelled of invalidIdCombinations(sending.sent)) {
      const response = await pair.send(requestOfA(sending, pair, spelled));
      const { error } = response.body as { error?: number };
      const what = spelled.map((one) => `${one.input.field} ${one.what}`).join(', ');
      expect({ what, error }).toEqual({ what, error: expectedErrorOf(spelled) });
      const { details } = expectError(response, expectedErrorOf(spelled));
      const malformed = spelled.filter(({ whose }) => whose === 'malformed').map(({ input }) => input.field);
      for (const { field } of details ?? []) expect(malformed).toContain(field);
      pair.expectNothingOfB(response);
    }
  });

  it.each(sendings)('cannot do it in the name of another, by the query or the body: $id, $extent', async (sending) => {
    const request: DocumentedRequest = requestOfA(sending, pair);
    const organizationId = pair.b.organization.id;
    const path = `${request.path}${request.path.includes('?') ? '&' : '?'}organizationId=${organizationId}`;
    expectFieldError(await pair.send({ ...request, path }), 'organizationId');
    expectFieldError(await pair.send({ ...request, body: { ...request.body, organizationId } }), 'organizationId');
  });
});

describe('an organization that names its own records', () => {
  it('meets no id in the public document that these tests do not know: name it in record-names.ts', () => {
    const unknown = operations.flatMap((operation) =>
      inputsOf(operation)
        .filter(isUndeclaredId)
        .map(({ field }) => [operation.id, field]),
    );
    expect(unknown).toEqual([]);
    expect(sendings.flatMap(({ sent }) => invalidIdCombinations(sent)).length).toBeGreaterThan(200);
  });

  it.each(sendings)('is answered, sees nothing of another and changes nothing of it: $id, $extent', async (sending) => {
    // Records of its own: what is allowed may change or delete them.
    const both = await pair.withNewA();
    const before = await both.storedOfB();
    const response = await both.send(requestOfA(sending, both));
    expect({ ok: response.ok, text: response.text }).toMatchObject({ ok: true });
    for (const [, id] of response.text.matchAll(/"organizationId":"(\w+)"/g)) expect(id).toBe(both.a.organization.id);
    const { data, total } = response.body as { data?: unknown[]; total?: number };
    if (total !== undefined) expect(total).toBe(data?.length);
    both.expectNothingOfB(response);
    expect(await both.storedOfB()).toEqual(before);
  });
});
