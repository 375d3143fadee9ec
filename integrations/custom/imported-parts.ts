import type { Imported } from './importer.ts';
import type { PackedAction } from './pack-integration.ts';

/** Some actions and shared schemas of an import, as one message between threads. */
export interface ImportedPart {
  kind: 'part';
  actions: readonly PackedAction[];
  definitions: readonly (readonly [hash: string, text: string])[];
}

/** Reading a longer message blocks the event loop for milliseconds. */
const PART_LENGTH = 256 * 1024;

/**
 * Sends the actions and shared schemas in parts, one after the other. Returns the rest of the
 * import, which is small.
 */
export async function sendParts(imported: Imported, send: (part: ImportedPart) => Promise<unknown>): Promise<Imported> {
  const { actions, definitions, ...rest } = imported.integration;
  for (const part of inParts(actions, ({ text }) => text.length)) await send({ kind: 'part', actions: part, definitions: [] });
  const texts = Object.entries(definitions);
  for (const part of inParts(texts, ([, text]) => text.length)) await send({ kind: 'part', actions: [], definitions: part });
  return { ...imported, integration: { ...rest, actions: [], definitions: {} } };
}

function* inParts<Item>(items: readonly Item[], lengthOf: (item: Item) => number): Generator<Item[]> {
  let part: Item[] = [];
  let length = 0;
  for (const item of items) {
    part.push(item);
    length += lengthOf(item);
    if (length < PART_LENGTH) continue;
    yield part;
    [part, length] = [[], 0];
  }
  if (part.length > 0) yield part;
}

/** Puts an import together from its parts. */
export class PartsOfImport {
  readonly #actions: PackedAction[] = [];
  readonly #definitions: Record<string, string> = {};

  add({ actions, definitions }: ImportedPart): void {
    this.#actions.push(...actions);
    for (const [hash, text] of definitions) this.#definitions[hash] = text;
  }

  join({ integration, ...rest }: Imported): Imported {
    return { ...rest, integration: { ...integration, actions: this.#actions, definitions: this.#definitions } };
  }
}
