/** Stops everything that the tests of this run have started, and removes its folder. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.closeTestBed?.();
}
