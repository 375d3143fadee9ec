import { z } from 'zod';
import type { ServerChanges } from '../../../../commands/mcp-servers/update-mcp-server.ts';
import { APPROVAL_WAIT_SECONDS, DESCRIPTION_MAX_LENGTH, NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { AUTH_MODES, END_USER_ACCESS, type McpServer, SERVER_MODES } from '../../../../domain/mcp-server.ts';
import { endUserId, name, text } from '../../../schemas.ts';
import type { Field, FormSpec } from '../form.ts';

/** Shown names of the modes of an MCP server. */
export const MODE_NAMES = { TOOLS: 'Tools', CODE: 'Code' } as const;
/** Shown names of the ways to sign in to an MCP server. */
export const AUTH_NAMES = { oauth: 'OAuth', bearer: 'Bearer token', oauth_and_bearer: 'Both' } as const;
/** Shown names of the values of `endUserAccess`. */
export const ACCESS_NAMES = { restricted: 'Restricted', open: 'Open' } as const;

/** The schema of the form of an MCP server. */
export const serverForm = z.strictObject({
  name,
  description: text.max(DESCRIPTION_MAX_LENGTH).optional(),
  mode: z.enum(SERVER_MODES),
  authMode: z.enum(AUTH_MODES),
  endUserAccess: z.enum(END_USER_ACCESS),
  endUserId: endUserId.optional(),
  approvalWaitSeconds: z.int().min(APPROVAL_WAIT_SECONDS.min).max(APPROVAL_WAIT_SECONDS.max).optional(),
  approvalElicitation: z.boolean(),
});

/**
 * Converts the values of a form to the input of commands. Settings in `kept` without a form field
 * stay.
 */
export function serverValues(form: z.output<typeof serverForm>, kept: McpServer['settings'] = {}) {
  const { name, mode, authMode, endUserAccess, approvalWaitSeconds, approvalElicitation } = form;
  const { codeMode: _, ...others } = kept;
  const settings = { ...others, ...(approvalWaitSeconds !== undefined && { codeMode: { approvalWaitSeconds } }), approvalElicitation };
  const described = { description: form.description ?? null, endUserExternalId: form.endUserId ?? null };
  return { name, mode, authMode, endUserAccess, settings, ...described } satisfies ServerChanges;
}

/** Errors of commands that are shown at a field. */
export const SERVER_BLAMES: FormSpec['blames'] = {
  END_USER_NOT_FOUND: { field: 'endUserId', problem: 'is not the external id of a person in this workspace' },
};

/** The form fields of an MCP server. */
export function serverFields(server?: McpServer): { first: Field; others: Field[] } {
  return { first: nameField(server), others: otherFields(server) };
}

function nameField(server: McpServer | undefined): Field {
  return { name: 'name', label: 'Name', kind: 'text', maxLength: NAME_MAX_LENGTH, value: server?.name ?? '' };
}

function otherFields(server: McpServer | undefined): Field[] {
  const { mode = 'TOOLS', authMode = 'oauth', endUserAccess = 'restricted', settings = {} } = server ?? {};
  return [
    {
      ...{ name: 'mode', label: 'Mode', kind: 'radios', value: mode },
      options: [
        { value: 'TOOLS', label: MODE_NAMES.TOOLS, hint: 'Agents see a tool for each action.' },
        { value: 'CODE', label: MODE_NAMES.CODE, hint: 'Agents search the actions and write programs that call them.' },
      ],
    },
    {
      ...{ name: 'authMode', label: 'Sign-in', kind: 'radios', value: authMode },
      options: [
        { value: 'oauth', label: AUTH_NAMES.oauth, hint: 'Each person signs in with their browser. There is no secret to copy.' },
        { value: 'bearer', label: AUTH_NAMES.bearer, hint: 'A secret in the configuration of the agent.' },
        { value: 'oauth_and_bearer', label: AUTH_NAMES.oauth_and_bearer },
      ],
    },
    {
      ...{ name: 'endUserAccess', label: 'Who may use it', kind: 'radios', value: endUserAccess },
      options: [
        { value: 'restricted', label: ACCESS_NAMES.restricted, hint: 'With OAuth, only people of the workspace.' },
        { value: 'open', label: ACCESS_NAMES.open, hint: 'Everybody who can sign in. New people are added to the workspace.' },
      ],
    },
    {
      ...{ name: 'description', label: 'Description', kind: 'text', isOptional: true, maxLength: DESCRIPTION_MAX_LENGTH },
      ...{ hint: 'Agents read this description.', value: server?.description ?? '' },
    },
    {
      ...{ name: 'endUserId', label: 'Only for one person', kind: 'text', isOptional: true, maxLength: NAME_MAX_LENGTH },
      ...{ hint: 'The external id of the person. Empty: for everybody who may use the server.', value: server?.endUserExternalId ?? '' },
    },
    {
      ...{ name: 'approvalWaitSeconds', label: 'Wait for approvals (seconds)', kind: 'number', isOptional: true },
      ...{ hint: 'How long a program waits for a decision before it pauses. Code mode only.' },
      value: waitOf(settings),
    },
    {
      ...{ name: 'approvalElicitation', label: 'Open approval pages in the host', kind: 'check' },
      hint: 'A host that can open pages shows the approval page to the person immediately.',
      value: settings.approvalElicitation ? 'yes' : [],
    },
  ];
}

function waitOf({ codeMode }: McpServer['settings']): string {
  const seconds = codeMode?.approvalWaitSeconds;
  return seconds === undefined ? '' : String(seconds);
}
