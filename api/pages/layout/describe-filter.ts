const FILTERS: Record<string, string> = {
  enabled: 'Policy',
  workspaceId: 'Workspace',
  sources: 'Source',
  mcpServerIds: 'MCP server',
  workspaceIntegrationIds: 'Workspace integration',
  integrationNames: 'Integration',
  integrationAliases: 'Alias',
  actionNames: 'Action',
  connectionStrategies: 'Connection strategy',
  endUserMode: 'Person',
};

const SOURCES: Record<string, string> = {
  mcp_tools: 'an MCP tool',
  mcp_code: 'a program',
  rest: 'the API',
  sdk: 'the SDK',
  trigger: 'a trigger',
};

const MATCHED = /^(\w+): matched \((.+)\)$/s;
const DIFFERS = /^(\w+): did not match, (.+)$/s;

const INVALID = /^the input is not valid for (\S+), so a call with it is refused before any policy: (.+)$/s;

const FIXED: Record<string, string> = {
  'rules: none': 'The policy has no rules: the risk model decides.',
  'rules: not checked, because riskMode is always': 'Rules are not looked at: the fields above decide.',
  'rules: none, so the filters alone decide': 'The policy has no rules: the fields above decide.',
  'rules: none, so the filters alone decide, and they do not match':
    'The policy has no rules: the fields above decide, and they don’t match.',
};

/**
 * Describes a reason about a filter, an invalid input, or rules that are missing or not checked.
 * Undefined for other reasons.
 */
export function describeFilter(reason: string): string | undefined {
  const fixed = FIXED[reason];
  if (fixed !== undefined) return fixed;
  const [, filter, wanted] = MATCHED.exec(reason) ?? [];
  const name = filter === undefined ? undefined : FILTERS[filter];
  if (name !== undefined) return `${name}: matches, ${wordsOf(filter!, wanted!)}.`;
  const [, action, issues] = INVALID.exec(reason) ?? [];
  if (action !== undefined) return `${action} refuses this input before any policy is asked: ${issues}.`;
  const [, other, found] = DIFFERS.exec(reason) ?? [];
  const differing = other === undefined ? undefined : FILTERS[other];
  if (differing !== undefined) return `${differing}: doesn’t match, ${differingWords(found!)}.`;
  return undefined;
}

function wordsOf(filter: string, wanted: string): string {
  if (filter === 'sources') return `it comes from ${SOURCES[wanted] ?? wanted}`;
  if (wanted === 'any') return 'the policy accepts any';
  if (wanted === 'any of the organization') return 'the policy applies in every workspace';
  return wanted;
}

function differingWords(found: string): string {
  const source = /^the source is (\w+)$/.exec(found)?.[1];
  return source === undefined ? found : `it comes from ${SOURCES[source] ?? source}`;
}
