import { Body, Controller, Get, Param, Patch, Post, Query, type Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Throttle } from '@nestjs/throttler';
import { AppModule } from '../../src/app.module.js';
import { IntegrationRoute, OpenRoute, RequiresScope } from '../../src/access/access.decorators.js';
import { RecordIdPipe } from '../../src/common/validation/record-id.pipe.js';
import { TextField } from '../../src/common/validation/fields.js';
import { parseConfiguration } from '../../src/common/config/configuration.js';
import { buildDocuments } from '../../src/cli/openapi/documents.js';
import { violationsOf, type Route, routesOf } from '../support/routes.js';

const publicOperations = [
  ...['listSeasons', 'listTeams', 'createTeam', 'listPlayers', 'createPlayer', 'getPlayer', 'updatePlayer'],
  ...['deletePlayer', 'listSchedules', 'createSchedule', 'getSchedule', 'updateSchedule', 'deleteSchedule'],
  ...['getPlayerStatistics', 'listChanges', 'getTeam', 'updateTeam'],
  ...['bulkUpsertTeams', 'bulkUpsertPlayers', 'bulkUpsertSchedules', 'upsertTeam', 'upsertPlayer', 'upsertSchedule'],
  ...['getTeamByExternalId', 'getPlayerByExternalId', 'getScheduleByExternalId'],
  ...['createWebhookEndpoint', 'listWebhookEndpoints', 'getWebhookEndpoint', 'updateWebhookEndpoint'],
  ...['deleteWebhookEndpoint', 'rotateWebhookSecret', 'testWebhookEndpoint', 'listDeliveries', 'retryDelivery'],
];

describe('every route', () => {
  let routes: Route[];
  let documents: [OpenAPIObject, OpenAPIObject];

  beforeAll(async () => {
    const { publicDocument, adminDocument } = await buildDocuments();
    documents = [publicDocument, adminDocument];
    const app = await NestFactory.create(AppModule.of(parseConfiguration({})), { preview: true, logger: false });
    const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
    routes = routesOf([...new Set(controllers.map(({ metatype }) => metatype as Type<object>))]);
  });

  it('declares access and scope, is in one document, validates its input, and has no update defaults', () => {
    expect(routes.length).toBeGreaterThan(25);
    expect(routes.flatMap((route) => violationsOf(route, documents))).toEqual([]);
  });

  it('has a unique method and path', () => {
    const places = routes.map(({ verb, path }) => `${verb} ${path}`);
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  });

  it('exists for every documented operation', () => {
    const inCode = routes.map(({ verb, path }) => `${verb} ${path}`);
    expect(documents.flatMap(operationsOf).filter(({ place }) => !inCode.includes(place))).toEqual([]);
  });

  it('has the operation IDs of the contract, if public', () => {
    expect(
      operationsOf(documents[0])
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...publicOperations].sort());
  });

  it.each([0, 1] as const)('has a unique operation ID in its document (%p)', (index) => {
    const ids = operationsOf(documents[index]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

class NoRules {
  name?: string;
}

class Fields {
  @TextField({ description: 'The name.', max: 20, example: 'Hawks' })
  name?: string;
}

class UpdateWithDefaults extends Fields {
  @TextField({ description: 'The name.', max: 20, default: 'Hawks' })
  override name?: string;
}

interface Shape {
  name: string;
}

@Controller('wrong')
class WrongController {
  @Get('closed')
  closed(): object {
    return {};
  }

  @Get('scopeless')
  @IntegrationRoute('teams')
  scopeless(): object {
    return {};
  }

  @Get('scoped')
  @IntegrationRoute('teams')
  @RequiresScope('teams:read')
  scoped(): object {
    return {};
  }

  @Get('unlimited')
  @OpenRoute()
  @Throttle({ default: { limit: 5 } })
  unlimited(): object {
    return {};
  }

  @Get('burst')
  @IntegrationRoute('teams')
  @RequiresScope('teams:read')
  @Throttle({ burst: { limit: 5 }, default: { blockDuration: 5 } })
  burst(): object {
    return {};
  }

  @Get('errorless/:id')
  @OpenRoute()
  errorless(@Param('id', RecordIdPipe) id: string): object {
    return { id };
  }

  @Get('undocumented')
  @OpenRoute()
  undocumented(): object {
    return {};
  }

  @Post('renamed')
  @OpenRoute()
  renamed(@Body() body: Fields): object {
    return { body };
  }

  @Post('shape')
  @OpenRoute()
  shape(@Body() body: Shape): object {
    return { body };
  }

  @Post('union')
  @OpenRoute()
  union(@Body() body: Fields | undefined | string): object {
    return { body };
  }

  @Get('ruleless')
  @OpenRoute()
  ruleless(@Query() query: NoRules): object {
    return { query };
  }

  @Patch('defaults')
  @OpenRoute()
  defaults(@Body() body: UpdateWithDefaults): object {
    return { body };
  }

  @Patch(':id/valid')
  @OpenRoute()
  valid(@Body() body: Fields, @Query() query: Fields): object {
    return { body, query };
  }
}

describe('violationsOf', () => {
  const routes = routesOf([WrongController]);
  const errors = Object.fromEntries([400, 413, 415, 500, 503].map((status) => [status, { description: '' }]));
  const named = (id: string) => ({ operationId: id, responses: errors });
  const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Update' } } } };
  const document = {
    openapi: '3.0.3',
    info: { title: 'Wrong', version: '1' },
    paths: {
      '/wrong/closed': { get: named('closed') },
      '/wrong/scopeless': { get: named('scopeless') },
      '/wrong/scoped': { get: named('scoped') },
      '/wrong/unlimited': { get: named('unlimited') },
      '/wrong/burst': { get: named('burst') },
      '/wrong/errorless/{id}': { get: { operationId: 'errorless', responses: errors } },
      '/wrong/renamed': { post: named('another') },
      '/wrong/shape': { post: named('shape') },
      '/wrong/union': { post: named('union') },
      '/wrong/ruleless': { get: named('ruleless') },
      '/wrong/defaults': { patch: { ...named('defaults'), requestBody: body } },
      '/wrong/{id}/valid': { patch: named('valid') },
    },
    components: { schemas: { Update: { type: 'object', properties: { name: { type: 'string', default: 'Hawks' } } } } },
  } as OpenAPIObject;

  it.each([
    ['a route without an access decorator', 'closed', ['has no access decorator']],
    ['an integration route without a scope', 'scopeless', ['has no scope']],
    ['nothing in an integration route with a scope', 'scoped', []],
    ['a limit on a route that has none', 'unlimited', ['has the ineffective setting THROTTLER:LIMITdefault']],
    [
      'a limit of an unknown throttler',
      'burst',
      [
        'has the ineffective setting THROTTLER:LIMITburst',
        'has the ineffective setting THROTTLER:BLOCK_DURATIONdefault',
      ],
    ],
    ['a route that is in no document', 'undocumented', ['is in 0 OpenAPI documents instead of one']],
    [
      'a route whose decorators do not declare its errors',
      'errorless',
      ['does not declare an error with the status 404'],
    ],
    ['an operation ID that is not the method name', 'renamed', ['has an operation ID other than its method name']],
    ['a body typed by an interface', 'shape', ['body has the type Object']],
    ['a body typed by a union', 'union', ['body has the type Object']],
    ['a query typed by a class without rules', 'ruleless', ['query has the type NoRules, which declares no field']],
    ['an update with defaults', 'defaults', ['sets a default for name', 'documents a default for name']],
    ['nothing in a valid route', 'valid', []],
  ])('finds %s', (_, method, violations) => {
    const route = routes.find((one) => one.method === method);
    expect(route && violationsOf(route, [document])).toEqual(
      violations.map((violation) => `WrongController.${method}: ${violation}`),
    );
  });

  it('finds a route that is in both documents', () => {
    const route = routes.find(({ method }) => method === 'valid');
    expect(route && violationsOf(route, [document, document])).toEqual([
      'WrongController.valid: is in 2 OpenAPI documents instead of one',
    ]);
  });

  it('reads method and full path of a route', () => {
    expect(routes.map(({ verb, path }) => `${verb} ${path}`)).toContain('patch /wrong/{id}/valid');
  });
});

function operationsOf({ paths }: OpenAPIObject): { place: string; id: string }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, { operationId?: string }>).map(([verb, { operationId }]) => ({
      place: `${verb} ${path}`,
      id: operationId ?? '',
    })),
  );
}
