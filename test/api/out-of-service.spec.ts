import { type Db, ObjectId } from 'mongodb';
import {
  callWithToken,
  createOrganizationAdmin,
  loginFrom,
  type TestAdmin,
  updateOrganization,
  updateUser,
} from '../support/admins.js';
import { expectError } from '../support/expectations.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { eventsWithoutSeasons, WebhookReceiver } from '../support/webhook-receiver.js';

const server = RunningServer.forTests();

/** An organization whose callers have all been let in. */
class Served {
  private constructor(
    private readonly database: Db,
    readonly organization: TestOrganization,
    readonly admin: TestAdmin,
    private readonly tokens: { readonly creator: string; readonly admin: string },
    private readonly cookie: string,
    private readonly calendar: string,
    private readonly team: Stored,
    private readonly endpoint: Stored,
    readonly receiver: WebhookReceiver,
  ) {}

  static async create(): Promise<Served> {
    const [organization, receiver] = [await createOrganization(server), await WebhookReceiver.start()];
    const admin = await createOrganizationAdmin(organization);
    const { creator } = organization;
    const login = await loginFrom(server, '127.0.0.1', admin.email, admin.password)
      .set('Sec-Fetch-Site', 'same-origin')
      .expect(200);
    const { accessToken } = login.body as { accessToken: string };
    const tokens = { admin: accessToken, creator: await server.login(creator.email, creator.password) };
    const cookie = String((login.headers['set-cookie'] as unknown as string[])[0]).split(';')[0] ?? '';
    const team = await organization.team();
    const link = await organization.call('post', `/teams/${team._id}/calendar-links`).send({}).expect(201);
    const calendar = new URL((link.body as { url: string }).url).pathname;
    const body = { url: receiver.url, events: eventsWithoutSeasons };
    const endpoint = (await organization.call('post', '/webhook-endpoints').send(body).expect(201)).body as Stored;
    const database = await server.database();
    return new Served(database, organization, admin, tokens, cookie, calendar, team, endpoint, receiver);
  }

  /** The statuses and errors of the callers. */
  async answers(): Promise<Record<string, number>> {
    const { creator } = this.organization;
    const logIn = ({ email, password }: { email: string; password: string }) =>
      loginFrom(server, '127.0.0.1', email, password);
    const sent = {
      key: this.organization.call('get', '/teams'),
      'login of the creator': logIn(creator),
      'login of an admin': logIn(this.admin),
      'token of the creator': callWithToken(server, this.tokens.creator, 'get', '/auth/me'),
      'token of an admin': callWithToken(server, this.tokens.admin, 'get', '/auth/me'),
      refresh: server.call('post', '/auth/refresh').set({ Cookie: this.cookie, 'Sec-Fetch-Site': 'same-origin' }),
      calendar: server.call('get', this.calendar),
    };
    const answers = Object.entries(sent).map(async ([caller, request]): Promise<[string, number]> => {
      const { status, body } = (await request) as { status: number; body: { error?: number } };
      return [caller, body.error ?? status];
    });
    return Object.fromEntries(await Promise.all(answers));
  }

  /** Changes the team on the database, as no key can, and returns how the endpoint gets the event. */
  async deliver(): Promise<'paused' | 'sent'> {
    const sentBefore = this.receiver.events.length;
    const $set = { pausedUntil: new Date(0), dueAt: new Date(1) };
    const _id = new ObjectId(this.endpoint._id);
    await this.database.collection('webhookEndpoints').updateOne({ _id }, { $set });
    const update = { $set: { name: `After ${sentBefore}` }, $inc: { revision: 1 } };
    await this.database.collection('teams').updateOne({ _id: new ObjectId(this.team._id) }, update);
    let outcome: 'paused' | 'sent' | undefined;
    await eventuallyPasses(async () => {
      const endpoint = await this.database.collection('webhookEndpoints').findOne({ _id });
      if (this.receiver.events.length > sentBefore) outcome = 'sent';
      else if ((endpoint?.['pausedUntil'] as Date) > new Date()) outcome = 'paused';
      expect(outcome).toBeDefined();
    });
    return outcome ?? 'sent';
  }

  remove(collection: 'organizations' | 'users', id: string) {
    return this.database.collection(collection).deleteOne({ _id: new ObjectId(id) });
  }
}

describe('an organization is out of service', () => {
  let served: Served;

  beforeEach(async () => {
    served = await Served.create();
  });
  afterEach(() => served.receiver.stop());

  const outOfService = {
    key: 40101,
    'login of the creator': 40102,
    'login of an admin': 40102,
    'token of the creator': 40102,
    'token of an admin': 40102,
    refresh: 40102,
    calendar: 40410,
  };
  const inService = Object.fromEntries(Object.keys(outOfService).map((caller) => [caller, 200]));

  const expectOutOfService = async () => {
    // Changes on the database itself take a moment to reach cached keys; failed logins are limited.
    await eventuallyPasses(async () => expect((await served.organization.call('get', '/teams')).status).toBe(401));
    expect(await served.answers()).toEqual(outOfService);
    expect(await served.deliver()).toBe('paused');
  };

  it('only if it or its creator is disabled or missing', async () => {
    await updateUser(server, served.admin._id, { name: 'Sam Reyes' }).expect(200);
    expect(await served.answers()).toEqual(inService);
    expect(await served.deliver()).toBe('sent');
  });

  it('while it is disabled, and everything works again afterwards', async () => {
    await updateOrganization(server, served.organization.id, { disabled: true }).expect(200);
    await expectOutOfService();
    await updateOrganization(server, served.organization.id, { disabled: false }).expect(200);
    expect(await served.answers()).toEqual(inService);
    expect(await served.deliver()).toBe('sent');
  });

  it("while its creator is disabled; only the creator's tokens end for good", async () => {
    const { _id } = served.organization.creator;
    await updateUser(server, _id, { disabled: true }).expect(200);
    await expectOutOfService();
    const logIn = (password: string) => loginFrom(server, '127.0.0.1', served.admin.email, password);
    const { message } = expectError(await logIn('not the password'), 40102);
    expect(expectError(await logIn(served.admin.password), 40102).message).toBe(message);
    await updateUser(server, _id, { disabled: false }).expect(200);
    expect(await served.answers()).toEqual({ ...inService, 'token of the creator': 40102 });
    expect(await served.deliver()).toBe('sent');
  });

  it('if its creator is missing', async () => {
    await served.remove('users', served.organization.creator._id);
    await expectOutOfService();
  });

  it('if it is missing', async () => {
    await served.remove('organizations', served.organization.id);
    await expectOutOfService();
  });
});
