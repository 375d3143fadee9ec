import { renameSync, writeFileSync } from 'node:fs';
import { bundleWorkflowCode } from '@temporalio/worker';
import { PAYLOAD_CONVERTER_PATH, WORKFLOWS_PATH } from './workflow-source.ts';

/**
 * `node worker/bundle-workflows.ts FILE` bundles the workflows into FILE, for a worker with
 * WORKFLOW_BUNDLE=FILE.
 */
const file = process.argv[2];
if (!file) {
  console.error('Say which file to write: node worker/bundle-workflows.ts FILE');
  process.exit(1);
}
const { code } = await bundleWorkflowCode({ workflowsPath: WORKFLOWS_PATH, payloadConverterPath: PAYLOAD_CONVERTER_PATH });
writeFileSync(`${file}.new`, withoutSources(code));
renameSync(`${file}.new`, file);

/**
 * Drops the sources from the source map, because a worker holds the map in memory more than once.
 */
function withoutSources(bundle: string): string {
  const start = bundle.lastIndexOf('base64,') + 'base64,'.length;
  const { sourcesContent: _, ...map } = JSON.parse(Buffer.from(bundle.slice(start).trimEnd(), 'base64').toString('utf8'));
  return `${bundle.slice(0, start)}${Buffer.from(JSON.stringify(map)).toString('base64')}\n`;
}
