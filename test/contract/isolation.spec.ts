import { expectRefusal } from '../support/expectations.js';
import { RunningServer } from '../support/server.js';
import { trespasses } from '../support/trespasses.js';
import { TwoOrganizations } from '../support/two-organizations.js';

describe('an organization', () => {
  let server: RunningServer;
  let both: TwoOrganizations;

  // One pair for all: every test sees to it that nothing has changed.
  beforeAll(async () => {
    server = await RunningServer.start();
    both = await TwoOrganizations.make(server);
  });
  afterAll(() => server.stop());

  it.each(trespasses)(
    'is refused another’s $what with $error, sees nothing of it and changes nothing: $method $path',
    async (trespass) => {
      const before = await both.stored();
      for (const record of [both.b.team, both.b.player, both.b.schedule]) expect(before.b).toContain(record._id);
      const answer = await both.send(trespass);
      expectRefusal(answer, trespass.error);
      both.expectNothingOfB(answer);
      expect(await both.stored()).toEqual(before);
    },
  );

  it.each(trespasses.filter(({ path }) => path.includes('<b.')))(
    'is refused the same with the id in capitals: $method $path',
    async (trespass) => {
      const path = trespass.path.replace(/<b\.\w+>/g, (name) => both.named(name).toUpperCase());
      const before = await both.stored();
      expectRefusal(await both.send({ ...trespass, path }), trespass.error);
      expect(await both.stored()).toEqual(before);
    },
  );
});
