import { fileURLToPath } from 'node:url';

/** The module that names every workflow. */
export const WORKFLOWS_PATH = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/** Where a worker takes its workflows from: the bundle if there is one, else the sources, which it then bundles itself. */
export function workflowSource(bundle: string | undefined): { workflowBundle: { codePath: string } } | { workflowsPath: string } {
  return bundle ? { workflowBundle: { codePath: bundle } } : { workflowsPath: WORKFLOWS_PATH };
}
