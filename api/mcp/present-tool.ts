import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server';
import type { SurfaceTool } from '../../commands/surfaces/surface-cache.ts';
import type { CatalogAction } from '../../integrations/catalog.ts';
import { publicSchema } from '../../integrations/public-schema.ts';

/**
 * Presents an action in tools/list. Sets no outputSchema, because clients refuse a result that does
 * not match, such as a required approval (decision record 5).
 */
export function presentTool({ name, action, tool, inputSchema }: SurfaceTool): Tool {
  const title = tool.displayName ?? action.displayName;
  const { dialect } = action.input;
  return {
    name,
    title,
    description: tool.description ?? action.description,
    inputSchema: { ...(dialect && { $schema: dialect }), type: 'object', ...publicSchema(inputSchema) },
    annotations: { title, ...annotationsOf(action) },
  };
}

function annotationsOf({ category, idempotent }: CatalogAction): ToolAnnotations {
  const readOnlyHint = category === 'read';
  return { readOnlyHint, destructiveHint: !readOnlyHint && category !== 'send', idempotentHint: readOnlyHint || idempotent };
}
