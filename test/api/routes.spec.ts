import type { Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from '../../src/app.module.js';
import { parseConfiguration } from '../../src/config/configuration.js';
import { buildDocuments } from '../../src/cli/openapi/documents.js';
import { operations, operationTable } from '../support/operations.js';
import { violationsOf, type Route, routesOf } from '../support/routes.js';

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

  it('is in one document, validates its input, and has no update defaults', () => {
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

  it('has the operation IDs of the contract', () => {
    const ids = documents.flatMap(operationsOf).map(({ id }) => id);
    expect(ids.sort()).toEqual(Object.keys(operationTable).sort());
  });

  it.each(operations)('can be called by whom the operation table says: $id', ({ caller, row }) => {
    const isForPartners = row.access.includes(':') || row.access === 'anyKey';
    const isForAdmins = row.access === 'admin' || row.access === 'superAdmin';
    expect(caller).toBe(isForPartners ? 'apiKey' : isForAdmins ? 'adminToken' : 'anybody');
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
