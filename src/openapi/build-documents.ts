import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { AppModule } from '../app.module.js';
import { adminTokenScheme, apiKeyScheme } from '../common/context/access.decorators.js';
import { publicPrefix } from '../common/http/public-prefix.js';
import { parseConfiguration } from '../config/configuration.js';
import { describeAnswers } from './describe-answers.js';
import { describeBodies } from './describe-bodies.js';
import { describeScopes } from './describe-scopes.js';
import { adminDescription, publicDescription } from './descriptions.js';
import { operationsOf } from './operations.js';
import { reachableSchemas } from './reachable-schemas.js';

/** The version of the published contract. It changes only when the contract does, not with each release of the server. */
const contractVersion = '1.0.0';

/** The published documents: the partners' contract, and the admins'. */
export interface Documents {
  readonly publicDocument: OpenAPIObject;
  readonly adminDocument: OpenAPIObject;
}

/** Makes both documents from the controllers' decorators, without a database and without starting anything. */
export async function buildDocuments(): Promise<Documents> {
  const app = await NestFactory.create(AppModule.of(parseConfiguration({})), { preview: true, logger: false });
  const all = SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.0.3').build(), {
    operationIdFactory: (_controller, method) => method,
  });
  const keySecurity = {
    type: 'http',
    scheme: 'bearer',
    description: "An organization's API key, as `Authorization: Bearer <key>`.",
  } as const;
  const tokenSecurity = {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token that a login gives.',
  } as const;
  const publicDocument = part(all, (path) => path.startsWith(`/${publicPrefix}/`), {
    info: { title: 'Public Integration API', version: contractVersion, description: publicDescription },
    securitySchemes: { [apiKeyScheme]: keySecurity },
  });
  const adminDocument = part(all, (path) => !path.startsWith(`/${publicPrefix}/`), {
    info: { title: 'Public Integration API: admin backend', version: contractVersion, description: adminDescription },
    securitySchemes: { [adminTokenScheme]: tokenSecurity },
  });
  return { publicDocument, adminDocument };
}

function part(
  all: OpenAPIObject,
  belongs: (path: string) => boolean,
  head: { info: OpenAPIObject['info']; securitySchemes: NonNullable<OpenAPIObject['components']>['securitySchemes'] },
): OpenAPIObject {
  const paths = structuredClone(Object.fromEntries(Object.entries(all.paths).filter(([path]) => belongs(path))));
  const tags = new Set(operationsOf({ paths }).flatMap((operation) => operation.tags ?? []));
  const document: OpenAPIObject = {
    openapi: all.openapi,
    info: { title: head.info.title, version: head.info.version, description: head.info.description ?? '' },
    servers: [{ url: '/' }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: head.securitySchemes ?? {},
      schemas: structuredClone(all.components?.schemas ?? {}),
    },
  };
  describeAnswers(document);
  describeScopes(document);
  describeBodies(document);
  return { ...document, components: { ...document.components, schemas: reachableSchemas(document) } };
}
