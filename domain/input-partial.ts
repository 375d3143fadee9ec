/** Preset inputs for the actions of an integration (decisions section 2, Partials). */
export interface InputPartial {
  id: string;
  orgId: string;
  workspaceId: string;
  integrationName: string;
  /** Null: for every configured instance of the integration. */
  workspaceIntegrationId: string | null;
  /** At most one of these is set; neither: for the whole integration. */
  actionName: string | null;
  triggerName: string | null;
  name: string;
  description: string | null;
  values: Record<string, unknown>;
  /** Keys of `values` that no caller can override. */
  enforcedKeys: string[];
  /** Applies where a call or a tool names no partials. */
  isDefault: boolean;
  createdAt: Date;
  updatedAt: Date;
}
