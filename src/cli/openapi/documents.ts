import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { upgradeFromThreeToThreeOne } from '@scalar/openapi-upgrader/3.0-to-3.1';
import { AppModule } from '../../app.module.js';
import { adminTokenScheme, apiKeyScheme, declaredErrors, scopeExtension } from '../../access/access.decorators.js';
import { publicPrefix } from '../../access/public-api.js';
import type { ErrorName } from '../../errors/error-catalogue.js';
import { packageRoot } from '../../config/package.js';
import { parseConfiguration } from '../../config/configuration.js';
import { WebhookMessage } from '../../modules/webhooks/webhook-event.dto.js';
import { errorsPage } from './errors-page.js';
import { describeResponses, operationsOf } from './responses.js';
import { addWebhooks } from './webhooks.js';
import { adminDocumentFile, publicDocument31File, publicDocumentFile } from '../../http/pages.js';

/** The version of the contract. Releases have the version in package.json. */
const version = '1.0.0';

type Components = NonNullable<OpenAPIObject['components']>;
type Schemas = NonNullable<Components['schemas']>;

type Documents = Awaited<ReturnType<typeof buildDocuments>>;

/** Builds the documents for partners and for admins from the controllers' decorators, without a database and without starting anything. */
export async function buildDocuments() {
  const app = await NestFactory.create(AppModule.of(parseConfiguration({})), { preview: true, logger: false });
  const all = SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.0.3').build(), {
    operationIdFactory: (_controller, method) => method,
    extraModels: [WebhookMessage],
  });
  const errors = errorsByOperation(app);
  const isPublic = (route: string) => route.startsWith(`/${publicPrefix}/`);
  const contact = { name: 'The operator of this server' };
  const publicDocument = documentOf(all, errors, isPublic, {
    info: { title: 'Public Integration API', version, description: introductionOf('public'), contact },
    securitySchemes: {
      [apiKeyScheme]: {
        type: 'http',
        scheme: 'bearer',
        description: "An organization's API key, as `Authorization: Bearer <key>`.",
      },
    },
  });
  return {
    publicDocument,
    publicDocument31: withWebhooks(publicDocument, all),
    adminDocument: documentOf(all, errors, (route) => !isPublic(route), {
      info: { title: 'Admin API', version, description: introductionOf('admin'), contact },
      securitySchemes: {
        [adminTokenScheme]: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The access token from `POST /auth/login`.',
        },
      },
    }),
  };
}

/** Returns the errors that each route declares, itself or by its controller. An operation ID is the name of the method. */
function errorsByOperation(app: INestApplicationContext): Map<string, Set<ErrorName>> {
  const modules = [...app.get(ModulesContainer).values()];
  const controllers = modules.flatMap((each) => [...each.controllers.values()].map(({ metatype }) => metatype as Type));
  const routes = controllers.flatMap((controller) =>
    Object.entries(Object.getOwnPropertyDescriptors(controller.prototype)).map(([name, { value: handler }]) => {
      const errors = [...declaredErrors(controller), ...declaredErrors(handler as object)];
      return [name, new Set(errors)] as const;
    }),
  );
  return new Map(routes);
}

/** Returns the generated files, which are committed, each with its text. */
export function filesOf({
  publicDocument,
  publicDocument31,
  adminDocument,
}: Documents): { file: string; text: string }[] {
  return [
    { file: publicDocumentFile, text: `${JSON.stringify(publicDocument, null, 2)}\n` },
    { file: publicDocument31File, text: `${JSON.stringify(publicDocument31, null, 2)}\n` },
    { file: adminDocumentFile, text: `${JSON.stringify(adminDocument, null, 2)}\n` },
    { file: path.join(packageRoot, 'docs', 'errors.md'), text: errorsPage() },
  ];
}

/** Returns the introduction of a document from the Markdown file beside it. */
function introductionOf(name: 'public' | 'admin'): string {
  return readFileSync(path.join(packageRoot, 'openapi', `${name}.md`), 'utf8').trim();
}

function documentOf(
  all: OpenAPIObject,
  errors: ReadonlyMap<string, ReadonlySet<ErrorName>>,
  includes: (route: string) => boolean,
  { info, securitySchemes }: Pick<OpenAPIObject, 'info'> & Required<Pick<Components, 'securitySchemes'>>,
): OpenAPIObject {
  const paths = structuredClone(Object.fromEntries(Object.entries(all.paths).filter(([route]) => includes(route))));
  const tags = new Set(operationsOf({ paths }).flatMap((operation) => operation.tags ?? []));
  const document = {
    openapi: all.openapi,
    info,
    servers: [{ url: '/' }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { securitySchemes, schemas: structuredClone(all.components?.schemas ?? {}) },
  };
  describeResponses(document, errors);
  describeRequests(document);
  document.components.schemas = reachableSchemas([paths, (document as OpenAPIObject).components?.responses], document);
  // @nestjs/swagger gives a named enumeration the description of the first property that uses it.
  for (const schema of Object.values(document.components.schemas)) if ('enum' in schema) delete schema.description;
  return document;
}

/** Adds the required scope to each description and an example to required choices, and marks optional bodies. */
function describeRequests(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, { required?: string[]; enum?: unknown[] }>;
  const nameOf = (schema: object | undefined) =>
    schema !== undefined && '$ref' in schema ? (String(schema.$ref).split('/').at(-1) ?? '') : '';
  for (const operation of operationsOf(document)) {
    const scope = (operation as { [scopeExtension]?: string })[scopeExtension];
    if (scope !== undefined)
      operation.description = `${operation.description ?? ''} Requires the scope \`${scope}\`.`.trim();
    // @nestjs/swagger drops the example of a named enumeration, without which the API reference does not send it.
    for (const parameter of operation.parameters ?? []) {
      if ('$ref' in parameter || parameter.in !== 'query' || parameter.required !== true) continue;
      const [choice] = schemas[nameOf(parameter.schema)]?.enum ?? [];
      if (choice !== undefined) parameter.example = choice;
    }
    if (operation.requestBody === undefined || '$ref' in operation.requestBody) continue;
    const schema = operation.requestBody.content['application/json']?.schema;
    operation.requestBody.required = (schemas[nameOf(schema)]?.required ?? []).length > 0;
  }
}

/** Returns the schemas that parts of a document refer to, in alphabetical order; the others belong to the other document. */
function reachableSchemas(parts: unknown, { components }: Pick<OpenAPIObject, 'components'>): Schemas {
  const reached: Schemas = {};
  const reach = (part: unknown) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      const schema = components?.schemas?.[name];
      if (schema === undefined || name in reached) continue;
      reached[name] = schema;
      reach(schema);
    }
  };
  reach(parts);
  return Object.fromEntries(Object.entries(reached).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns a document in OpenAPI 3.1, which can describe the webhooks. */
function withWebhooks(document: OpenAPIObject, all: OpenAPIObject): OpenAPIObject {
  const copy = structuredClone(document);
  addWebhooks(copy, all);
  const schemas = { ...reachableSchemas(copy.webhooks, all), ...copy.components?.schemas };
  copy.components = { ...copy.components, schemas: structuredClone(schemas) };
  return upgradeFromThreeToThreeOne({ ...copy }) as OpenAPIObject;
}
