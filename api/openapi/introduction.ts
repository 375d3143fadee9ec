/** The introduction of the document, in Markdown. */
export const INTRODUCTION = `Connects applications and AI agents to third-party integrations.
Policies can hold a call back until a person approves it.

**Credentials.** Send an API key as \`Authorization: Bearer svc_…\`.
A key may use the whole organization, or only the workspaces that it lists.

**Errors.** \`{ "error": "a sentence", "code": "A_CODE", "details": { } }\`. Branch on \`code\`.
In a path, unknown ids, malformed ids and ids of other organizations all answer 404.
A method that the path does not have answers 405 with \`Allow\`. The sentence has at most 500 characters.

**Bodies.** JSON of at most 1 MB, except for documents to import. Unknown keys are refused.
An integer that would lose digits, such as 9007199254740993, is refused: send it as text.
\`details.issues\` lists the first problems, at most 100. \`details.issuesOmitted\` counts the others.

**Queries.** Write numbers in decimal digits, and flags as \`true\` or \`false\`.
Unknown and repeated keys are refused. Paths outside \`/api/v1\` may ignore them.

**Lists.** \`limit\` (1 to 100, default 50) and \`offset\`. \`total\` is exact.
Approvals, code runs and activity accept \`cursor\` instead of \`offset\`: the \`nextCursor\` of the previous page.
A cursor is valid only for the same list with the same filters. Activity has no \`total\`.

**Retries.** Send an \`idempotencyKey\` with an action to run it once.
Within 24 hours, the same call with the same key gets the first answer.

**Rate limit.** Requests are counted per organization. Authenticated responses have
\`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\`. Requests above the limit get 429 with \`Retry-After\`.

**Tracing.** Every response has an \`X-Request-Id\`: yours, if it is valid.

**Versions.** The version is part of the path. Responses may gain fields.`;

/** The groups of operations. */
export const TAGS: Readonly<Record<string, string>> = {
  Members:
    'People who sign in to the dashboard: owners, admins, reviewers (`member`) and viewers. Managing them needs an org-wide key that may decide approvals.',
  'API keys': 'Credentials of your backend. Managing them needs an org-wide key.',
  Workspaces: 'The containers of most other records.',
  'Workspace integrations': 'Which integrations a workspace uses, under which alias, with which connection and actions.',
  'End users': 'The people who use your product. Each can connect their own accounts.',
  Connections: 'Connected accounts. Their credentials are stored encrypted and never returned.',
  'Hosted connect': 'A hosted page where one person connects one account, and its result.',
  'OAuth apps': 'Your own OAuth clients at third parties, one per integration.',
  Partials: 'Presets: input values that are filled in or enforced before a call.',
  'MCP servers': 'Endpoints for AI agents: one tool per action, or code that calls actions.',
  'MCP tools': 'The tools of an MCP server: those of its workspace, and tools that you add.',
  'MCP tokens': 'Credentials of MCP clients.',
  'Approval policies': 'Rules for when a call needs approval.',
  Approvals: 'Requests for a decision, and the decisions.',
  'Code runs': 'Programs of agents: status, calls, results.',
  Activity: 'The audit log: append-only, with a hash chain.',
  Catalogue: 'The available integrations, with their actions and inputs.',
  Actions: 'Run one action.',
  Service: 'Health, the public keys of receipts, and this document.',
};
