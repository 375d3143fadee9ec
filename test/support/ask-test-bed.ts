import { randomBytes } from 'node:crypto';
import { copyTemplate, dropDatabase } from './databases.ts';
import type { TestBed } from './test-bed.ts';

type Answer<Part extends keyof TestBed> = Awaited<ReturnType<TestBed[Part]>>;

/** Asks Jest's main process for a part of the test bed, which starts it if this is the first to ask. */
export async function askTestBed<Part extends keyof TestBed>(part: Part): Promise<Answer<Part>> {
  const answer = await fetch(`${process.env.TEST_BED_URL}/${part}`);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Answer<Part>;
}

/** Variables of the service that all its processes of this run have in common, its secrets among them. */
export function testEnvironment(): Promise<Record<string, string>> {
  return askTestBed('env');
}

/** A fresh, migrated database of one's own; starts no API, no worker and no Temporal. */
export async function cloneDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const { adminUrl } = await askTestBed('postgres');
  const name = `gateway_${randomBytes(6).toString('hex')}`;
  return { url: await copyTemplate(adminUrl, name), drop: () => dropDatabase(adminUrl, name) };
}

/** Address of the Temporal server that tests share; it keeps nothing on disk. */
export async function temporalAddress(): Promise<string> {
  return (await askTestBed('temporal')).address;
}

/** Path of Temporal's time-skipping test server, fetched when it is not on this machine. */
export async function timeSkippingServerPath(): Promise<string> {
  return (await askTestBed('timeSkippingServer')).path;
}

/** The workflows, bundled once for every worker of the run (WORKFLOW_BUNDLE). */
export async function workflowBundlePath(): Promise<string> {
  return (await askTestBed('workflowBundle')).path;
}
