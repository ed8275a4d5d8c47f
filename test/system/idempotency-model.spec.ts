import fc from 'fast-check';
import { sequences, settle } from '../support/idempotency-commands.js';
import { Model, type Real } from '../support/idempotency-model.js';
import { createTeamFixture } from '../support/idempotent-creates.js';
import { CrashableServer } from '../support/crashable-server.js';
import { RunningServer } from '../support/server.js';

fc.configureGlobal({ seed: 20270501 });

/** Tests as many sequences as fit into this time, but at least this many; shrinks a failing one for as long again. */
const milliseconds = 15_000;
const fewest = 3;

const stable = RunningServer.forTests({});
const crashable = CrashableServer.forTests(stable);

it('each key has one effect and one response for 24 hours in any order of creates, repeats, changes, deletions and crashes', async () => {
  const steps: string[] = [];
  let deadline = performance.now() + milliseconds;
  let [tried, failed] = [0, false];
  const property = fc.asyncProperty(sequences(24), async (commands) => {
    // Not interrupted, because it would continue with stopped servers.
    if (performance.now() > deadline && (failed || tried >= fewest)) return;
    tried++;
    const place = await createTeamFixture(stable);
    const real: Real = { place, stable, crashable, steps };
    const model = new Model(place);
    try {
      await fc.asyncModelRun(() => ({ model, real }), commands);
      await settle(model, real);
    } catch (error) {
      if (!failed) deadline = performance.now() + milliseconds;
      failed = true;
      throw error;
    }
  });
  await fc.assert(property, { numRuns: 200 });
  const crashes = steps.filter((step) => step.startsWith('crash')).length;
  process.stdout.write(`  ${tried} sequences, ${steps.length} steps, ${crashes} crashes\n`);
  expect(steps.length).toBeGreaterThan(0);
  // A fixed seed, because few sequences have one.
  expect(crashes).toBeGreaterThan(0);
}, 120_000);
