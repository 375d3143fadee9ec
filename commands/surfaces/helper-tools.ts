import type { JsonSchema } from '../../integrations/catalog.ts';
import type { DynamicProp } from '../../integrations/definition.ts';
import { plural } from './plural.ts';
import type { Surface, SurfaceTool } from './surface-cache.ts';
import { toolNames } from './tool-names.ts';

interface ChoiceInput {
  tool: SurfaceTool;
  input: string;
  listOptions: NonNullable<DynamicProp['options']>;
  /** Inputs that the choices depend on. */
  refreshers: readonly string[];
}

/** A tool that lists the choices of an input for agents (contract decisions 8, tools/list). */
export interface HelperTool {
  /** `{alias}__list_{plural of the input}` */
  name: string;
  alias: string;
  noun: string;
  /** The inputs that the helper tool serves, by action name. */
  inputs: ReadonlyMap<string, ChoiceInput>;
  /** True if the caller must name the action, because the choices depend on it. */
  needsAction: boolean;
  inputSchema: JsonSchema;
}

/**
 * The action name that stands for listing the choices of an input, in tool names and in policies.
 */
export function choicesName(input: string): string {
  return `list_${plural(input)}`;
}

/** The helper tools of an MCP server, in the order of its tools. A preset input has no helper. */
export function helperTools({ tools, byName }: Pick<Surface, 'tools' | 'byName'>): HelperTool[] {
  const groups = new Map<string, ChoiceInput[]>();
  for (const found of tools.flatMap(choiceInputsOf)) {
    const key = JSON.stringify([found.tool.alias, plural(found.input)]);
    groups.set(key, [...(groups.get(key) ?? []), found]);
  }
  const helpers = [...groups.values()].map(helperOf);
  const names = toolNames(
    helpers.map(({ alias, noun }) => ({ alias, actionName: `list_${noun}` })),
    byName,
  );
  return helpers.map((helper, index) => ({ ...helper, name: names[index]! }));
}

function choiceInputsOf(tool: SurfaceTool): ChoiceInput[] {
  return Object.entries(tool.action.dynamic ?? {}).flatMap(([input, { options, refreshers }]) =>
    options && !tool.hiddenKeys.includes(input) ? [{ tool, input, listOptions: options, refreshers }] : [],
  );
}

function helperOf(found: readonly ChoiceInput[]): Omit<HelperTool, 'name'> {
  const { tool, input } = found[0]!;
  // If an action has two inputs with the same plural, such as `label` and `labels`, the choices of
  // the first input are listed.
  const inputs = new Map<string, ChoiceInput>();
  for (const one of found) if (!inputs.has(one.tool.actionName)) inputs.set(one.tool.actionName, one);
  const variants = new Set([...inputs.values()].map(sourceOf));
  const needsAction = variants.size > 1;
  return { alias: tool.alias, noun: plural(input), inputs, needsAction, inputSchema: inputSchemaOf(found, needsAction) };
}

const sources = new WeakMap<DynamicProp, number>();
let sourceCount = 0;

/** Returns a key. Inputs with the same key have the same choices for the same values. */
function sourceOf({ tool, input, refreshers }: ChoiceInput): string {
  const dynamic = tool.action.dynamic![input]!;
  const number = sources.get(dynamic) ?? sourceCount++;
  sources.set(dynamic, number);
  const { defaults, enforced } = tool.presets;
  return JSON.stringify([number, tool.tool.connectionId, refreshers.map((name) => [defaults[name], enforced[name]])]);
}

function inputSchemaOf(found: readonly ChoiceInput[], needsAction: boolean): JsonSchema {
  const asked = found.map(({ tool, refreshers }) => {
    const { properties, required = [] } = tool.inputSchema as { properties: Record<string, unknown>; required?: string[] };
    const shown = refreshers.filter((name) => Object.hasOwn(properties, name));
    return { shown: shown.map((name) => [name, properties[name]] as const), required: shown.filter((name) => required.includes(name)) };
  });
  const required = asked[0]!.required.filter((name) => asked.every((one) => one.required.includes(name)));
  const actions = [...new Set(found.map(({ tool }) => tool.actionName))];
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(asked.flatMap(({ shown }) => shown)),
      ...(needsAction && { action: { type: 'string', enum: actions, description: 'the action that the value is for' } }),
      search: { type: 'string', maxLength: 200, description: 'only choices whose label contains this' },
    },
    ...((needsAction || required.length > 0) && { required: [...(needsAction ? ['action'] : []), ...required] }),
    additionalProperties: false,
  };
}
