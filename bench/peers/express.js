import { randomUUID } from 'node:crypto';
import express from 'express';
import { createHandlers } from './handlers.js';
import { envelopeOf, invalidKey, presentedKey, ApiError } from './rules.js';
import { openStore } from './store.js';

/** A minimal hand-written server of the contract with Express and the driver. */
const store = await openStore(process.env.MONGODB_URI);
const handlers = createHandlers(store);
const app = express();
// As in this project's server.
app.disable('x-powered-by');
app.disable('etag');

const api = express.Router();
api.use(async (request, response, next) => {
  request.caller = await store.findKey(presentedKey(request.headers.authorization));
  if (!request.caller) throw invalidKey();
  next();
});
api.use(express.json());
const respond = (status, work) => async (request, response) => response.status(status).json(await work(request));
api.get('/teams', respond(200, handlers.listTeams));
api.get('/schedules', respond(200, handlers.listSchedules));
api.get('/schedules/:scheduleId', respond(200, handlers.getSchedule));
api.get('/schedules/:scheduleId/player-statistics', respond(200, handlers.getStatistics));
api.post('/schedules', respond(201, handlers.createSchedule));
api.patch('/schedules/:scheduleId', respond(200, handlers.updateSchedule));
api.post('/teams/:teamId/players', respond(201, handlers.createPlayer));
app.use('/v1/public-api', api);

// Express identifies error handlers by their four parameters.
app.use((error, request, response, next) => {
  if (response.headersSent) return next(error);
  const known = error instanceof ApiError ? error : { message: 'Internal error' };
  response.status(known.status ?? 500).json(envelopeOf(known, randomUUID()));
});

app.listen(Number(process.env.PORT), '127.0.0.1');
// Exits with its parent process.
process.once('disconnect', () => process.exit());
