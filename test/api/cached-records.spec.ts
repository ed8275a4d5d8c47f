import { ObjectId } from 'mongodb';
import { expectError } from '../support/expectations.js';
import { createOrganization, TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

describe('a cached season', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server);

  it('gets no new teams after it was moved to another organization or removed', async () => {
    const { _id: season } = await organization.season();
    for (let times = 0; times < 5; times++) await organization.team({ season });
    // An operator can do what no route does.
    const seasons = (await server.database()).collection('seasons');
    const _id = new ObjectId(season);
    const other = await createOrganization(server);
    await seasons.updateOne({ _id }, { $set: { organizationId: new ObjectId(other.id) } });
    const create = () => organization.call('post', '/teams').send({ name: 'Hawks', season });
    await eventuallyPasses(async () => void expectError(await create(), 40302));
    await seasons.deleteOne({ _id });
    await eventuallyPasses(async () => void expectError(await create(), 40404));
  });
});
