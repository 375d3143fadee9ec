import { randomBytes } from 'node:crypto';
import { copyTemplate, dropDatabase } from './databases.ts';
import type { TestBed } from './test-bed.ts';

type Answer<Part extends keyof TestBed> = Awaited<ReturnType<TestBed[Part]>>;

/**
 * Requests a part of the test bed from Jest's main process. Throws if the calling test has no test
 * bed, or if the part does not start.
 */
export async function askTestBed<Part extends keyof TestBed>(part: Part): Promise<Answer<Part>> {
  const url = process.env.TEST_BED_URL;
  if (!url) throw new Error('A unit test has no test bed. Rename the test file to x.system.test.ts (see jest.config.js).');
  const answer = await fetch(`${url}/${part}`);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Answer<Part>;
}

/** Environment variables that all service processes of this test run share, secrets included. */
export function testEnvironment(): Promise<Record<string, string>> {
  return askTestBed('env');
}

/** Creates a migrated database for the caller. Starts no API, no worker and no Temporal server. */
export async function cloneDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const { adminUrl } = await askTestBed('postgres');
  const name = `gateway_${randomBytes(6).toString('hex')}`;
  return { url: await copyTemplate(adminUrl, name), drop: () => dropDatabase(adminUrl, name) };
}

/** Address of the shared Temporal server. */
export async function temporalAddress(): Promise<string> {
  return (await askTestBed('temporal')).address;
}

/** Path of Temporal's time-skipping test server, downloaded if it is missing. */
export async function timeSkippingServerPath(): Promise<string> {
  return (await askTestBed('timeSkippingServer')).path;
}

/** The path of the workflow bundle that all workers of the test run share (WORKFLOW_BUNDLE). */
export async function workflowBundlePath(): Promise<string> {
  return (await askTestBed('workflowBundle')).path;
}
