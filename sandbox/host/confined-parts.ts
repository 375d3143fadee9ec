import { LAUNCHER_FORMAT, launcherFile } from '../launcher/launcher.ts';
import type { Confinement } from './confinement.ts';
import { takeRunUser } from './run-users.ts';
import { type RunnerFiles, runnerFiles } from './runner-files.ts';

/** What is needed to start a runner under a confinement. */
export interface ConfinedParts {
  isRoot: boolean;
  ownUser: number | undefined;
  files: RunnerFiles | undefined;
  launcher: string | undefined;
}

/** Collects the parts that a confinement needs. Rejects if one is missing. */
export async function confinedParts({ hasOwnRoot, hasCallFilter, user }: Confinement, addonPath: string): Promise<ConfinedParts> {
  if (hasCallFilter && LAUNCHER_FORMAT === '') throw new Error('there is no launcher for this kind of machine');
  const launcher = hasCallFilter && !hasOwnRoot ? await launcherFile() : undefined;
  if (hasCallFilter && !hasOwnRoot && !launcher) throw new Error('the launcher cannot be started from any temporary folder');
  return {
    isRoot: process.getuid?.() === 0,
    ownUser: user === 'own' ? takeRunUser() : undefined,
    files: hasOwnRoot ? await runnerFiles(addonPath) : undefined,
    launcher,
  };
}
