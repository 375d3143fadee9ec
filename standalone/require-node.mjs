import * as nodeModule from 'node:module';
import { join } from 'node:path';

/**
 * Loaded first (node --import), as plain JavaScript: a Node version that cannot read the TypeScript
 * sources gets one clear sentence.
 */
const { node } = process.versions;
if (Number(node.split('.')[0]) < 24) {
  console.error(
    `Node ${node} is too old: 24 or later is needed. Run npm ci in this folder, which installs one, then npm start, which uses it.`,
  );
  process.exit(1);
}

// Node's compile cache, beside the packages: later starts are faster. Not used where the folder is
// read-only.
nodeModule.enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'node'));
