import type { ActionDocument, ProviderDocument } from '../declarative/document.ts';
import type { ActionSource } from '../definition.ts';

/** What may be imported (import contract 1). */
export type ImportKind = 'openapi' | 'mcp' | 'declarative';

/**
 * The result of an importer: the declarative format, version 1, with actions that may be operations
 * or tools. It contains no functions, so it can be stored, compared and sent to a thread.
 */
export interface ImportedIntegration extends Omit<ProviderDocument, 'actions' | 'verification' | 'setup'> {
  /** In the order of the document. Names are unique: `^[a-z][a-z0-9_]{0,63}$`. */
  actions: readonly ImportedAction[];
}

/**
 * One action. Exactly one of `request`, `operation` and `tool` says how it is called. Schemas refer
 * to `$defs` of the integration as `#/$defs/name`.
 */
export interface ImportedAction extends ActionDocument {
  name: string;
  /** Identifies the action in a refresh. */
  source: ActionSource;
  /** What the category was derived from, such as `method` or `annotations`. */
  categoryFrom: string;
  tool?: ToolCall;
}

/** A tool of the MCP server at `baseUrl`, under its own name. */
interface ToolCall {
  name: string;
}
