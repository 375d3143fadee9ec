import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from '@temporalio/worker';

/** The module that exports every workflow. */
export const WORKFLOWS_PATH = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/** The payload converter of the workflows. */
export const PAYLOAD_CONVERTER_PATH = fileURLToPath(new URL('../workflows/payload-converter.ts', import.meta.url));

/**
 * Returns worker options that name the workflows: the given bundle, or else the sources. A worker
 * bundles the sources when it starts.
 */
export function workflowSource(bundle: string | undefined): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'dataConverter'> {
  if (bundle) return { workflowBundle: { codePath: bundle } };
  return { workflowsPath: WORKFLOWS_PATH, dataConverter: { payloadConverterPath: PAYLOAD_CONVERTER_PATH } };
}
