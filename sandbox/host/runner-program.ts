import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

/** The parts of a runner process. The only file that it reads is the native addon. */
export interface RunnerProgram {
  /** `runner.ts` as JavaScript. */
  source: string;
  /**
   * The modules of `sandbox/isolate` as one JavaScript module, which compiles twice as fast as
   * separate modules.
   */
  bootstrap: string;
  addonPath: string;
}

/** Older versions let guest code reach its host (GHSA-864f-rcv7-6rh4). */
const ISOLATED_VM_MIN = [6, 2, 0] as const;

/** Reads the parts of a runner. Throws if isolated-vm or esbuild cannot be used. */
export function loadRunnerProgram(): RunnerProgram {
  const here = import.meta.dirname;
  return {
    source: toJavaScript(join(here, 'runner.ts')),
    bootstrap: bundle(join(here, '../isolate/bootstrap.ts')),
    addonPath: findAddon(),
  };
}

/**
 * Imports esbuild as a library, because the install script of esbuild may replace its command by a
 * binary.
 */
const BUNDLE = `
  const { buildSync } = await import(process.argv[1]);
  const options = { bundle: true, write: false, format: 'esm', target: 'esnext', minifyWhitespace: true, logLevel: 'silent' };
  process.stdout.write(buildSync({ entryPoints: [process.argv[2]], ...options }).outputFiles[0].text, () => process.exit());`;

function bundle(entry: string): string {
  const esbuild = import.meta.resolve('esbuild');
  try {
    // Does not pass on the environment, which holds secrets. With worker threads, esbuild would
    // leave a child process behind. In a container, no process reaps it.
    return execFileSync(process.execPath, ['--input-type=module', '--eval', BUNDLE, esbuild, entry], {
      ...{ env: { ESBUILD_WORKER_THREADS: '0' }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: BUNDLE_MAX_BYTES },
    });
  } catch (error) {
    throw new Error('esbuild could not bundle the modules of the sandbox. Run npm ci to install it again.', { cause: error });
  }
}

const BUNDLE_MAX_BYTES = 4 * 1024 * 1024;

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
  // Suppresses Node's experimental warning.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(readFileSync(path, 'utf8'));
  } finally {
    process.emitWarning = emitWarning;
  }
}
