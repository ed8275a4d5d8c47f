import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { OpenAPIObject } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import { BulkPipe } from '../../src/records/bulk.pipe.js';
import { fieldsByClass, fieldsOf, resourceOf } from '../../src/validation/field.js';
import { type Access, accessKey } from '../../src/access/access.decorators.js';

type Handler = (...given: unknown[]) => unknown;
type Schema = Record<string, unknown>;

interface Input {
  readonly kind: 'body' | 'query';
  readonly type: unknown;
}

/** One route, from its controller's decorators. */
export interface Route {
  readonly controller: Type<object>;
  readonly method: string;
  readonly verb: string;
  /** In the form of OpenAPI, `/teams/{teamId}`. */
  readonly path: string;
}

/** All routes of some controllers. */
export function routesOf(controllers: readonly Type<object>[]): Route[] {
  return controllers.flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype).flatMap((method) => {
      const handler = handlerOf(controller, method);
      const verb = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (verb === undefined) return [];
      const parts = [controller, handler].map((place) => String(Reflect.getMetadata(PATH_METADATA, place)));
      const path = `/${parts
        .flatMap((part) => part.split('/'))
        .filter(Boolean)
        .join('/')}`;
      return [{ controller, method, verb: RequestMethod[verb].toLowerCase(), path: path.replace(/:(\w+)/g, '{$1}') }];
    }),
  );
}

/** The rules that a route violates, one line each. */
export function violationsOf(route: Route, documents: readonly OpenAPIObject[]): string[] {
  const name = `${route.controller.name}.${route.method}`;
  return [
    ...throttlerViolations(route),
    ...errorViolations(route, documents),
    ...inputViolations(route),
    ...defaultViolations(route, documents),
  ].map((fault) => `${name}: ${fault}`);
}

/** The rate limit applies to API keys only, has one throttler, a count for each limit, and does not block longer than its window. */
function throttlerViolations({ controller, method }: Route): string[] {
  const handler = handlerOf(controller, method);
  const settings = [controller, handler].flatMap((target) =>
    Reflect.getMetadataKeys(target)
      .map(String)
      .filter((key) => key.startsWith('THROTTLER:') && Reflect.getMetadata(key, target) !== undefined),
  );
  const access = (Reflect.getMetadata(accessKey, handler) ?? Reflect.getMetadata(accessKey, controller)) as
    Access | undefined;
  const supported = access?.kind === 'integration' ? /^THROTTLER:(?!BLOCK).*default$/ : /^$/;
  const isSet = (key: string) => Reflect.getMetadata(`THROTTLER:${key}default`, handler) !== undefined;
  const sharesCount = isSet('LIMIT') && !isSet('KEY_GENERATOR');
  return [
    ...settings.filter((key) => !supported.test(key)).map((key) => `has the ineffective setting ${key}`),
    ...(sharesCount ? ['has a limit of its own, but no `generateKey`'] : []),
  ];
}

/** An ID in the path can be that of a deleted record, and every route can reject its input and fail. */
function errorViolations(route: Route, documents: readonly OpenAPIObject[]): string[] {
  const takesId = Object.values(argumentsOf(route)).some(({ data }) => /^id$|Id$/.test(String(data)));
  const operation = documents.map((document) => operationOf(route, document)).find((found) => found !== undefined);
  const declared = Object.keys(operation?.['responses'] ?? {});
  const hasBody = inputTypes(route.controller, route.method).some(({ kind }) => kind === 'body');
  const ofBody = hasBody ? ['413', '415'] : [];
  const missing = ['400', '500', '503', ...ofBody, ...(takesId ? ['404'] : [])].filter(
    (status) => !declared.includes(status),
  );
  return operation === undefined ? [] : missing.map((status) => `does not declare an error with the status ${status}`);
}

/** A body or query is validated only if its type is a class with rules at run time. */
function inputViolations({ controller, method }: Route): string[] {
  return inputTypes(controller, method).flatMap(({ kind, type }) => {
    if (typeof type !== 'function') return [`${kind} has the type ${String(type)}`];
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    if (rules.length === 0) return [`${kind} has the type ${type.name}, which has no rules`];
    const names = fieldsByClass(type as Type<object>).flatMap((fields) => [...fields.keys()]);
    // class-validator would drop the inherited rules, but keep the inherited conditions.
    const overridden = names.filter((name, index) => names.indexOf(name) !== index);
    return [...overridden, ...wrongDefaults(type as Type<object>)].map(
      (name) => `${kind} has the type ${type.name}, which overrides ${name}, or sets a value that it does not document`,
    );
  });
}

/** Returns the fields of which a class sets other values than it documents. Those of an update would be stored. */
function wrongDefaults(type: Type<object>): string[] {
  const set = { ...new type() } as Record<string, unknown>;
  const isUpdate = resourceOf(type) !== undefined;
  const documented = [...fieldsOf(type)].map(
    ([name, field]) => [name, isUpdate ? undefined : (field.default ?? field.createDefault)] as const,
  );
  return documented.flatMap(([name, value]) => (set[name] === value ? [] : [name]));
}

/** An update has no defaults. */
function defaultViolations(route: Route, documents: readonly OpenAPIObject[]): string[] {
  if (route.verb !== 'patch') return [];
  const described = documents.flatMap((document) => {
    const body = resolved(operationOf(route, document)?.['requestBody'], document);
    const media = Object.values((body?.['content'] ?? {}) as Record<string, Schema>);
    return media.flatMap((one) => defaultsIn(resolved(one['schema'], document)));
  });
  return described.map((field) => `documents a default for ${field}`);
}

function defaultsIn(schema: Schema | undefined): string[] {
  const properties = (schema?.['properties'] ?? {}) as Record<string, Schema>;
  return Object.entries(properties).flatMap(([field, property]) => ('default' in property ? [field] : []));
}

function inputTypes(controller: Type<object>, method: string): Input[] {
  const parameters = argumentsOf({ controller, method });
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, method) ?? []) as unknown[];
  const from = (source: RouteParamtypes, kind: Input['kind']): Input[] =>
    Object.entries(parameters)
      .filter(([place]) => place.startsWith(`${source}:`))
      .map(([, { index, pipes }]) => ({ kind, type: rowTypeOf(pipes) ?? types[index] }));
  return [...from(RouteParamtypes.BODY, 'body'), ...from(RouteParamtypes.QUERY, 'query')];
}

/** Returns the class that validates the rows of a bulk request. */
function rowTypeOf(pipes: readonly unknown[]): unknown {
  return pipes.flatMap((pipe) => (pipe instanceof BulkPipe ? pipe.rowType : []))[0];
}

function argumentsOf({ controller, method }: Pick<Route, 'controller' | 'method'>) {
  return (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { data?: unknown; index: number; pipes: unknown[] }
  >;
}

function operationOf({ path, verb }: Route, document: OpenAPIObject): Schema | undefined {
  return (document.paths[path] as Record<string, Schema> | undefined)?.[verb];
}

function resolved(part: unknown, document: OpenAPIObject): Schema | undefined {
  const reference = (part as { $ref?: string } | undefined)?.$ref;
  if (reference === undefined) return part as Schema | undefined;
  return reference
    .split('/')
    .slice(1)
    .reduce<Schema | undefined>((inner, key) => inner?.[key] as Schema | undefined, document as unknown as Schema);
}

function handlerOf(controller: Type<object>, method: string): Handler {
  const handler = (controller.prototype as Record<string, Handler>)[method];
  if (handler === undefined) throw new Error(`${controller.name} has no method ${method}`);
  return handler;
}
