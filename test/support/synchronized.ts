import { randomUUID } from 'node:crypto';
import type request from 'supertest';
import type { Stored, TestOrganization } from './organization.js';

type Body = Record<string, unknown>;

/** The records of one kind that an organization synchronizes, with the requests that all kinds have in common. */
export interface SynchronizedRecords {
  readonly organization: TestOrganization;
  /** The path of the list. */
  readonly path: string;
  /** A body that creates a record. */
  readonly body: Body;
  /** A field that an update can change. */
  readonly field: string;
  readonly notFound: number;
  /** Creates a record with a POST. */
  create(fields?: Body): request.Test;
  /** Creates or updates a record by its external ID. */
  upsert(externalId: string, fields?: Body, query?: string): request.Test;
  bulk(rows: unknown, options?: Body): request.Test;
  read(path: string): request.Test;
  remove(externalId: string): request.Test;
  /** Changes a record by its ID. */
  patch(record: Stored, fields: Body): request.Test;
}

const kinds = {
  team: async (organization: TestOrganization) => {
    const season = await organization.season();
    return { path: '/teams', body: { name: 'Hawks', season: season._id }, field: 'name', notFound: 40401, extra: {} };
  },
  player: async (organization: TestOrganization) => {
    const team = await organization.team();
    const path = `/teams/${team._id}/players`;
    return { path, body: { name: 'Jordan Lee' }, field: 'name', notFound: 40403, extra: {} };
  },
  schedule: async (organization: TestOrganization) => {
    const teamId = (await organization.team())._id;
    const body = { teamId, startDate: '2027-05-01T10:00:00Z', teamTwoName: 'Foxes' };
    return { path: '/schedules', body, field: 'teamTwoName', notFound: 40402, extra: { teamId } };
  },
};

export type Kind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as Kind[];

/** Prepares an organization for records of a kind, with the parents that they need. */
export async function synchronizedRecords(kind: Kind, organization: TestOrganization): Promise<SynchronizedRecords> {
  const { path, body, field, notFound, extra } = await kinds[kind](organization);
  return {
    ...{ organization, path, body, field, notFound },
    create: (fields = {}) =>
      organization
        .call('post', path)
        .set('idem-key', randomUUID())
        .send({ ...body, ...fields }),
    upsert: (externalId, fields = {}, query = '') =>
      organization.call('patch', `${path}/by-external-id/${encodeURIComponent(externalId)}${query}`).send(fields),
    bulk: (rows, options = {}) => organization.call('post', `${path}/bulk`).send({ rows, ...options }),
    remove: (externalId) => organization.call('delete', `${path}/by-external-id/${externalId}`),
    read: (below) => organization.call('get', `${path}${below}`),
    patch: (record, fields) => organization.call('patch', `${path}/${record._id}`).send({ ...extra, ...fields }),
  };
}
