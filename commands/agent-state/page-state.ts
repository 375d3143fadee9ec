import type { Db } from '../../infra/database.ts';
import type { PageState } from '../../integrations/agent-state.ts';
import { ActionError } from '../../integrations/definition.ts';
import type { StateOwner } from '../../store/kv-entries.ts';
import {
  appendToPage,
  deletePages,
  findPage,
  findPageInfo,
  listPages,
  measurePages,
  putPage,
  searchPages,
} from '../../store/scratchpad-pages.ts';
import { changeState } from './change-state.ts';

const PAGE_MAX_BYTES = 1024 * 1024;
const MAX_PAGES = 1000;
const ALL_MAX_BYTES = 8 * 1024 * 1024;
const SEARCH_MAX_PAGES = 20;
const EXCERPT_LENGTH = 300;

/** The scratchpad pages of one owner. Concurrent appends to one page are all applied. */
export function openPageState(db: Db, owner: StateOwner): PageState {
  const save = (name: string, content: string, store: typeof putPage, keepsEarlier: boolean) =>
    changeState(db, 'pages', owner, async (tx) => {
      const earlier = await findPageInfo(tx, owner, name);
      const kept = keepsEarlier && earlier ? earlier.sizeBytes : 0;
      if (kept + Buffer.byteLength(content) > PAGE_MAX_BYTES)
        throw new ActionError(`The page ${JSON.stringify(name)} would be too large: a page holds at most ${PAGE_MAX_BYTES} bytes.`);
      const page = await store(tx, owner, name, content);
      await assertRoom(tx, owner);
      return { ...page, created: earlier === undefined };
    });

  return {
    read: (name) => findPage(db, owner, name),
    write: (name, content) => save(name, content, putPage, false),
    append: (name, content) => save(name, content, appendToPage, true),
    list: () => listPages(db, owner),
    async search(words) {
      const pages = await searchPages(db, owner, { words, limit: SEARCH_MAX_PAGES + 1, excerptLength: EXCERPT_LENGTH });
      return { pages: pages.slice(0, SEARCH_MAX_PAGES), truncated: pages.length > SEARCH_MAX_PAGES };
    },
    delete: async (name) => (await deletePages(db, owner, name)) > 0,
    clear: () => deletePages(db, owner),
  };
}

async function assertRoom(tx: Db, owner: StateOwner): Promise<void> {
  const { count, sizeBytes } = await measurePages(tx, owner);
  if (count > MAX_PAGES) throw new ActionError(`The scratchpad is full: it holds at most ${MAX_PAGES} pages. Delete some first.`);
  if (sizeBytes > ALL_MAX_BYTES)
    throw new ActionError(`The scratchpad is full: it holds at most ${ALL_MAX_BYTES} bytes in all. Delete some pages first.`);
}
