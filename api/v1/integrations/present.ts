import { createHash, type Hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { breathe } from '../../../infra/event-loop/breathe.ts';
import type { Catalog } from '../../../integrations/catalog.ts';
import { describeIntegration, summarizeIntegration } from '../../../integrations/describe.ts';

/** JSON text, and its ETag without quotes. */
export interface TaggedText {
  text: string;
  tag: string;
}

/** The built-in catalogue as JSON, complete or summarized. */
export interface CatalogText {
  total: number;
  list: TaggedText;
  byName: ReadonlyMap<string, TaggedText>;
}

const KEPT = new WeakMap<Catalog, Map<boolean, Promise<CatalogText>>>();

/**
 * Returns the texts of a catalogue. The first call in a process reads the files of all
 * integrations.
 */
export function catalogText(catalog: Catalog, summary: boolean): Promise<CatalogText> {
  const texts = KEPT.get(catalog) ?? new Map<boolean, Promise<CatalogText>>();
  KEPT.set(catalog, texts);
  const text = texts.get(summary) ?? write(catalog, summary);
  texts.set(summary, text);
  return text;
}

/** Returns the catalogue without the integrations of these names. */
export function without(names: ReadonlySet<string>, catalog: CatalogText): Pick<CatalogText, 'list' | 'total'> {
  if (names.size === 0) return catalog;
  const left = [...catalog.byName].filter(([name]) => !names.has(name)).map(([, { text }]) => text);
  return { total: left.length, list: tagged(`[${left.join(',')}]`) };
}

/** An ETag without quotes. */
export function tagOf(text: string): string {
  return shortDigest(createHash('sha256').update(text));
}

/** Like `tagOf`, for a text in pieces. */
export async function tagOfPieces(pieces: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const piece of pieces) {
    hash.update(piece);
    await breathe();
  }
  return shortDigest(hash);
}

function shortDigest(hash: Hash): string {
  return hash.digest('base64url').slice(0, 22);
}

async function write(catalog: Catalog, summary: boolean): Promise<CatalogText> {
  const describe = summary ? summarizeIntegration : describeIntegration;
  const byName = new Map<string, TaggedText>();
  for (const entry of catalog.list()) {
    byName.set(entry.name, tagged(JSON.stringify(describe(entry))));
    await nextTurn();
  }
  const list = tagged(`[${[...byName.values()].map(({ text }) => text).join(',')}]`);
  return { total: byName.size, list, byName };
}

function tagged(text: string): TaggedText {
  return { text, tag: tagOf(text) };
}
