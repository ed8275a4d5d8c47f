import { randomUUID } from 'node:crypto';
import { expectError } from '../support/expectations.js';
import { createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { ObjectId } from 'mongodb';
import { updateOrganization } from '../support/admins.js';

const server = RunningServer.forTests();

const creatorBody = (fields: object = {}) => ({
  name: 'Dana Reyes',
  email: `${randomUUID()}@example.com`,
  password: 'correct horse battery',
  ...fields,
});

const create = (body: object) => server.asSuperAdmin('post', '/organizations').send(body);
const list = (query: object) => server.asSuperAdmin('get', '/organizations').query(query);

/** Counts stored organizations with the name and users with the email. */
async function stored(name: string, email: string): Promise<{ organizations: number; users: number }> {
  const database = await server.database();
  return {
    organizations: await database.collection('organizations').countDocuments({ name }),
    users: await database.collection('users').countDocuments({ email }),
  };
}

describe('POST /organizations', () => {
  it('returns the organization with its creator, without the password', async () => {
    const creator = creatorBody();
    const response = await create({ name: 'Bay Area Flag Football', creator });

    expect(response.status).toBe(201);
    const { createdAt, ...rest } = response.body as { createdAt: string };
    expect(rest).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
      name: 'Bay Area Flag Football',
      creator: {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
        name: creator.name,
        email: creator.email,
      },
      isSandbox: false,
      disabled: false,
      revision: expect.any(Number) as number,
    });
    expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(60_000);
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('returns 40901 for an email that is taken, in any case, and creates no organization', async () => {
    const taken = (await createOrganization(server)).creator.email;
    const name = `Never created ${randomUUID()}`;
    expectError(await create({ name, creator: creatorBody({ email: taken.toUpperCase() }) }), 40901);
    expect(await stored(name, taken)).toEqual({ organizations: 0, users: 1 });
  });

  it('creates only one of concurrent organizations with the same email, and nothing of the others', async () => {
    for (let round = 0; round < 3; round++) {
      const creator = creatorBody();
      const name = `Created once ${randomUUID()}`;
      const responses = await Promise.all([
        create({ name, creator }),
        create({ name, creator }),
        create({ name, creator }),
      ]);

      expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
      for (const response of responses) if (response.status === 409) expectError(response, 40901);
      expect(await stored(name, creator.email)).toEqual({ organizations: 1, users: 1 });
    }
  });
});

describe('GET /organizations/{organizationId}', () => {
  const get = (id: string) => server.asSuperAdmin('get', `/organizations/${id}`);

  it('returns the organization with its creator as POST returned it, also while it is disabled', async () => {
    const created = (await create({ name: 'Hawks Club', creator: creatorBody() }).expect(201)).body as { _id: string };
    expect((await get(created._id).expect(200)).body).toEqual({ data: created });
    const disabled = await server.asSuperAdmin('patch', `/organizations/${created._id}`).send({ disabled: true });
    expect((await get(created._id.toUpperCase()).expect(200)).body).toEqual({ data: disabled.body as object });
  });
});

describe('GET /organizations', () => {
  it('searches for a part of the name in any case, with the exact total', async () => {
    const mark = randomUUID();
    const names = ['Süd ', 'süd ', 'North ', 'SÜDOST '].map((name) => `${name}${mark}`);
    for (const name of names) await create({ name, creator: creatorBody() }).expect(201);
    const found = async (query: object) => (await list(query).expect(200)).body as { data: { name: string }[] };
    const namesOf = async (search: string) => (await found({ search, limit: 100 })).data.map(({ name }) => name);

    expect(await namesOf(mark.toUpperCase())).toEqual(names);
    expect(await namesOf(` SÜD ${mark} `)).toEqual(names.slice(0, 2));
    expect(await namesOf(`ost ${mark.slice(0, 20)}`)).toEqual(names.slice(3));
    expect(await namesOf(`South ${mark}`)).toEqual([]);
    for (const form of ['sud', 'Süd'.normalize('NFD')])
      expect(await namesOf(`${form} ${mark}`)).toEqual(names.slice(0, 2));
    const written = [`D\u2019Angelo São ${mark}`, `D'Angelo ${'São'.normalize('NFD')} ${mark}`];
    for (const name of written) await create({ name, creator: creatorBody() }).expect(201);
    for (const text of ["d'angelo sao", 'D\u2019ANGELO SÃO']) expect(await namesOf(`${text} ${mark}`)).toEqual(written);
    const second = await found({ search: mark, limit: 3, page: 2 });
    expect(second).toMatchObject({ total: 6 });
    expect(second.data[0]).toMatchObject({ name: names[3] });
  });

  it.each(['.*', '(', '[a', '\\'])('searches for %j as it is written', async (special) => {
    const name = `${randomUUID()}${special}${randomUUID()}`;
    await create({ name, creator: creatorBody() }).expect(201);
    const { data } = (await list({ search: name, limit: 100 }).expect(200)).body as { data: { name: string }[] };
    expect(data.map((organization) => organization.name)).toEqual([name]);
    const all = (await list({ search: special, limit: 100 }).expect(200)).body as { data: { name: string }[] };
    expect(all.data.filter((organization) => !organization.name.toLowerCase().includes(special))).toEqual([]);
  });
});

const update = (id: string, body: object) => updateOrganization(server, id, body);

async function storedOrganization(id: string): Promise<Record<string, unknown> | null> {
  return (await server.database()).collection('organizations').findOne({ _id: new ObjectId(id) });
}

/** The organization as it is read. */
async function read(id: string): Promise<object> {
  const response = await server.asSuperAdmin('get', `/organizations/${id}`).expect(200);
  return (response.body as { data: object }).data;
}

describe('PATCH /organizations/{organizationId}', () => {
  it('renames an organization, also in the list', async () => {
    const { id, creator } = await createOrganization(server);
    const name = `Hawks Club ${randomUUID()}`;
    const response = await update(id, { name: `  ${name} ` });

    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      _id: id,
      name,
      isSandbox: false,
      revision: expect.any(Number) as number,
      creator: { _id: creator._id, name: creator.name, email: creator.email },
      disabled: false,
      createdAt: expect.stringMatching(/\.\d{3}Z$/) as string,
    });
    expect((await list({ search: name }).expect(200)).body).toEqual({ data: [response.body], total: 1 });
  });

  it('disables an organization now, once, and enabling it restores the previous response', async () => {
    const { id } = await createOrganization(server);
    const before = { ...(await read(id)), revision: expect.any(Number) as number };
    const begun = Date.now();
    const disabled = (await update(id, { disabled: true }).expect(200)).body as { disabledAt: string };

    expect(disabled).toEqual({ ...before, disabled: true, disabledAt: disabled.disabledAt });
    expect(disabled.disabledAt).toBe(new Date(disabled.disabledAt).toISOString());
    expect(Date.parse(disabled.disabledAt)).toBeGreaterThanOrEqual(begun);
    expect(Date.parse(disabled.disabledAt)).toBeLessThanOrEqual(Date.now());
    expect(await read(id)).toEqual(disabled);
    expect((await update(id, { disabled: true }).expect(200)).body).toEqual(disabled);

    expect((await update(id, { disabled: false }).expect(200)).body).toEqual(before);
    expect(await read(id)).toEqual(before);
    expect(await storedOrganization(id)).not.toHaveProperty('disabledAt');
  });

  it('changes nothing if no field gets another value', async () => {
    const { id } = await createOrganization(server, 'Bay Area Flag Football');
    const [before, readBefore] = [await storedOrganization(id), await read(id)];
    for (const body of [{}, { name: 'Bay Area Flag Football' }, { disabled: false }])
      expect((await update(id, body).expect(200)).body).toEqual(readBefore);
    expect(await storedOrganization(id)).toEqual(before);
  });

  it('applies two concurrent changes of different fields', async () => {
    for (let round = 0; round < 3; round++) {
      const { id } = await createOrganization(server);
      const name = `Renamed ${randomUUID()}`;
      await Promise.all([update(id, { name }).expect(200), update(id, { disabled: true }).expect(200)]);
      expect(await read(id)).toMatchObject({ name, disabled: true });
    }
  });
});
