import type { ActionDocument, ProviderDocument } from '../declarative/document.ts';
import type { ActionSource } from '../definition.ts';

/** The kinds of documents and servers that can be imported (import contract 1). */
export type ImportKind = 'openapi' | 'mcp' | 'declarative';

/**
 * The result of an importer: a document of the declarative format, version 1. Its actions may also
 * describe their call as an OpenAPI `operation` or as an MCP `tool`. The document contains no
 * functions, so it can be stored, compared and sent to a thread.
 */
export interface ImportedIntegration extends Omit<ProviderDocument, 'actions' | 'verification' | 'setup'> {
  /** In the order of the document. Names are unique and match `^[a-z][a-z0-9_]{0,63}$`. */
  actions: readonly ImportedAction[];
}

/**
 * One action. Exactly one of `request`, `operation` and `tool` is set, and describes the call.
 * Schemas refer to `$defs` of the integration as `#/$defs/name`.
 */
export interface ImportedAction extends ActionDocument {
  name: string;
  /** Identifies the action in a refresh. */
  source: ActionSource;
  /** The source of the category, such as `method` or `annotations`. */
  categoryFrom: string;
  tool?: ToolCall;
}

/** A tool of the MCP server at `baseUrl`. `name`: the name that the server uses. */
interface ToolCall {
  name: string;
}
