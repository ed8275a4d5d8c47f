import { Body, Controller, type ExecutionContext, Get, Post, Query, Req } from '@nestjs/common';
import { declaresInput } from './route-arguments.js';

@Controller()
class Routes {
  @Get()
  none(@Req() request: object) {
    return request;
  }

  @Get()
  query(@Query() query: object) {
    return query;
  }

  @Post()
  body(@Req() request: object, @Body() body: object) {
    return { request, body };
  }
}

describe('the input that a handler declares', () => {
  it.each([
    ['none', false, false],
    ['query', true, false],
    ['body', false, true],
  ])('is known before its pipes run: %s', (name, query, body) => {
    const route = { getClass: () => Routes, getHandler: () => ({ name }) } as unknown as ExecutionContext;
    expect([declaresInput('query', route), declaresInput('body', route)]).toEqual([query, body]);
  });
});
