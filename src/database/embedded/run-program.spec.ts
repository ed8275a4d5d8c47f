import { describeExit, runProgram } from './run-program.js';

const node = (program: string, limits: Parameters<typeof runProgram>[2]): ReturnType<typeof runProgram> =>
  runProgram(process.execPath, ['--eval', program], limits);

describe('running a program', () => {
  it('gives all it wrote, and passes it on while it runs', async () => {
    const seen: string[] = [];
    const end = await node('console.log("out"); console.error("err")', {
      timeoutMs: 10_000,
      onOutput: (text) => seen.push(text),
    });
    expect(end.ok).toBe(true);
    expect(seen.join('').split('\n').sort()).toEqual(['', 'err', 'out']);
    expect(end.output).toBe(seen.join(''));
  });

  it('answers for a program that is missing instead of throwing', async () => {
    expect(await runProgram('/nowhere/program', [], { timeoutMs: 1_000 })).toEqual({
      ok: false,
      output: '',
      reason: 'not found',
    });
  });

  it('ends a program that takes too long', async () => {
    const end = await node('console.log("begun"); setInterval(() => {}, 1000)', {
      timeoutMs: 1_000,
      firstOutputMs: 900,
    });
    expect(end).toEqual({ ok: false, output: 'begun\n', reason: 'not done within 1 s' });
  });

  it('ends a program that says nothing sooner than one that works', async () => {
    const end = await node('setInterval(() => {}, 1000)', { timeoutMs: 20_000, firstOutputMs: 600 });
    expect(end).toEqual({ ok: false, output: '', reason: 'no answer within 1 s' });
  });
});

describe('how a program ended', () => {
  it('is its exit code or signal, with the last line it wrote', () => {
    expect(describeExit(1, null, 'looking\nERROR: No matching distribution\n\n')).toBe(
      'exit code 1: ERROR: No matching distribution',
    );
    expect(describeExit(null, 'SIGILL', '')).toBe('ended by SIGILL');
  });
});
