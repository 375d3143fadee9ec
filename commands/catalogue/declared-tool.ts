import type { SurfaceTool } from '../surfaces/surface-cache.ts';
import type { DeclaredAction } from './declarations.ts';

/** A tool as code calls it, without its preset inputs (specification 4.2). */
export function declaredTool({ action, tool, inputSchema }: SurfaceTool): DeclaredAction {
  const { name, outputSchema, dynamic = {} } = action;
  const refreshers = Object.entries(dynamic).map(([key, { refreshers }]) => [key, refreshers] as const);
  return { name, description: tool.description ?? action.description, inputSchema, outputSchema, dynamic: new Map(refreshers) };
}
