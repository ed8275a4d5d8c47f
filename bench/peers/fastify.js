import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { answersOf } from './answers.js';
import { envelopeOf, invalidKey, presentedKey, Refusal } from './rules.js';
import { listOf, player, schedule, statisticsRow, team } from './schemas.js';
import { openStore } from './store.js';

/** The same on Fastify, whose serialisers are compiled of the answers' schemas. */
const store = await openStore(process.env.MONGODB_URI);
const answers = answersOf(store);
const app = fastify();

app.decorateRequest('caller', null);
app.setErrorHandler((error, request, reply) => {
  const known = error instanceof Refusal ? error : { message: 'Internal error' };
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
    route('GET', '/teams', 200, listOf(team), answers.listTeams);
    route('GET', '/schedules', 200, listOf(schedule), answers.listSchedules);
    const one = { type: 'object', properties: { data: schedule } };
    route('GET', '/schedules/:scheduleId', 200, one, answers.getSchedule);
    route('GET', '/schedules/:scheduleId/player-statistics', 200, listOf(statisticsRow), answers.getStatistics);
    route('POST', '/schedules', 201, schedule, answers.createSchedule);
    route('PATCH', '/schedules/:scheduleId', 200, schedule, answers.updateSchedule);
    route('POST', '/teams/:teamId/players', 201, player, answers.createPlayer);
  },
  { prefix: '/v1/public-api' },
);

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
// Whoever started it is gone.
process.once('disconnect', () => process.exit());
