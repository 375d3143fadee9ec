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

/** What is preset for a call: callers override the defaults, nobody the enforced values. */
export interface Presets {
  defaults: Readonly<Record<string, unknown>>;
  enforced: Readonly<Record<string, unknown>>;
}

/** What a partial may be applied to. */
export interface PartialTarget {
  integrationName: string;
  workspaceIntegrationId: string | null;
  actionName: string;
}

/** True when the partial is for this integration and, where it says so, for this instance and this action. */
export function fitsTarget(partial: InputPartial, target: PartialTarget): boolean {
  return (
    partial.integrationName === target.integrationName &&
    partial.triggerName === null &&
    (partial.workspaceIntegrationId === null || partial.workspaceIntegrationId === target.workspaceIntegrationId) &&
    (partial.actionName === null || partial.actionName === target.actionName)
  );
}

/** The default partials of a target, the general ones before the specific ones, which win over them. */
export function defaultPartials(partials: readonly InputPartial[], target: PartialTarget): InputPartial[] {
  return partials.filter((partial) => partial.isDefault && fitsTarget(partial, target)).sort((a, b) => specificity(a) - specificity(b));
}

function specificity({ workspaceIntegrationId, actionName }: InputPartial): number {
  return (workspaceIntegrationId ? 1 : 0) + (actionName ? 2 : 0);
}

/** What partials preset together, on top of what a tool presets; a later partial wins over an earlier one. */
export function presetsOf(partials: readonly InputPartial[], toolDefaults: Readonly<Record<string, unknown>> | null = null): Presets {
  const isEnforced = (partial: InputPartial, key: string) => partial.enforcedKeys.includes(key);
  const entries = partials.flatMap((partial) =>
    Object.entries(partial.values).map(([key, value]) => ({ key, value, enforced: isEnforced(partial, key) })),
  );
  const pick = (enforced: boolean) =>
    Object.fromEntries(entries.filter((e) => e.enforced === enforced).map(({ key, value }) => [key, value]));
  return { defaults: { ...toolDefaults, ...pick(false) }, enforced: pick(true) };
}
