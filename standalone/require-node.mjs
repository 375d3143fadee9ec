import * as nodeModule from 'node:module';
import { join } from 'node:path';

/**
 * Loaded before everything else (node --import), as plain JavaScript: a Node too old to read the TypeScript sources
 * says so in one sentence instead of failing on the first of them.
 */
const { node } = process.versions;
if (Number(node.split('.')[0]) < 24) {
  console.error(
    `Node ${node} is too old: 24 or later is needed. Run npm ci in this folder, which installs one, then npm start, which uses it.`,
  );
  process.exit(1);
}

// What Node has compiled is kept beside the packages: the next start is faster and smaller. Where that cannot be written, nothing is kept.
nodeModule.enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'node'));
