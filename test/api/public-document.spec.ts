import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operations as publishedOperations } from '../support/operations.js';

const root = path.resolve(__dirname, '../..');

/** The errors of each public operation in addition to the common ones. */
const ownErrors = {
  listSeasons: [],
  listTeams: [],
  createTeam: [40003, 40302, 40404, 40902, 40905, 42201],
  bulkUpsertTeams: [],
  getTeamByExternalId: [40401],
  upsertTeam: [40302, 40401, 40404, 41201],
  getTeam: [40301],
  updateTeam: [40301, 40302, 40404, 40905, 41201],
  listPlayers: [40301],
  createPlayer: [40003, 40301, 40902, 40905, 42201],
  bulkUpsertPlayers: [40301],
  getPlayerByExternalId: [40301, 40403],
  upsertPlayer: [40301, 40403, 41201],
  getPlayer: [40301, 40403],
  updatePlayer: [40301, 40403, 40905, 41201],
  deletePlayer: [40301, 40403, 41201],
  listSchedules: [40301],
  createSchedule: [40002, 40003, 40301, 40902, 40905, 42201],
  bulkUpsertSchedules: [],
  getScheduleByExternalId: [40402],
  upsertSchedule: [40002, 40301, 40304, 40402, 41201],
  getSchedule: [40302, 40402],
  updateSchedule: [40301, 40302, 40304, 40402, 40905, 41201],
  deleteSchedule: [40301, 40302, 40304, 40402, 41201],
  getPlayerStatistics: [40301, 40302, 40402],
  listChanges: [41001],
  createWebhookEndpoint: [40906],
  listWebhookEndpoints: [],
  getWebhookEndpoint: [40408],
  updateWebhookEndpoint: [40408, 40907],
  deleteWebhookEndpoint: [40408],
  rotateWebhookSecret: [40408],
  testWebhookEndpoint: [40408, 40907],
  listDeliveries: [40408],
  retryDelivery: [40408, 40409, 40907],
};

describe('the public document', () => {
  const text = readFileSync(path.join(root, 'openapi/public.json'), 'utf8');

  it.each(Object.entries(ownErrors))('lists exactly the errors of %s', (id, own) => {
    const common = [40000, 40001, 40101, 40305, 40306, 41300, 41500, 42901, 42902, 50000, 50301, 50302];
    expect(publishedOperations.find((operation) => operation.id === id)?.errors).toEqual([...common, ...own].sort());
  });

  it('contains nothing of the admin API', () => {
    expect(
      Object.keys((JSON.parse(text) as OpenAPIObject).paths).filter((route) => !route.startsWith('/v1/public-api/')),
    ).toEqual([]);
    expect(text).not.toMatch(/secretHash|superAdmin|adminToken|password/i);
  });

  it('contains no internal field of a record', () => {
    expect(text).not.toMatch(/"(deletedAt|__v|idempotency|createdBy|statisticsWrittenAt)"/);
  });
});
