import fs from 'node:fs';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import request from 'supertest';
import { Pages } from './pages.js';

describe('the API reference without a build', () => {
  it('has the documents, but no page', async () => {
    const built = jest.spyOn(fs, 'existsSync').mockReturnValue(false);
    const router = express();
    const app = { getHttpAdapter: () => ({ getInstance: () => router }) };
    new Pages().serve(app as unknown as NestExpressApplication, true);
    built.mockRestore();
    await request(router).get('/openapi.json').expect(200);
    await request(router).get('/docs').expect(404);
  });
});
