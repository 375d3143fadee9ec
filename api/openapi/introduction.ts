/** What the document says before its first path, in Markdown. */
export const INTRODUCTION = `Connects applications and AI agents to third-party integrations, with approval by people where you ask for it.

**Credentials.** Send an API key as \`Authorization: Bearer svc_…\`. A key is org-wide, or reaches the workspaces that it names.

**Errors.** \`{ "error": "a sentence", "code": "A_CODE", "details": { } }\`. Branch on \`code\`. A record of another organization, an unknown id and a malformed id get the same 404. A path without the method that you used answers 405 with \`Allow\`.

**Bodies.** JSON of at most 1 MB; a key that is not described is refused. A problem never comes alone: \`details.issues\` names all of them.

**Lists.** \`limit\` (1 to 100, default 50) and \`offset\`, for approvals and code runs \`cursor\`; \`total\` is exact.

**Repeating a call.** An action that is run with an \`idempotencyKey\` runs once: within 24 hours the same call with the same key answers what it answered first.

**Rate limit.** Per organization. Every authenticated answer carries \`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\`; beyond it is 429 with \`Retry-After\`.

**Tracing.** Every answer carries \`X-Request-Id\`; a sane one of yours is kept.

**Versions.** The version is part of the path. Answers may gain fields.`;

/** The groups of the interface. */
export const TAGS: Readonly<Record<string, string>> = {
  'API keys': 'Credentials of your backend. Managing them needs an org-wide key.',
  Workspaces: 'What everything else lives in.',
  'Workspace integrations': 'Which integrations a workspace uses, under which alias, with which connection and actions.',
  'End users': 'The people who use your product, and how each connects accounts of their own.',
  Connections: 'Linked accounts. What they hold is encrypted and never answered.',
  'Hosted connect': 'A page of ours where somebody links one account, and how you learn that it is done.',
  'OAuth apps': 'Client ids and secrets of your own at third parties, one for an integration.',
  Partials: 'Inputs filled in, or enforced, before a call is made.',
  'MCP servers': 'What AI agents connect to: each action a tool, or code that calls them.',
  'MCP tools': 'What an MCP server offers beside what it takes from its workspace.',
  'MCP tokens': 'What MCP clients authenticate with.',
  'Approval policies': 'When a call pauses for a person.',
  Approvals: 'Calls that wait for a person, and the decision.',
  'Code runs': 'What code that agents wrote did, call by call.',
  Activity: 'What happened at the gates, and who did it: append-only, and chained by hashes.',
  Catalogue: 'The integrations that there are, with their actions and inputs.',
  Actions: 'Running one action.',
  Service: 'Health, the keys that receipts are verified with, and this description.',
};
