import { randomUUID } from 'node:crypto';
import { expectFieldRefusal, expectRefusal } from '../support/expectations.js';
import { type DocumentedRequest, exampleOf, type Input, inputsOf, requestOf } from '../support/documented-requests.js';
import { type Operation, operations as allOperations } from '../support/operations.js';
import { idFor, isUnknownId, namesRecord, refusalOf } from '../support/record-names.js';
import { RunningServer } from '../support/server.js';
import { type Spelled, trespassesOf } from '../support/id-variants.js';
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
const trespasses = sendings.flatMap((sending) =>
  trespassesOf(sending.sent).map((spelled) => ({
    ...sending,
    spelled,
    what: spelled.map(({ input, what }) => `${input.field} ${what}`).join(', '),
    error: refusalOf(spelled),
  })),
);

/** What A asks for: its own records but where they are spelled otherwise, and what the document shows for all else. */
function requestOfA({ operation, sent }: Sending, both: TwoOrganizations, spelled: readonly Spelled[] = []) {
  const values = sent.map((input): [Input, unknown] => {
    if (input.name === 'idem-key') return [input, randomUUID()];
    const other = spelled.find((one) => one.input === input);
    return [input, other?.text(input, both) ?? idFor(input, both.a) ?? exampleOf(input)];
  });
  return requestOf(operation, new Map(values));
}

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.start();
});
afterAll(() => server.stop());

describe('an organization that names a record of another, or none', () => {
  let both: TwoOrganizations;
  let before: Record<string, string[]>;

  // One pair, alone in the database still: every test sees to it that nothing in it has changed.
  beforeAll(async () => {
    both = await TwoOrganizations.make(server);
    before = await both.stored();
  });
  afterEach(async () => {
    const then = before;
    before = await both.stored();
    expect(before).toEqual(then);
  });

  it.each(trespasses)(
    'is refused with $error, sees nothing of another and changes nothing: $id, $extent, $what',
    async ({ spelled, error, ...sending }) => {
      const answer = await both.send(requestOfA(sending, both, spelled));
      const { details } = expectRefusal(answer, error);
      const malformed = spelled.filter(({ whose }) => whose === 'malformed').map(({ input }) => input.field);
      for (const { field } of details ?? []) expect(malformed).toContain(field);
      both.expectNothingOfB(answer);
    },
  );

  it.each(sendings)('cannot do it in the name of another, by the query or the body: $id, $extent', async (sending) => {
    const request: DocumentedRequest = requestOfA(sending, both);
    const organizationId = both.b.organization.id;
    const path = `${request.path}${request.path.includes('?') ? '&' : '?'}organizationId=${organizationId}`;
    expectFieldRefusal(await both.send({ ...request, path }), 'organizationId');
    expectFieldRefusal(await both.send({ ...request, body: { ...request.body, organizationId } }), 'organizationId');
  });
});

describe('an organization that names its own records', () => {
  it('meets no id in the public document that these tests do not know: name it in record-names.ts', () => {
    const unknown = operations.flatMap((operation) =>
      inputsOf(operation)
        .filter(isUnknownId)
        .map(({ field }) => [operation.id, field]),
    );
    expect(unknown).toEqual([]);
    expect(trespasses.length).toBeGreaterThan(200);
  });

  it.each(sendings)('is answered, sees nothing of another and changes nothing of it: $id, $extent', async (sending) => {
    // A pair of its own: what is allowed may change or delete.
    const both = await TwoOrganizations.make(server);
    const before = await both.storedOfB();
    const answer = await both.send(requestOfA(sending, both));
    expect({ ok: answer.ok, text: answer.text }).toMatchObject({ ok: true });
    for (const [, id] of answer.text.matchAll(/"organizationId":"(\w+)"/g)) expect(id).toBe(both.a.organization.id);
    const { data, total } = answer.body as { data?: unknown[]; total?: number };
    if (total !== undefined) expect(total).toBe(data?.length);
    both.expectNothingOfB(answer);
    expect(await both.storedOfB()).toEqual(before);
  });
});
