import { dump } from 'js-yaml';

/** What tools read instead of the pages, made from the OpenAPI document and the guide. The server replaces the origin. */
const origin = '{{origin}}';

/** Returns the OpenAPI document as YAML. */
export const toYaml = (document) => dump({ ...document, servers: [{ url: origin }] }, { noRefs: true, lineWidth: -1 });

const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );

const bodyOf = ({ requestBody }) => requestBody?.content['application/json'];

/** Returns a collection that Bruno imports: a folder for each tag, with a request for each operation. */
export function toBruno(document) {
  const { title: name } = document.info;
  const operations = operationsOf(document);
  const folders = document.tags.map((tag) => ({
    name: tag.name,
    type: 'folder',
    items: operations.filter(({ tags }) => tags[0] === tag.name).map(toRequest),
  }));
  return {
    name,
    version: '1',
    items: folders,
    root: { request: { auth: { mode: 'bearer', bearer: { token: '{{apiKey}}' } } } },
    environments: [
      {
        name: 'Server',
        variables: [
          { name: 'server', value: origin, type: 'text', enabled: true, secret: false },
          { name: 'apiKey', value: '', type: 'text', enabled: true, secret: true },
        ],
      },
    ],
    brunoConfig: { version: '1', name, type: 'collection' },
  };
}

function toRequest({ path, method, summary, description, parameters = [], security, ...operation }, index) {
  const body = bodyOf(operation)?.example;
  const valueOf = ({ example, schema }) =>
    String(example ?? schema.example ?? schema.default ?? schema.enum?.[0] ?? '');
  const placed = (place) => parameters.filter((parameter) => parameter.in === place);
  const toParameter = (parameter) => ({
    name: parameter.name,
    value: valueOf(parameter),
    type: parameter.in,
    enabled: parameter.required === true,
  });
  return {
    name: summary,
    type: 'http',
    seq: index + 1,
    request: {
      method,
      url: `{{server}}${path.replace(/\{(\w+)\}/g, ':$1')}`,
      params: [...placed('path'), ...placed('query')].map(toParameter),
      headers: placed('header').map(({ name, required, ...parameter }) => ({
        name,
        // Another key for each create.
        value: name === 'idem-key' ? '{{$guid}}' : valueOf(parameter),
        enabled: required === true,
      })),
      auth: { mode: security?.length === 0 ? 'none' : 'inherit' },
      body: body === undefined ? { mode: 'none' } : { mode: 'json', json: JSON.stringify(body, null, 2) },
      docs: description ?? '',
    },
  };
}

/** Returns the guide and the reference in one text. */
export function toFullText(introduction, pages, document) {
  const schemas = Object.entries(document.components.schemas);
  return [
    introduction,
    ...pages,
    '# Reference',
    ...operationsOf(document).map(toText),
    '# Schemas',
    ...schemas.map(([name, schema]) => `## ${name}\n\n${textOf(schema)}`),
  ].join('\n\n');
}

function toText({ path, method, summary, description, parameters = [], responses, ...operation }) {
  const body = bodyOf(operation);
  const lines = parameters.map(({ name, in: place, required, description: text, schema }) => {
    return `- \`${name}\` (${place}${required ? ', required' : ''}, ${typeOf(schema)}): ${text ?? ''}`;
  });
  const statuses = Object.entries(responses).map(
    ([status, response]) => `- ${status}: ${response.description ?? errorsOf(response)}`,
  );
  return [
    `## ${method} ${path}`,
    `${summary}. ${description ?? ''}`.trim(),
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...(body
      ? [`Body: ${typeOf(body.schema)}. Example:\n\n\`\`\`json\n${JSON.stringify(body.example, null, 2)}\n\`\`\``]
      : []),
    `Responses:\n\n${statuses.join('\n')}`,
  ].join('\n\n');
}

/** The names of shared responses list the codes: `Error40000_40001`. */
const errorsOf = (response) => `errors ${nameOf(response).replace('Error', '').replaceAll('_', ', ')}`;

const nameOf = ({ $ref }) => $ref?.split('/').at(-1);

/** Returns the type of a schema in a few words. */
function typeOf(schema = {}) {
  const { type, items, enum: choices, format, oneOf = [], allOf = [] } = schema;
  const named = nameOf(schema);
  if (named) return `\`${named}\``;
  if (choices) return choices.map((choice) => `\`${choice}\``).join(' | ');
  if (items) return `list of ${typeOf(items)}`;
  const parts = [...oneOf, ...allOf].map(typeOf);
  return parts.length > 0 ? parts.join(' | ') : [type ?? 'any', format].filter(Boolean).join(', ');
}

function textOf(schema) {
  const { properties, required = [], description = '' } = schema;
  if (!properties) return `${description} ${typeOf(schema)}`.trim();
  const fields = Object.entries(properties).map(([name, field]) => {
    return `- \`${name}\` (${typeOf(field)}${required.includes(name) ? ', required' : ''}): ${field.description ?? ''}`;
  });
  return [description, fields.join('\n')].filter(Boolean).join('\n\n');
}
