import type { DeclaredAction } from './declarations.ts';
import type { SurfaceTool } from './surface-cache.ts';

/** A tool as code may call it: without what is preset for it (specification 4.2). */
export function declaredTool({ action, tool, inputSchema }: SurfaceTool): DeclaredAction {
  const { name, outputSchema, dynamic = {} } = action;
  const refreshers = Object.entries(dynamic).map(([key, { refreshers }]) => [key, refreshers] as const);
  return { name, description: tool.description ?? action.description, inputSchema, outputSchema, dynamic: new Map(refreshers) };
}
