/** Preset inputs for the actions of an integration (contract decisions 2, Partials). */
export interface InputPartial {
  id: string;
  orgId: string;
  workspaceId: string;
  integrationName: string;
  /** Null: every instance of the integration. */
  workspaceIntegrationId: string | null;
  /**
   * At most one of `actionName` and `triggerName` is set. If both are null, the partial applies to
   * every action.
   */
  actionName: string | null;
  triggerName: string | null;
  name: string;
  description: string | null;
  values: Record<string, unknown>;
  /** Keys of `values` that callers cannot override. */
  enforcedKeys: string[];
  /**
   * Whether the partial applies to calls that send no list of partials, and to tools whose list is
   * empty.
   */
  isDefault: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Preset inputs of a call. Callers may override `defaults`, but not `enforced`. */
export interface Presets {
  defaults: Readonly<Record<string, unknown>>;
  enforced: Readonly<Record<string, unknown>>;
}

/** The target that partials are matched against. */
export interface PartialTarget {
  integrationName: string;
  workspaceIntegrationId: string | null;
  actionName: string;
}

/** Whether a partial applies to this action. A partial for a trigger applies to none. */
export function fitsTarget(partial: InputPartial, target: PartialTarget): boolean {
  return (
    partial.integrationName === target.integrationName &&
    partial.triggerName === null &&
    (partial.workspaceIntegrationId === null || partial.workspaceIntegrationId === target.workspaceIntegrationId) &&
    (partial.actionName === null || partial.actionName === target.actionName)
  );
}

/**
 * Returns the default partials of a target. Specific partials come last, so that they override
 * general partials.
 */
export function defaultPartials(partials: readonly InputPartial[], target: PartialTarget): InputPartial[] {
  return partials.filter((partial) => partial.isDefault && fitsTarget(partial, target)).sort((a, b) => specificity(a) - specificity(b));
}

function specificity({ workspaceIntegrationId, actionName }: InputPartial): number {
  return (workspaceIntegrationId ? 1 : 0) + (actionName ? 2 : 0);
}

/**
 * Combines the defaults of a tool with partials. Later defaults replace earlier defaults, and later
 * enforced values replace earlier enforced values.
 */
export function presetsOf(partials: readonly InputPartial[], toolDefaults: Readonly<Record<string, unknown>> | null = null): Presets {
  const isEnforced = (partial: InputPartial, key: string) => partial.enforcedKeys.includes(key);
  const entries = partials.flatMap((partial) =>
    Object.entries(partial.values).map(([key, value]) => ({ key, value, enforced: isEnforced(partial, key) })),
  );
  const pick = (enforced: boolean) =>
    Object.fromEntries(entries.filter((e) => e.enforced === enforced).map(({ key, value }) => [key, value]));
  return { defaults: { ...toolDefaults, ...pick(false) }, enforced: pick(true) };
}
