import { memberPath } from '../../../../commands/catalogue/code-names.ts';
import { toolNames } from '../../../../commands/surfaces/tool-names.ts';
import { previewInput } from '../../../../domain/redaction/preview-input.ts';

/** A call as the member chose it. */
export interface CodedCall {
  platformUrl: string;
  workspaceId: string;
  integrationName: string;
  /** The alias of the integration in the workspace, or else the name of the integration. */
  alias: string;
  /** Whether the workspace has the integration several times. */
  isAmbiguous: boolean;
  actionName: string;
  endUserId: string | undefined;
  input: Record<string, unknown>;
}

/** A call as code in three forms, for copying, without API key and secrets. */
export function asCode(call: CodedCall) {
  const { workspaceId, integrationName, alias, isAmbiguous, actionName, endUserId } = call;
  const { preview: input } = previewInput(call.input);
  const body = {
    integrationName,
    actionName,
    workspaceId,
    ...(isAmbiguous && { integrationAlias: alias }),
    ...(endUserId && { endUserId }),
    input,
  };
  const [tool] = toolNames([{ alias, actionName }]);
  return [
    { id: 'as-curl', label: 'curl', about: 'GATEWAY_API_KEY holds an API key.', text: curl(call.platformUrl, body) },
    {
      ...{ id: 'as-program', label: 'JavaScript', about: 'In a program, on a server of the kind Code.' },
      text: `const answer = await ${memberPath(memberPath('svc', alias), actionName)}(${JSON.stringify(input, null, 2)});`,
    },
    {
      ...{ id: 'as-mcp', label: 'MCP call', about: 'On a server of the kind Tools that has this tool.' },
      text: JSON.stringify({ method: 'tools/call', params: { name: tool, arguments: input } }, null, 2),
    },
  ];
}

function curl(platformUrl: string, body: object): string {
  return [
    `curl -X POST ${quoted(`${platformUrl.replace(/\/$/, '')}/api/v1/actions/execute`)} \\`,
    `  -H "Authorization: Bearer $GATEWAY_API_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
