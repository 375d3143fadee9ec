import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from '@temporalio/worker';

/** The module that exports every workflow. */
export const WORKFLOWS_PATH = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/** The payload converter of the workflows. */
export const PAYLOAD_CONVERTER_PATH = fileURLToPath(new URL('../workflows/payload-converter.ts', import.meta.url));

/** Worker options for the given bundle of workflows, or else for their sources. */
export function workflowSource(bundle: string | undefined): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'dataConverter'> {
  if (bundle) return { workflowBundle: { codePath: bundle } };
  return { workflowsPath: WORKFLOWS_PATH, dataConverter: { payloadConverterPath: PAYLOAD_CONVERTER_PATH } };
}
