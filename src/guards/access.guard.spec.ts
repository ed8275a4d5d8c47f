import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AdminRoute, IntegrationRoute, OpenRoute, RequiresScope } from '../access/access.decorators.js';
import type { ApiKeyScope } from '../access/public-api.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { ScopeGuard } from './access.guard.js';

@IntegrationRoute('teams')
class Teams {
  @RequiresScope('players:write')
  create(): void {
    return;
  }

  scopeless(): void {
    return;
  }

  @OpenRoute()
  open(): void {
    return;
  }

  @AdminRoute('superAdmin')
  admin(): void {
    return;
  }
}

/** Returns true if the guard accepts a key, or the code and message of its error. */
function runGuard(handler: keyof Teams, apiKey: { scopes?: readonly ApiKeyScope[] } | undefined): unknown {
  const context = {
    getHandler: () => Object.getOwnPropertyDescriptor(Teams.prototype, handler)?.value as () => void,
    getClass: () => Teams,
    switchToHttp: () => ({ getRequest: () => (apiKey === undefined ? {} : { integrationContext: { apiKey } }) }),
  } as unknown as ExecutionContext;
  try {
    return new ScopeGuard(new Reflector()).canActivate(context);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [error.entry.code, error.message];
  }
}

describe('ScopeGuard', () => {
  it('accepts a key with the wildcard of the resource, and rejects one with that of another', () => {
    expect(runGuard('create', { scopes: ['players:*'] })).toBe(true);
    expect(runGuard('create', { scopes: ['schedules:*'] })).toEqual([
      40305,
      'The API key lacks the scope players:write',
    ]);
  });

  it('responds 404 for an integration route without a scope, even to a key without scopes', () => {
    expect(runGuard('scopeless', {})).toEqual([40400, errorCatalogue.routeNotFound.message]);
  });

  it('responds 404 for an integration route without an authenticated key', () => {
    expect(runGuard('create', undefined)).toEqual([40400, errorCatalogue.routeNotFound.message]);
  });

  it.each<[keyof Teams]>([['open'], ['admin']])('ignores other routes: %s', (handler) => {
    expect(runGuard(handler, undefined)).toBe(true);
  });
});
