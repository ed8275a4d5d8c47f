import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AdminRoute, IntegrationRoute, OpenRoute, RequiresScope } from './access.decorators.js';
import type { ApiKeyScope } from '../common/http/public-api.js';
import { ServiceError } from '../common/errors/service-error.js';
import { ScopeGuard } from './scope.guard.js';

@IntegrationRoute('teams')
class Teams {
  @RequiresScope('teams:write')
  create(): void {
    return;
  }

  @RequiresScope('players:read')
  players(): void {
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

/** What the guard says to a key: the code of its refusal, or that it lets it through. */
function judged(handler: keyof Teams, apiKey: { scopes?: readonly ApiKeyScope[] } | undefined): unknown {
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

describe('the guard of scopes', () => {
  it.each<[string, keyof Teams, ApiKeyScope[] | undefined]>([
    ['the very scope', 'create', ['teams:write']],
    ['the scope among others', 'create', ['seasons:read', 'teams:write']],
    ['all of the resource', 'players', ['players:*']],
    ['no scopes at all', 'create', undefined],
  ])('lets a key through that has %s', (_what, handler, scopes) => {
    expect(judged(handler, { ...(scopes && { scopes }) })).toBe(true);
  });

  it.each<[string, keyof Teams, ApiKeyScope[], string]>([
    ['only the reading', 'create', ['teams:read'], 'teams:write'],
    ['only the writing', 'players', ['players:write'], 'players:read'],
    ['all of another resource', 'players', ['schedules:*'], 'players:read'],
    ['an empty list, as nobody can ask for', 'players', [], 'players:read'],
  ])('refuses a key that has %s, and names what it lacks', (_what, handler, scopes, missing) => {
    expect(judged(handler, { scopes })).toEqual([40305, `The API key lacks the scope ${missing}`]);
  });

  it('closes an integration route that names no scope, even to a key that may do everything', () => {
    expect(judged('scopeless', {})).toEqual([40400, 'Route not found']);
  });

  it('closes an integration route to whoever the access guard did not make known', () => {
    expect(judged('create', undefined)).toEqual([40400, 'Route not found']);
  });

  it.each<[keyof Teams]>([['open'], ['admin']])('asks nothing of other routes: %s', (handler) => {
    expect(judged(handler, undefined)).toBe(true);
  });
});
