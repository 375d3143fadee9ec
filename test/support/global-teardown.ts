/** Stops every process that the test bed started, and removes the test bed's folder. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.closeTestBed?.();
}
