import { Body, Controller, Get, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/context/request-context.js';
import { CreateDto, fieldNamesOf, jsonMapper, ResponseDto, UpdateDto } from '../../common/validation/dto.js';
import { ChoiceField } from '../../common/validation/fields.js';
import { InputValidationPipe } from '../../common/validation/validation.pipe.js';
import { recordSchema, storedFieldsOf } from '../../database/record.js';
import type { TeamsService } from '../teams/teams.service.js';
import type { CreateSchedule } from './schedule.dto.js';
import { Schedule } from './schedule.schema.js';
import { toPipeline } from './schedule.update.js';
import type { SchedulesRepository } from './schedules.repository.js';
import { SchedulesService } from './schedules.service.js';

const teamId = '6650f1f77bcf86cd79943941';

class WeatherSchedule extends Schedule {
  @ChoiceField({ description: 'The weather.', choices: ['sun', 'rain'], example: 'rain', clearable: true })
  weather?: string;
}

class CreateWeatherSchedule extends CreateDto(WeatherSchedule, {
  omit: ['organizationId', 'teamOneId', 'eventTitle'],
  optional: ['endDate'],
}) {}

class UpdateWeatherSchedule extends UpdateDto(WeatherSchedule, { omit: ['organizationId', 'teamOneId'] }) {}

class WeatherScheduleResponse extends ResponseDto(WeatherSchedule) {}

@Controller()
class WeatherController {
  @Get()
  @ApiOkResponse({ type: WeatherScheduleResponse })
  get(): string {
    return '';
  }

  @Post()
  create(@Body() body: CreateWeatherSchedule): CreateWeatherSchedule {
    return body;
  }

  @Patch()
  update(@Body() body: UpdateWeatherSchedule): UpdateWeatherSchedule {
    return body;
  }
}

describe('a field declared once in a resource class', () => {
  const pipe = new InputValidationPipe();
  const validate = (metatype: new () => object, body: object) => pipe.transform(body, { type: 'body', metatype });
  const body = { startDate: '2027-05-01T10:00:00Z', teamTwoName: 'Foxes', weather: 'rain' };

  it('is documented in OpenAPI', async () => {
    const module = await Test.createTestingModule({ controllers: [WeatherController] }).compile();
    const app = module.createNestApplication();
    const { components } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    for (const name of ['CreateWeatherSchedule', 'UpdateWeatherSchedule', 'WeatherScheduleResponse']) {
      const schema = components?.schemas?.[name];
      expect(schema).toMatchObject({
        properties: {
          weather: { type: 'string', enum: ['sun', 'rain'], description: 'The weather.', example: 'rain' },
        },
      });
      expect(schema).not.toMatchObject({ required: expect.arrayContaining(['weather']) as string[] });
    }
    await app.close();
  });

  it('is validated in create and update requests', () => {
    expect(validate(CreateWeatherSchedule, body)).toMatchObject({ weather: 'rain' });
    expect(validate(UpdateWeatherSchedule, { weather: null })).toEqual({ weather: null });
    for (const type of [CreateWeatherSchedule, UpdateWeatherSchedule]) {
      expect(() => validate(type, { ...body, weather: 'hail' })).toThrow('weather must be one of sun, rain');
    }
  });

  it('is part of the Mongoose schema, the projection and the response', () => {
    const path = recordSchema('schedules', storedFieldsOf(WeatherSchedule)).path('weather');
    expect(path).toMatchObject({ instance: 'String', options: { required: false, enum: ['sun', 'rain'] } });
    expect(fieldNamesOf(WeatherSchedule)).toContain('weather');
    const stored = Object.assign(new WeatherSchedule(), { weather: 'rain' });
    expect(jsonMapper(WeatherSchedule)(stored)).toEqual({ weather: 'rain' });
  });

  it('is stored by create and update without further code', async () => {
    const insertOnce = jest.fn(() => Promise.resolve());
    const schedules = { insertOnce } as unknown as SchedulesRepository;
    const teams = { getAllOwn: () => Promise.resolve([{ id: teamId, name: 'Hawks' }]) } as unknown as TeamsService;
    const service = new SchedulesService(schedules, teams, new Clock());
    const context = { organization: { id: teamId }, actingUser: { id: teamId } } as RequestContext;
    const input = { ...(validate(CreateWeatherSchedule, body) as object), teamId } as CreateSchedule;
    await service.create(context, input, undefined);
    expect(insertOnce).toHaveBeenCalledWith(
      context,
      expect.objectContaining({ weather: 'rain' }),
      undefined,
      expect.anything(),
    );
    const changes = validate(UpdateWeatherSchedule, { weather: 'sun' }) as object;
    expect(toPipeline(changes)).toEqual([{ $set: { weather: { $literal: 'sun' } } }]);
  });
});
