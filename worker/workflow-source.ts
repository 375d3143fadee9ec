import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from '@temporalio/worker';

/** The module that names every workflow. */
export const WORKFLOWS_PATH = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/** The module by which workflows read what they are sent. */
export const PAYLOAD_CONVERTER_PATH = fileURLToPath(new URL('../workflows/payload-converter.ts', import.meta.url));

/** Where a worker takes its workflows from: the bundle if there is one, else the sources, which it then bundles itself. */
export function workflowSource(bundle: string | undefined): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'dataConverter'> {
  if (bundle) return { workflowBundle: { codePath: bundle } };
  return { workflowsPath: WORKFLOWS_PATH, dataConverter: { payloadConverterPath: PAYLOAD_CONVERTER_PATH } };
}
