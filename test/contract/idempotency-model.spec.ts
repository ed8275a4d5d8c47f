import fc from 'fast-check';
import { sequences, settle } from '../support/idempotency-commands.js';
import { Model, type Real } from '../support/idempotency-model.js';
import { aPlace } from '../support/idempotent-creates.js';
import { MortalServer } from '../support/mortal-server.js';
import { RunningServer } from '../support/server.js';

fc.configureGlobal({ seed: 20270501 });

/** As many sequences as fit into that time are tried, and made shorter where one fails. */
const milliseconds = 20_000;

let steady: RunningServer;
let mortal: MortalServer;

beforeAll(async () => {
  steady = await RunningServer.start();
  mortal = await MortalServer.start(steady.databaseUri);
}, 60_000);

afterAll(async () => {
  await mortal.stop();
  await steady.stop();
});

it('whatever is created, repeated, changed, deleted and killed in whatever order, each key has one effect and one answer for 24 hours', async () => {
  const steps: string[] = [];
  const property = fc.asyncProperty(sequences(24), async (commands) => {
    const place = await aPlace(steady);
    const real: Real = { place, steady, mortal, steps };
    const model = new Model(place);
    await fc.asyncModelRun(() => ({ model, real }), commands);
    await settle(model, real);
  });
  await fc.assert(property, { numRuns: 1_000, interruptAfterTimeLimit: milliseconds });
  const crashes = steps.filter((step) => step.startsWith('crash')).length;
  process.stdout.write(`  ${steps.length} steps, ${crashes} crashes\n`);
  expect(steps.length).toBeGreaterThan(20);
}, 90_000);
