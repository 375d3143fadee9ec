import { askTestBed as ask } from './ask-test-bed.ts';

export { cloneDatabase, temporalAddress, testEnvironment, timeSkippingServerPath, workflowBundlePath } from './ask-test-bed.ts';
export { type OwnSystem, QUICK_TO_TELL, startSystem } from './own-system.ts';

/** The running service that all tests share, and its dependencies. */
export type System = {
  apiUrl: string;
  databaseUrl: string;
  adminUrl: string;
  temporalAddress: string;
  temporalNamespace: string;
  taskQueue: string;
  secrets: { ENCRYPTION_KEYS: string; TOKEN_PEPPER: string };
};

/** Returns the shared system, which the first request starts. */
export async function system(): Promise<System> {
  const [{ apiUrl, databaseUrl }, { adminUrl }, { address }, env] = await Promise.all([
    ask('system'),
    ask('postgres'),
    ask('temporal'),
    ask('env'),
  ]);
  const { ENCRYPTION_KEYS, TOKEN_PEPPER, TEMPORAL_NAMESPACE, TEMPORAL_TASK_QUEUE } = env as Record<string, string>;
  return {
    apiUrl,
    databaseUrl,
    adminUrl,
    temporalAddress: address,
    temporalNamespace: TEMPORAL_NAMESPACE!,
    taskQueue: TEMPORAL_TASK_QUEUE!,
    secrets: { ENCRYPTION_KEYS: ENCRYPTION_KEYS!, TOKEN_PEPPER: TOKEN_PEPPER! },
  };
}
