import { createHash } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { serializeTools } from './serialize-tools.ts';

interface ToolPage {
  tools: readonly Tool[];
  /** Absent on the last page. */
  nextCursor?: string;
}

/** A tool list that clients read in pages. */
export interface ToolPages {
  /**
   * Returns the page after the cursor. Returns the first page if the cursor is undefined. Throws a
   * ProtocolError (-32602) for an unknown cursor.
   */
  after(cursor: string | undefined): ToolPage;
  /** SHA-256 of the whole list, in Base64. */
  digest(): string;
}

/** Number of tools in a page (contract decisions 8). */
const PAGE_LENGTH = 1000;

/**
 * Cuts a tool list into pages. A cursor names the last tool of its page, so that a client misses no
 * tools if others are added or removed between two pages.
 */
export function toolPages(tools: readonly Tool[]): ToolPages {
  const ready = new Map<number, ToolPage>();
  for (let start = 0; start === 0 || start < tools.length; start += PAGE_LENGTH) ready.set(start, pageFrom(tools, start));
  let digest: string | undefined;
  const positions = new Map(tools.length > PAGE_LENGTH ? tools.map(({ name }, index) => [cursorOf(name), index]) : []);
  return {
    after(cursor) {
      if (cursor === undefined) return ready.get(0)!;
      const position = positions.get(cursor);
      if (position === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor: list the tools again.');
      return ready.get(position + 1) ?? pageFrom(tools, position + 1);
    },
    digest() {
      digest ??= createHash('sha256').update(JSON.stringify(tools)).digest('base64');
      return digest;
    },
  };
}

function pageFrom(tools: readonly Tool[], start: number): ToolPage {
  const page = serializeTools(tools.slice(start, start + PAGE_LENGTH));
  const isLast = start + PAGE_LENGTH >= tools.length;
  return { tools: page, ...(!isLast && { nextCursor: cursorOf(page.at(-1)!.name) }) };
}

function cursorOf(name: string): string {
  return Buffer.from(name).toString('base64url');
}
