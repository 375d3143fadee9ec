import * as nodeModule from 'node:module';
import { join } from 'node:path';

/**
 * Loaded first (node --import). Plain JavaScript, so that a Node version that cannot read
 * TypeScript prints one clear sentence.
 */
const { node } = process.versions;
if (Number(node.split('.')[0]) < 24) {
  console.error(
    `Node ${node} is too old: 24 or later is needed. Run npm ci in this folder, which installs Node 24, then npm start, which uses it.`,
  );
  process.exit(1);
}

// The compile cache in node_modules makes later starts faster. A read-only folder turns it off.
nodeModule.enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'node'));
