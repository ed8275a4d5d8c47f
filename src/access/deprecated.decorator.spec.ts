import type { Server } from 'node:http';
import { Controller, Get } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { Deprecated } from './deprecated.decorator.js';

const since = new Date('2027-05-01T10:00:00Z');
const sunset = new Date('2028-05-01T10:00:00Z');
const link = '/docs#requests/description/compatibility';

@Controller()
class Routes {
  @Get('old')
  @Deprecated({ since, sunset, link })
  old() {
    return {};
  }

  @Get('new')
  current() {
    return {};
  }
}

describe('a deprecated route', () => {
  it('says since when and until when, unlike others', async () => {
    const module = await Test.createTestingModule({ controllers: [Routes] }).compile();
    const app = await module.createNestApplication({ logger: false }).init();
    const server = app.getHttpServer() as Server;
    const { headers } = await request(server).get('/old').expect(200);
    expect(headers).toMatchObject({
      deprecation: '@1809165600',
      sunset: 'Mon, 01 May 2028 10:00:00 GMT',
      link: `<${link}>; rel="deprecation"`,
    });
    const other = await request(server).get('/new').expect(200);
    for (const name of ['deprecation', 'sunset', 'link']) expect(other.headers).not.toHaveProperty(name);
    await app.close();
  });

  it('stays for 12 months', () => {
    const early = new Date(sunset.getTime() - 1);
    expect(() => Deprecated({ since, sunset: early, link })).toThrow(RangeError);
  });
});
