import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { ExpressAdapter } from '@nestjs/platform-express';
import type { Application } from 'express';
import { ServiceError } from '../errors/service-error.js';

/** Responds 405 with `Allow` to a known path with another method. */
@Injectable()
export class OtherMethods implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost<ExpressAdapter>) {}

  /** Nest calls it when it has registered the routes, and then registers its own handler of unknown paths. */
  onModuleInit(): void {
    // Commands run without HTTP.
    const { httpAdapter } = this.host as { httpAdapter: ExpressAdapter | null | undefined };
    if (!httpAdapter) return;
    const app = httpAdapter.getInstance<Application>();
    // The types of Express do not have it yet. It adds HEAD to GET.
    const router = app.router as unknown as { listRoutes(): { path: string; methods: string[] }[] };
    const routes = Map.groupBy(router.listRoutes(), ({ path }) => path);
    // A path such as `/teams/bulk` also matches the route with an ID; the one with the fewest parameters counts.
    const parametersOf = (path: string) => path.split(':').length;
    for (const [path, same] of [...routes].sort(([one], [other]) => parametersOf(one) - parametersOf(other))) {
      const allowed = [...new Set(same.flatMap(({ methods }) => methods))].sort().join(', ');
      // Not `all`, with which the metrics would have a series for each route and method. It is called for longer paths too.
      app.use(path, (request, response, next) => {
        if (request.path === '/') {
          response.setHeader('Allow', allowed);
          const message = `${request.method} is not allowed for this path; use ${allowed}`;
          throw new ServiceError('methodNotAllowed', { message });
        }
        next();
      });
    }
  }
}
