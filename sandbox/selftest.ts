import { type Confinement, confinementsFor } from './host/confinement.ts';
import { launchRunner } from './host/launch-runner.ts';
import { openSandbox } from './host/open-sandbox.ts';
import { loadRunnerProgram, type RunnerProgram } from './host/runner-program.ts';
import { PROMISES } from './selftest/probe-reuse.ts';
import { type Row, tryConfinements } from './selftest/try-confinements.ts';

/**
 * node sandbox/selftest.ts [--brief]: tests which confinements of code hold on this machine. Exit
 * code 0: all hold. 1: some are missing. 2: Code Mode cannot run.
 * `--brief` only starts a runner and lists the missing confinements.
 */
const MEMORY_MB = 128;

process.exitCode = await selftest().catch((error: Error) => {
  console.error(`Code Mode cannot run on this machine: ${error.message}${error.cause ? `: ${(error.cause as Error).message}` : ''}`);
  return 2;
});

async function selftest(): Promise<number> {
  const program = loadRunnerProgram();
  const silent = () => {};
  const sandbox = openSandbox({ logger: { warn: silent, error: silent }, memoryMb: MEMORY_MB });
  try {
    const { missing, ...confinement } = await sandbox.describeConfinement();
    if (process.argv.includes('--brief')) {
      for (const what of missing) console.log(what);
      return missing.length === 0 ? 0 : 1;
    }
    const rows = await tryConfinements(sandbox, { confinement, program, memoryMb: MEMORY_MB });
    show(rows);
    await explainTighterConfinements(program, confinement);
    return rows.every(({ holds }) => holds) ? 0 : 1;
  } finally {
    await sandbox.close();
  }
}

function show(rows: Row[]): void {
  const width = Math.max(...rows.map(({ confinement }) => confinement.length));
  for (const { confinement, holds, detail } of rows)
    console.log(`${confinement.padEnd(width)}  ${holds ? 'holds  ' : 'MISSING'}  ${detail.replaceAll('\n', ' ').slice(0, 100)}`);
  const missing = rows.filter(({ holds }) => !holds);
  if (missing.length === 0) console.log('\nAll of them hold: every attempt to break out was refused.');
  for (const { confinement, missing: means, remedy } of missing)
    console.log(`\nMissing: ${confinement}\n  Without it: ${means}.\n  How to get it: ${remedy}`);
  for (const [setting, promise] of Object.entries(PROMISES)) console.log(`\nSANDBOX_REUSE=${setting}: ${promise}`);
}

async function explainTighterConfinements(program: RunnerProgram, used: Confinement): Promise<void> {
  const candidates = confinementsFor(process.platform, process.getuid?.() === 0);
  const tighter = candidates.slice(
    0,
    candidates.findIndex((one) => JSON.stringify(one) === JSON.stringify(used)),
  );
  for (const confinement of tighter) {
    const problem = await launchRunner({ program, confinement, memoryMb: MEMORY_MB }).then(
      (runner) => void runner.kill(),
      (error: Error) => error.message,
    );
    if (problem) console.log(`\nTried ${JSON.stringify(confinement)}:\n  ${problem.trim().slice(0, 300)}`);
  }
}
