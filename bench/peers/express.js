import { randomUUID } from 'node:crypto';
import express from 'express';
import { answersOf } from './answers.js';
import { envelopeOf, invalidKey, presentedKey, Refusal } from './rules.js';
import { openStore } from './store.js';

/** A bare Express server with the driver: what a good engineer writes of this contract in an afternoon. */
const store = await openStore(process.env.MONGODB_URI);
const answers = answersOf(store);
const app = express();
// This project's server sends none either.
app.disable('x-powered-by');
app.disable('etag');

const api = express.Router();
api.use(async (request, response, next) => {
  request.caller = await store.findKey(presentedKey(request.headers.authorization));
  if (!request.caller) throw invalidKey();
  next();
});
api.use(express.json());
const answer = (status, work) => async (request, response) => response.status(status).json(await work(request));
api.get('/teams', answer(200, answers.listTeams));
api.get('/schedules', answer(200, answers.listSchedules));
api.get('/schedules/:scheduleId', answer(200, answers.getSchedule));
api.get('/schedules/:scheduleId/player-statistics', answer(200, answers.getStatistics));
api.post('/schedules', answer(201, answers.createSchedule));
api.patch('/schedules/:scheduleId', answer(200, answers.updateSchedule));
api.post('/teams/:teamId/players', answer(201, answers.createPlayer));
app.use('/v1/public-api', api);

// Express knows a handler of errors by its four parameters.
app.use((error, request, response, next) => {
  if (response.headersSent) return next(error);
  const known = error instanceof Refusal ? error : { message: 'Internal error' };
  response.status(known.status ?? 500).json(envelopeOf(known, randomUUID()));
});

app.listen(Number(process.env.PORT), '127.0.0.1');
// Whoever started it is gone.
process.once('disconnect', () => process.exit());
