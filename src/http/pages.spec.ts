import fs from 'node:fs';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import request from 'supertest';
import { parseConfiguration } from '../config/configuration.js';
import { Pages } from './pages.js';

function serve(variables: Record<string, string> = {}) {
  const router = express();
  const app = { getHttpAdapter: () => ({ getInstance: () => router }) };
  new Pages().serve(app as unknown as NestExpressApplication, parseConfiguration(variables));
  return router;
}

describe('the API reference without a build', () => {
  it('has the documents, but no page', async () => {
    const built = jest.spyOn(fs, 'existsSync').mockReturnValue(false);
    const router = serve();
    built.mockRestore();
    await request(router).get('/openapi.json').expect(200);
    await request(router).get('/docs').expect(404);
  });
});

it('with CONSOLE=off, there is no console, but the documents', async () => {
  const router = serve({ CONSOLE: 'off' });
  for (const path of ['/console', '/console/', '/console/assets/index.js']) await request(router).get(path).expect(404);
  await request(router).get('/openapi.json').expect(200);
});

describe('the documents', () => {
  it.each(['/openapi.json', '/openapi-3.1.json', '/admin/openapi.json'])(
    'name the URL of the server: %s',
    async (path) => {
      const serversWith = async (variables: Record<string, string>) => {
        const response = await request(serve(variables)).get(path).set('Host', 'api.local:3000').expect(200);
        return (response.body as { servers: unknown }).servers;
      };
      expect(await serversWith({})).toEqual([{ url: 'http://api.local:3000' }]);
      const url = 'https://api.example.com';
      expect(await serversWith({ PUBLIC_URL: url })).toEqual([{ url }]);
    },
  );
});
