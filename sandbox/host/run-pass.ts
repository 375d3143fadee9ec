import { driveRunner, type RunnerLeft } from './drive-runner.ts';
import type { KeptRunners } from './kept-runners.ts';
import type { PassHost, PassRequest, PassResult } from './pass.ts';
import type { PrincipalRunner } from './principal-runner.ts';

type Host = PassHost | Promise<PassHost>;

/** Runs a pass (one execution of the code), twice if a kept runner ends before its first answer. */
export async function runPassIn(
  { kept, start }: { kept: KeptRunners; start: () => Promise<PrincipalRunner> },
  request: PassRequest,
  host: Host,
  signal: AbortSignal,
): Promise<PassResult> {
  const { principal, limits } = request;
  const known = await kept.take(principal, limits.memoryMb);
  if (!known) return (await runIn(await start(), kept, request, host, signal)).result;
  const startedAt = performance.now();
  const { result, left } = await runIn(known, kept, request, host, signal);
  const timeMs = limits.timeMs - (performance.now() - startedAt);
  if (left !== 'lost' || timeMs <= 0) return result;
  const rest = { ...request, limits: { wholeMs: limits.timeMs, ...limits, timeMs } };
  return (await runIn(await start(), kept, rest, host, signal)).result;
}

async function runIn(
  runner: PrincipalRunner,
  kept: KeptRunners,
  request: PassRequest,
  host: Host,
  signal: AbortSignal,
): Promise<{ result: PassResult; left: RunnerLeft }> {
  let left: RunnerLeft = 'broken';
  const release = (how: RunnerLeft) => {
    left = how;
    if (how === 'idle') kept.keep(runner);
    else runner.process.kill();
  };
  runner.passes += 1;
  const result = await driveRunner(runner.process, request, host, { signal, release });
  return { result, left };
}
