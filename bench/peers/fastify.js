import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { createHandlers } from './handlers.js';
import { envelopeOf, invalidKey, presentedKey, ApiError } from './rules.js';
import { listOf, player, schedule, statisticsRow, team } from './schemas.js';
import { openStore } from './store.js';

/** The same with Fastify, which compiles serializers from the response schemas. */
const store = await openStore(process.env.MONGODB_URI);
const handlers = createHandlers(store);
const app = fastify();

app.decorateRequest('caller', null);
app.setErrorHandler((error, request, reply) => {
  const known = error instanceof ApiError ? error : { message: 'Internal error' };
  return reply.code(known.status ?? 500).send(envelopeOf(known, randomUUID()));
});

await app.register(
  async (api) => {
    api.addHook('onRequest', async (request) => {
      request.caller = await store.findKey(presentedKey(request.headers.authorization));
      if (!request.caller) throw invalidKey();
    });
    const route = (method, url, status, schema, work) =>
      api.route({
        ...{ method, url, schema: { response: { [status]: schema } } },
        handler: async (request, reply) => {
          reply.code(status);
          return work(request);
        },
      });
    route('GET', '/teams', 200, listOf(team), handlers.listTeams);
    route('GET', '/schedules', 200, listOf(schedule), handlers.listSchedules);
    const one = { type: 'object', properties: { data: schedule } };
    route('GET', '/schedules/:scheduleId', 200, one, handlers.getSchedule);
    route('GET', '/schedules/:scheduleId/player-statistics', 200, listOf(statisticsRow), handlers.getStatistics);
    route('POST', '/schedules', 201, schedule, handlers.createSchedule);
    route('PATCH', '/schedules/:scheduleId', 200, schedule, handlers.updateSchedule);
    route('POST', '/teams/:teamId/players', 201, player, handlers.createPlayer);
  },
  { prefix: '/v1/public-api' },
);

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
// Exits with its parent process.
process.once('disconnect', () => process.exit());
