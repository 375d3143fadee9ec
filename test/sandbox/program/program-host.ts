/** Runs programs for a test, as the user of this process. */
import { openPrograms } from '../../../sandbox/program/open-programs.ts';
import type { ProgramRequest } from '../../../sandbox/program/program.ts';

/** How to open the programs under test. */
export type HostOptions = Omit<Parameters<typeof openPrograms>[0], 'logger'>;
/** `options` opens the host of programs, and `request` runs one. The answer names the cage. */
export type HostQuestion = { id: number; options?: HostOptions; request?: ProgramRequest; cancelAfterMs?: number };

const warnings: string[] = [];
const logger = { error: () => {}, warn: (_fields: object, message: string) => void warnings.push(message) };
let programs: ReturnType<typeof openPrograms> | undefined;

process.on('message', async ({ id, options, request, cancelAfterMs }: HostQuestion) => {
  if (options) programs = openPrograms({ ...options, logger });
  const cancel = new AbortController();
  if (cancelAfterMs !== undefined) setTimeout(() => cancel.abort(), cancelAfterMs);
  const result = request ? await programs!.run(request, cancel.signal) : undefined;
  process.send!({ id, cage: await programs!.cage(), warnings, result });
});
process.on('disconnect', () => void programs?.close().then(() => process.exit(0)));
