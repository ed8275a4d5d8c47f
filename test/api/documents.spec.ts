import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from '../../src/app.module.js';
import { parseConfiguration } from '../../src/config/configuration.js';
import { errorCatalogue } from '../../src/errors/error-catalogue.js';
import { buildDocuments, filesOf } from '../../src/cli/openapi/documents.js';
import { deliveryEvents } from '../../src/modules/webhooks/webhook-delivery.schema.js';
import { type OperationRow, operations, operationTable } from '../support/operations.js';
import { type Route, routesOf, violationsOf } from '../support/routes.js';

type Part = Record<string, unknown>;

const root = path.resolve(__dirname, '../..');
const read = (name: string) => JSON.parse(readFileSync(path.join(root, name), 'utf8')) as OpenAPIObject;
const verbs = ['get', 'put', 'post', 'delete', 'patch'];

let built: Awaited<ReturnType<typeof buildDocuments>>;

beforeAll(async () => {
  built = await buildDocuments();
});

describe('the committed documents', () => {
  it('are up to date (npm run openapi)', () => {
    const created = filesOf(built);
    expect(created).toHaveLength(4);
    for (const { file, text } of created) expect({ file, text: readFileSync(file, 'utf8') }).toEqual({ file, text });
  });

  it('have a heading for every error of the catalogue', () => {
    const page = readFileSync(path.join(root, 'docs/errors.md'), 'utf8');
    const codes = [...page.matchAll(/^### (\d{5})$/gm)].map((match) => Number(match[1]));
    expect(codes).toEqual(Object.values(errorCatalogue).map(({ code }) => code));
  });

  it('describe as webhooks the events that the guide lists, with their data', () => {
    const page = readFileSync(path.join(root, 'docs/integration-guide/webhooks.md'), 'utf8');
    const rows = [...page.matchAll(/^- (`(?:[\w-]+\.\w+|ping)`.*?): (.*)$/gm)];
    const codeOf = (text = '') => [...text.matchAll(/`([\w.-]+)`/g)].map(([, code = '']) => code);
    const listed = rows.flatMap(([, types, data]) => codeOf(types).map((type) => [type, codeOf(data).sort()]));
    const document = read('openapi/public-3.1.json');
    const described = Object.entries(document.webhooks ?? {}).map(([type, item]) => {
      const [message = ''] = findAll(item, '$ref')
        .map(String)
        .filter((each) => each.includes('/schemas/'));
      const { data } = (resolve(document, message) as { properties: { data: { allOf?: [{ $ref: string }] } } })
        .properties;
      const schema = data.allOf ? (resolve(document, data.allOf[0].$ref) as Part) : data;
      return [type, Object.keys((schema as { properties?: object }).properties ?? {}).sort()];
    });
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(described));
    expect(described).toHaveLength(deliveryEvents.length);
  });
});

describe('every route', () => {
  let routes: Route[];

  beforeAll(async () => {
    const app = await NestFactory.create(AppModule.of(parseConfiguration({})), { preview: true, logger: false });
    const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
    routes = routesOf([...new Set(controllers.map(({ metatype }) => metatype as Type<object>))]);
  });

  it('is in one document, with the name of its method as the operation ID', () => {
    const documented = operations.map(({ method, path, id }) => `${method} ${path} ${id}`);
    expect(routes.map(({ verb, path, method }) => `${verb} ${path} ${method}`).sort()).toEqual(documented.sort());
  });

  it('documents its errors, validates its input, and has no update defaults', () => {
    const documents = [built.publicDocument, built.adminDocument];
    expect(routes.flatMap((route) => violationsOf(route, documents))).toEqual([]);
  });

  it('is in the operation table, with those who can call it', () => {
    expect(operations.map(({ id }) => id).sort()).toEqual(Object.keys(operationTable).sort());
    const callerOf = ({ access }: OperationRow) => {
      if (access === 'anybody') return 'anybody';
      return access.includes(':') || access === 'anyKey' ? 'apiKey' : 'adminToken';
    };
    expect(operations.map(({ id, caller }) => [id, caller])).toEqual(
      operations.map(({ id, row }) => [id, callerOf(row)]),
    );
  });
});

/** Spectral in `.ci/run` checks the rules of OpenAPI itself, IDs, descriptions, tags and security schemes. */
describe.each(['public', 'admin'])('the %s document', (name) => {
  const document = read(`openapi/${name}.json`);
  const operations = Object.entries(document.paths).flatMap(([route, item]) =>
    Object.entries(item as Record<string, Part>).map(([verb, operation]) => ({
      place: `${verb} ${route}`,
      route,
      verb,
      operation,
    })),
  );
  const schemas = Object.entries((document.components?.schemas ?? {}) as Record<string, Part>);
  const properties = schemas.flatMap(([schema, { properties: own }]) =>
    Object.entries((own ?? {}) as Record<string, Part>).map(([property, part]) => ({
      place: `${schema}.${property}`,
      part,
    })),
  );
  const parameters = operations.flatMap(({ place, operation }) =>
    ((operation['parameters'] ?? []) as Part[]).map((part) => ({ place: `${place} ${String(part['name'])}`, part })),
  );
  const placesOf = (wrong: readonly { place: string }[]) => wrong.map(({ place }) => place);

  it('is OpenAPI 3.0.3, version 1.0.0, with a title, a description and a server', () => {
    expect(document).toMatchObject({ openapi: '3.0.3', info: { version: '1.0.0' }, servers: [{ url: '/' }] });
    expect(isText(document.info.title) && isText(document.info.description)).toBe(true);
    expect(operations.length).toBeGreaterThan(10);
    expect(operations.filter(({ verb }) => !verbs.includes(verb))).toEqual([]);
  });

  it('has a summary and one tag for every operation', () => {
    const isRight = ({ summary, tags = [] }: Part) => isText(summary) && (tags as string[]).length === 1;
    expect(placesOf(operations.filter(({ operation }) => !isRight(operation)))).toEqual([]);
  });

  it('has a description and a schema for every parameter, and an example unless it is an optional query parameter', () => {
    const wrong = parameters.filter(({ part }) => {
      const schema = (part['schema'] ?? {}) as Part;
      const typed = isText(schema['type']) || isText(schema['$ref']);
      // Clients show the values of a named enum.
      const isRequiredChoice = part['required'] === true && isText(schema['$ref']);
      // The API reference prefills examples into the requests that it sends.
      const needsExample = part['in'] !== 'query' || part['required'] === true;
      return (
        !isText(part['description']) ||
        !typed ||
        (hasExample(part) || hasExample(schema) || isRequiredChoice) !== needsExample
      );
    });
    expect(placesOf(wrong)).toEqual([]);
  });

  it('names every enum with more than one value', () => {
    const lists = (value: unknown) => findAll(value, 'enum').filter((list) => (list as unknown[]).length > 1);
    const { components = {}, paths } = document;
    const named = schemas.filter(([, schema]) => 'enum' in schema);
    expect([...lists(paths), ...lists(components)]).toHaveLength(named.length);
  });

  it('has the ETag of responses with the revision of one record or of operations that can send 304, and of no others', () => {
    const propertiesOf = (part: unknown) => {
      const [reference = ''] = findAll(part, '$ref').map(String);
      return (resolve(document, reference) as Part | undefined)?.['properties'] as Part | undefined;
    };
    const wrong = operations.filter(({ operation }) =>
      Object.entries((operation['responses'] ?? {}) as Record<string, Part>).some(([status, response]) => {
        const own = propertiesOf(response['content']);
        const data = own?.['data'] as Part | undefined;
        const record = data === undefined || data['type'] === 'array' ? own : propertiesOf(data);
        const statuses = Object.keys(operation['responses'] as Part);
        // The statistics of a game have a revision that is not in the body; admins cannot read it.
        const isRead = name === 'public' && statuses.includes('412') && data?.['type'] === 'array';
        const isRevision = statuses.includes('304') || isRead;
        const isVersioned = status === '304' || (status === '200' && isRevision);
        const hasRevision = isVersioned || (name === 'public' && record !== undefined && 'revision' in record);
        return hasRevision !== 'ETag' in ((response['headers'] ?? {}) as Part);
      }),
    );
    expect(placesOf(wrong)).toEqual([]);
  });

  it('distinguishes statistics rows by category', () => {
    const unions = schemas.filter(([, schema]) => 'oneOf' in schema);
    expect(unions.length).toBeGreaterThan(0);
    for (const [, { oneOf, discriminator }] of unions) {
      const { propertyName, mapping } = discriminator as { propertyName: string; mapping: Record<string, string> };
      expect(Object.values(mapping)).toEqual((oneOf as { $ref: string }[]).map(({ $ref }) => $ref));
      for (const [category, reference] of Object.entries(mapping)) {
        const { properties: own, required } = resolve(document, reference) as { properties: Part; required: string[] };
        expect(own[propertyName]).toMatchObject({ enum: [category] });
        expect(required).toContain(propertyName);
      }
    }
  });

  it('has a description, and an example or a reference to one, for every property', () => {
    expect(properties.length).toBeGreaterThan(50);
    const wrong = properties.filter(({ part }) => !refers(part) && !(isText(part['description']) && hasExample(part)));
    expect(placesOf(wrong.filter(({ part }) => !(isText(part['description']) && refersInside(part))))).toEqual([]);
  });

  it('declares the type of every property', () => {
    const typed = ({ part }: { part: Part }) =>
      isText(part['type']) || refers(part) || ['oneOf', 'anyOf', 'allOf'].some((key) => key in part);
    expect(placesOf(properties.filter((property) => !typed(property)))).toEqual([]);
    const object = properties.filter(
      ({ part }) =>
        part['type'] === 'object' && !['properties', 'additionalProperties', 'allOf'].some((key) => key in part),
    );
    expect(placesOf(object)).toEqual([]);
  });

  it('has described errors and one success response for every operation, an upsert one for each result', () => {
    const wrong = operations.filter(({ place, operation }) => {
      const responses = Object.entries((operation['responses'] ?? {}) as Record<string, Part>);
      const successes = responses.map(([status]) => status).filter((status) => /^2\d\d$/.test(status));
      const expected = /^patch .*\/by-external-id\//.test(place) ? ['200', '201'] : [successes[0]];
      const described = responses.every(([, response]) => isText(response['description']) || isText(response['$ref']));
      return !isDeepStrictEqual(successes, expected) || !described || !responses.some(([status]) => status === '500');
    });
    expect(placesOf(wrong)).toEqual([]);
  });

  it('leaves `error` open, lists its known codes, and has correct examples for each error response', () => {
    const { error } = (schemas.find(([schema]) => schema === 'ErrorEnvelope')?.[1]['properties'] ?? {}) as Part;
    const { enum: closed, description, 'x-error-codes': known } = error as Part;
    expect(closed).toBeUndefined();
    const codes = [40400, 40500];
    const detailed = new Set<number>();
    for (const [key, response] of Object.entries(document.components?.responses ?? {})) {
      const values = findAll(response, 'value') as { error: number; details?: unknown }[];
      const examples = values.map((example) => example.error);
      for (const { error: code, details } of values) if (details !== undefined) detailed.add(code);
      expect(key).toBe(`Error${examples.join('_')}`);
      expect(new Set(examples.map((code) => Math.floor(code / 100))).size).toBe(1);
      const { description: text } = response as { description?: string };
      expect([...String(text).matchAll(/^`(\d{5})`: /gm)].map((match) => Number(match[1]))).toEqual(examples);
      codes.push(...examples);
    }
    expect(known).toEqual([...new Set(codes)].sort());
    expect([...detailed].sort()).toEqual([40001, 40301, 40905].filter((code) => codes.includes(code)));
    for (const code of codes) expect(description).toContain(`\`${code}\``);
  });

  it('has the errors of @ApiErrors: none without an example, and none of other operations', () => {
    const wrong = operations.filter(({ operation }) =>
      Object.entries((operation['responses'] ?? {}) as Record<string, Part>).some(
        ([status, { $ref }]) => Number(status) >= 400 && !String($ref).includes(`/Error${status}`),
      ),
    );
    expect(placesOf(wrong)).toEqual([]);
    expect(findAll(document, 'description').join()).not.toMatch(name === 'public' ? /rotat/i : /idem-key/);
  });
});

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim().length > 0;
}

function hasExample(part: Part): boolean {
  return part['example'] !== undefined;
}

function refers(part: Part): boolean {
  return isText(part['$ref']);
}

/** Whether the schema lists schemas that have their own examples, or is one of several. */
function refersInside(part: Part): boolean {
  const inner = [part['items'], ...['oneOf', 'anyOf', 'allOf'].flatMap((key) => (part[key] ?? []) as unknown[])];
  return inner.some((one) => one !== undefined) && inner.every((one) => one === undefined || refers(one as Part));
}

function resolve(document: OpenAPIObject, reference: string): unknown {
  const keys = reference.startsWith('#/') ? reference.slice(2).split('/') : [reference];
  return keys.reduce<unknown>((inner, key) => (inner as Part | undefined)?.[key], document);
}

function findAll(value: unknown, wanted: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Part).flatMap(([key, inner]) => [
    ...(key === wanted ? [inner] : []),
    ...findAll(inner, wanted),
  ]);
}
