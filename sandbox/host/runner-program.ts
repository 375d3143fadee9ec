import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join } from 'node:path';

/**
 * The parts of a runner process. They are passed as text, so the runner reads no file except the
 * native addon.
 */
export interface RunnerProgram {
  /** The source of `runner.ts` as JavaScript. */
  source: string;
  /** The isolate's modules by file name, as JavaScript. */
  modules: Record<string, string>;
  addonPath: string;
}

/** Older versions let guest code reach its host (GHSA-864f-rcv7-6rh4). */
const ISOLATED_VM_MIN = [6, 2, 0] as const;

/** External modules that the isolate's modules import. */
const SHARED = ['suggest-name.ts', 'nearest-name.ts', 'edit-distance.ts', 'word-stems.ts', 'word-synonyms.ts'];

/**
 * Reads and checks the parts of a runner. Throws if isolated-vm is older than 6.2.0 or not built
 * for this Node.
 */
export function loadRunnerProgram(): RunnerProgram {
  const here = import.meta.dirname;
  const isolate = join(here, '../isolate');
  const sharedFiles = SHARED.map((name) => join(here, '../../domain/search', name));
  const files = [...readdirSync(isolate).map((name) => join(isolate, name)), ...sharedFiles].filter((path) => path.endsWith('.ts'));
  return {
    source: toJavaScript(join(here, 'runner.ts')),
    modules: Object.fromEntries(files.map((path) => [basename(path), toJavaScript(path)])),
    addonPath: findAddon(),
  };
}

/** Throws if a version of isolated-vm is too old to confine guest code. */
export function assertSafeVersion(version: string): void {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  const difference = ISOLATED_VM_MIN.map((least, index) => (parts[index] ?? 0) - least).find((step) => step !== 0) ?? 0;
  if (!(difference >= 0))
    throw new Error(`Code Mode needs isolated-vm ${ISOLATED_VM_MIN.join('.')} or later, found ${version} (GHSA-864f-rcv7-6rh4)`);
}

function findAddon(): string {
  const manifestPath = createRequire(import.meta.url).resolve('isolated-vm/package.json');
  assertSafeVersion((JSON.parse(readFileSync(manifestPath, 'utf8')) as { version: string }).version);
  const findBuild = createRequire(manifestPath)('node-gyp-build') as { path(folder: string): string };
  return findBuild.path(dirname(manifestPath));
}

/** The text of a TypeScript file without its types. */
export function toJavaScript(path: string): string {
  const { emitWarning } = process;
  // Suppresses the experimental warning that Node prints for a direct call.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(readFileSync(path, 'utf8'));
  } finally {
    process.emitWarning = emitWarning;
  }
}
