import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnerFiles } from '../../../sandbox/host/runner-files.ts';

(process.platform === 'linux' ? test : test.skip)('a failed search for the files of a runner is repeated', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runner-files-'));
  const addon = join(folder, 'addon.node');
  await expect(runnerFiles(addon)).rejects.toThrow();
  copyFileSync('/bin/true', addon);
  expect((await runnerFiles(addon)).all).toContain(addon);
  rmSync(folder, { recursive: true });
});
