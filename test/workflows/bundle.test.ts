import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const SCRIPT = `
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error: console.error, log() {} };
  const { code } = await bundleWorkflowCode({ workflowsPath: process.argv[1], logger: quiet });
  process.stdout.write([code.length, code.includes('approvalWorkflow'), code.includes('codeRunWorkflow')].join(' '));
`;

test('the workflows bundle without forbidden modules', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    SCRIPT,
    `${import.meta.dirname}/../../workflows/index.ts`,
  ]);
  expect(stdout).toMatch(/^\d+ true true$/);
});
