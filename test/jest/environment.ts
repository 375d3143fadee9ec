import type { EnvironmentContext, JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * Jest's environment without a VM context: tests run in Node's own context. In the project `unit`,
 * a test file that requests Postgres, Temporal or the running service fails.
 */
export default class PlainEnvironment implements JestEnvironment {
  readonly global = globalThis as unknown as JestEnvironment['global'];
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  private readonly replaced = { console: globalThis.console, exit: process.exit, bed: process.env.TEST_BED_URL };

  constructor({ projectConfig }: JestEnvironmentConfig, _context: EnvironmentContext) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    if (projectConfig.displayName?.name === 'unit') delete process.env.TEST_BED_URL;
  }

  async setup(): Promise<void> {}

  /** Restores what tests may replace, because the worker process runs further test files. */
  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    globalThis.console = this.replaced.console;
    process.exit = this.replaced.exit;
    if (this.replaced.bed !== undefined) process.env.TEST_BED_URL = this.replaced.bed;
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): null {
    return null;
  }
}
