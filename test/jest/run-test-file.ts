import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { JestEnvironment } from '@jest/environment';

const require = createRequire(import.meta.url);
const GLOBALS = new URL('./globals.ts', import.meta.url).href;

interface Runtime {
  requireModule(path: string): unknown;
  setGlobalsForRuntime(globals: object): void;
  enterTestCode(): void;
  leaveTestCode(): void;
}

type RunCircus = (
  globalConfig: unknown,
  config: unknown,
  environment: JestEnvironment,
  runtime: object,
  testPath: string,
  sendMessage: unknown,
) => Promise<unknown>;
const runCircus: RunCircus = require('jest-circus/runner').default;

// Each test file has its own globals, so each file gets a separate module.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: `${GLOBALS}?of=${encodeURIComponent(context.parentURL ?? '')}`, shortCircuit: true }
      : next(specifier, context),
});

/**
 * Jest's `testRunner`: jest-circus with modules that Node loads, so a worker process loads the
 * service once. Test files share module state, and `jest.mock` does not exist.
 */
export default function runTestFile(
  globalConfig: unknown,
  config: unknown,
  environment: JestEnvironment,
  runtime: Runtime,
  testPath: string,
  sendMessage: unknown,
): Promise<unknown> {
  Object.assign(environment.global, { jest: jestObject(environment) });
  const native = {
    requireModule: (path: string) => runtime.requireModule(path),
    requireInternalModule: requireAnew,
    setGlobalsForRuntime: (globals: object) => runtime.setGlobalsForRuntime(globals),
    enterTestCode: () => runtime.enterTestCode(),
    leaveTestCode: () => runtime.leaveTestCode(),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path: string) => import(pathToFileURL(path).href),
  };
  return runCircus(globalConfig, config, environment, native, testPath, sendMessage);
}

/** jest-circus creates its state when it is evaluated, so each test file evaluates it again. */
function requireAnew(path: string): unknown {
  delete require.cache[path];
  return require(path);
}

function jestObject({ moduleMocker, fakeTimersModern }: JestEnvironment) {
  const [mocker, timers] = [moduleMocker!, fakeTimersModern!];
  return {
    spyOn: mocker.spyOn.bind(mocker),
    restoreAllMocks: () => mocker.restoreAllMocks(),
    useFakeTimers: timers.useFakeTimers.bind(timers),
    useRealTimers: timers.useRealTimers.bind(timers),
    advanceTimersByTimeAsync: timers.advanceTimersByTimeAsync.bind(timers),
  };
}
