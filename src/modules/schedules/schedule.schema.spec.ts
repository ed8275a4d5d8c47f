import { Body, Controller, Get, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { Clock } from '../../config/clock.js';
import type { RequestContext } from '../../access/request-context.js';
import { CreateDto, fieldNamesOf, jsonMapper, ResponseDto, UpdateDto } from '../../validation/dto.js';
import { ChoiceField } from '../../validation/fields.js';
import { InputValidationPipe } from '../../validation/validation.pipe.js';
import { recordSchema, storedFieldsOf } from '../../database/record.js';
import type { TeamsService } from '../teams/teams.service.js';
import type { CreateSchedule } from './schedule.dto.js';
import { Schedule } from './schedule.schema.js';
import type { SchedulesRepository } from './schedules.repository.js';
import { SchedulesService } from './schedules.service.js';

const teamId = '6650f1f77bcf86cd79943941';
const scheduleId = '6650f1f77bcf86cd79943961';

class ExtendedSchedule extends Schedule {
  @ChoiceField({ description: 'An example.', choices: ['first', 'second'], example: 'second', clearable: true })
  exampleField?: string;
}

class CreateExtendedSchedule extends CreateDto(ExtendedSchedule, {
  omit: ['organizationId', 'teamOneId', 'eventTitle'],
  optional: ['endDate'],
}) {}

class UpdateExtendedSchedule extends UpdateDto(ExtendedSchedule, { omit: ['organizationId', 'teamOneId'] }) {}

class ExtendedScheduleResponse extends ResponseDto(ExtendedSchedule) {}

@Controller()
class ExtendedController {
  @Get()
  @ApiOkResponse({ type: ExtendedScheduleResponse })
  get(): string {
    return '';
  }

  @Post()
  create(@Body() body: CreateExtendedSchedule): CreateExtendedSchedule {
    return body;
  }

  @Patch()
  update(@Body() body: UpdateExtendedSchedule): UpdateExtendedSchedule {
    return body;
  }
}

describe('a field declared once in a resource class', () => {
  const pipe = new InputValidationPipe();
  const validate = (metatype: new () => object, body: object) => pipe.transform(body, { type: 'body', metatype });
  const body = { startDate: '2027-05-01T10:00:00Z', teamTwoName: 'Foxes', exampleField: 'second' };

  it('is documented in OpenAPI', async () => {
    const module = await Test.createTestingModule({ controllers: [ExtendedController] }).compile();
    const app = module.createNestApplication();
    const { components } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    for (const name of ['CreateExtendedSchedule', 'UpdateExtendedSchedule', 'ExtendedScheduleResponse']) {
      const schema = components?.schemas?.[name];
      expect(schema).toMatchObject({
        properties: {
          exampleField: { type: 'string', enum: ['first', 'second'], description: 'An example.', example: 'second' },
        },
      });
      expect(schema).not.toMatchObject({ required: expect.arrayContaining(['exampleField']) as string[] });
    }
    await app.close();
  });

  it('is validated in create and update requests', () => {
    expect(validate(CreateExtendedSchedule, body)).toMatchObject({ exampleField: 'second' });
    expect(validate(UpdateExtendedSchedule, { exampleField: null })).toEqual({ exampleField: null });
    for (const type of [CreateExtendedSchedule, UpdateExtendedSchedule]) {
      expect(() => validate(type, { ...body, exampleField: 'third' })).toThrow(
        'exampleField must be one of first, second',
      );
    }
  });

  it('is part of the Mongoose schema, the projection and the response', () => {
    const path = recordSchema('schedules', storedFieldsOf(ExtendedSchedule)).path('exampleField');
    expect(path).toMatchObject({ instance: 'String' });
    expect(fieldNamesOf(ExtendedSchedule)).toContain('exampleField');
    const stored = Object.assign(new ExtendedSchedule(), { exampleField: 'second' });
    expect(jsonMapper(ExtendedSchedule)(stored)).toEqual({ exampleField: 'second', status: 'scheduled' });
  });

  it('is stored by create and update without further code', async () => {
    const insertIdempotent = jest.fn(() => Promise.resolve());
    const updateById = jest.fn(() => Promise.resolve(new ExtendedSchedule()));
    const schedules = { insertIdempotent, updateById } as unknown as SchedulesRepository;
    const team = { id: teamId, name: 'Hawks' };
    const teams = { lookUp: () => Promise.resolve(() => team) } as unknown as TeamsService;
    const service = new SchedulesService(schedules, teams, new Clock());
    const context = { organization: { id: teamId }, actingUser: { id: teamId } } as RequestContext;
    const input = { ...(validate(CreateExtendedSchedule, body) as object), teamId } as CreateSchedule;
    await service.create(context, input);
    expect(insertIdempotent).toHaveBeenCalledWith(
      context,
      expect.objectContaining({ exampleField: 'second' }),
      undefined,
      expect.anything(),
    );
    const update = { ...(validate(UpdateExtendedSchedule, { exampleField: 'first' }) as object), teamId };
    await service.update(context, scheduleId, update);
    const stored = expect.objectContaining({ exampleField: 'first' }) as object;
    expect(updateById).toHaveBeenCalledWith(context, scheduleId, stored, { teamOneId: teamId });
  });
});
