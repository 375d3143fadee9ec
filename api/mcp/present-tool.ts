import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server';
import type { SurfaceTool } from '../../commands/surface-cache.ts';
import type { CatalogAction } from '../../integrations/catalog.ts';

/**
 * A tool as tools/list shows it. It has no outputSchema: a policy made after the listing may gate any call, and clients
 * refuse a result that breaks the schema they have read.
 */
export function presentTool({ name, action, tool, inputSchema }: SurfaceTool): Tool {
  const title = tool.displayName ?? action.displayName;
  return {
    name,
    title,
    description: tool.description ?? action.description,
    inputSchema: { type: 'object', ...inputSchema },
    annotations: { title, ...annotationsOf(action) },
  };
}

/** Hints from the action's category; what may overwrite or cannot be taken back counts as destructive. */
function annotationsOf({ category, idempotent }: CatalogAction): ToolAnnotations {
  const readOnlyHint = category === 'read';
  return { readOnlyHint, destructiveHint: !readOnlyHint && category !== 'send', idempotentHint: readOnlyHint || idempotent };
}
