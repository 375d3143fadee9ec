import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workflowBundlePath } from '../support/system.ts';
import { HISTORIES, recordMissingHistories } from './record-histories.ts';

const SCRIPT = `
  const { readFileSync } = await import('node:fs');
  const { Runtime, Worker } = await import('@temporalio/worker');
  const [bundle, ...files] = process.argv.slice(1);
  Runtime.install({ logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} }, telemetryOptions: { logging: { filter: 'OFF', forward: {} } } });
  const failed = [];
  for (const file of files)
    await Worker.runReplayHistory({ workflowBundle: { codePath: bundle } }, JSON.parse(readFileSync(file, 'utf8')), 'replayed').catch((error) =>
      failed.push(file + ': ' + error.message),
    );
  process.stdout.write(JSON.stringify({ replayed: files.length, failed }));
`;

test('every recorded history replays with the current workflows', async () => {
  await recordMissingHistories();
  const files = readdirSync(HISTORIES).map((name) => join(HISTORIES, name));
  const args = ['--input-type=module', '-e', SCRIPT, await workflowBundlePath(), ...files];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual({ replayed: files.length, failed: [] });
  expect(files.length).toBeGreaterThanOrEqual(12);
});
