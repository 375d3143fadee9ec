/** A process that runs programs for a test, as whatever user it was started: it is told what to run, and answers what became of it. */
import { openPrograms } from '../../sandbox/open-programs.ts';
import type { ProgramRequest } from '../../sandbox/program.ts';

export type HostOptions = Omit<Parameters<typeof openPrograms>[0], 'logger'>;
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
