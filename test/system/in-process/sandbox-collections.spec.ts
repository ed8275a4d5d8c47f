import { resetModels } from '../../../src/modules/sandbox/sandbox.repository.js';
import { TestApplication } from '../../support/application.js';

/** What a reset keeps: settings, accounts, counts and the audit. */
const kept = ['ApiKey', 'AuditEvent', 'RequestCount', 'User', 'WebhookEndpoint'];

it('a reset deletes or keeps the records of every collection with organizations', async () => {
  const application = await TestApplication.start();
  const owned = application.connection.modelNames().filter((name) => {
    return 'organizationId' in application.connection.model(name).schema.paths;
  });
  await application.stop();
  expect([...new Set([...resetModels, ...kept])].sort()).toEqual(owned.sort());
});
