import { exampleOf, type Input, inputsOf, requestOf } from '../support/documented-requests.js';
import { expectError, expectFieldError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';
import { type Operation, operations } from '../support/operations.js';
import { TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);

const isInUrl = ({ place }: Input) => place === 'path' || place === 'query';
const withParameters = operations.filter(
  (operation) => operation.caller !== 'anybody' && inputsOf(operation).some(isInUrl),
);
const withIds = withParameters.filter(({ caller, path }) => caller === 'adminToken' && path.includes('{'));

/** Values that the schema of a parameter does not allow. */
function invalidValuesOf({ place, name, schema }: Input): unknown[] {
  const { minimum, maximum, maxLength } = schema as Record<string, number | undefined>;
  if (minimum !== undefined && maximum !== undefined) return ['', minimum - 1, maximum + 1, 1.5];
  const empty = place === 'query' ? [''] : [];
  if (maxLength !== undefined) return [...empty, 'x'.repeat(maxLength + 1)];
  // Any other text is a team that the organization does not have.
  return name === 'teamId' ? empty : [...empty, 'nonsense'];
}

/** Sends what an operation requires, with unknown IDs in its path, and another value of one parameter. */
function send(operation: Operation, inputs: readonly Input[], wrong?: Input, value?: unknown) {
  const valueOf = (input: Input) => {
    if (input === wrong) return value;
    return input.place === 'path' && input.schema['enum'] === undefined ? unknownId : exampleOf(input);
  };
  const sent = inputs.filter((input) => input.required || input === wrong);
  const { method, path, headers, body } = requestOf(operation, new Map(sent.map((input) => [input, valueOf(input)])));
  const call = operation.caller === 'apiKey' ? server.call(method, path) : server.asSuperAdmin(method, path);
  if (operation.caller === 'apiKey') void call.set('Authorization', `Bearer ${organization.key.apiKey}`);
  return call.set(headers).send(body);
}

it.each(withParameters)('$id names each parameter with a value that is not allowed', async (operation) => {
  const inputs = inputsOf(operation);
  for (const input of inputs.filter(isInUrl)) {
    for (const value of invalidValuesOf(input)) {
      expectFieldError(await send(operation, inputs, input, value), input.field);
    }
  }
});

it.each(withParameters)(
  '$id names the path for own IDs, if there is one, for a malformed ID in its path',
  async (operation) => {
    const inputs = inputsOf(operation);
    for (const input of inputs.filter(({ place, name }) => place === 'path' && name !== 'externalId')) {
      const { message } = expectFieldError(await send(operation, inputs, input, 'erp-4711'), input.field);
      const byOwnId = `/${input.name.replace(/Id$/, 's')}/by-external-id/{externalId}`;
      const ownPath = operation.path.replace(new RegExp(`{${input.name}}.*`), 'by-external-id/{externalId}');
      const exists = operations.some(({ path }) => path === ownPath);
      expect([input.name, message.includes(byOwnId)]).toEqual([input.name, exists]);
    }
  },
);

it.each(withIds)('$id returns its 404 for an unknown ID', async (operation) => {
  const response = await send(operation, inputsOf(operation));
  const [first] = operation.errors.filter((error) => Math.floor(error / 100) === 404);
  expectError(response, operation.path.startsWith('/organizations/') ? 40406 : Number(first));
});

it.each([
  [256, 40001],
  [257, 40000],
])('a query of %i unknown parameters returns %i', async (count, error) => {
  const query = Array.from({ length: count }, (_, index) => `p${index}`).join('&');
  expectError(await organization.call('get', `/teams?${query}`), error);
});
