import { awaitDecision } from '../../../../commands/approvals/await-decision.ts';
import { getApproval } from '../../../../commands/approvals/get-approval.ts';
import { executeAction } from '../../../../commands/calls/execute-action.ts';
import { explainCall } from '../../../../commands/calls/explain-call.ts';
import type { ExecuteAction } from '../../../../commands/calls/request-of-action.ts';
import { propertyOptions } from '../../../../commands/catalogue/property-options.ts';
import type { ApprovalStatus } from '../../../../domain/approval.ts';
import type { Issue } from '../../../../domain/bound-error.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { BODY_MAX_BYTES } from '../../../../domain/limits.ts';
import { describeProps } from '../../../../integrations/describe-props.ts';
import { found } from '../../../route.ts';
import { approvalId } from '../../../v1/approvals/schema.ts';
import type { Refusal } from '../form.ts';
import type { AppPage, Screen, Submission, Visit } from '../screen.ts';
import { type ActionChoice, readChoice } from './action-choice.ts';
import { type ActionState, actionPage } from './action-page.ts';
import { type Choices, fieldName, isDynamic, type Props, readChoices, readInput, readWhole, WHOLE } from './input-fields.ts';
import { callResult, errorResult, waitingResult } from './show-result.ts';
import { waitSecondsOf } from './wait-seconds.ts';

/** `/playground/action`: runs one action as the member, or says what would happen. */
export const actionScreen: Screen = {
  ...{ path: '/playground/action', role: 'admin', navigation: 'Playground', formMaxBytes: 2 * BODY_MAX_BYTES },
  get: async (visit) => actionPage(visit, await readChoice(visit)),
  post: async (visit) => {
    const choice = await readChoice(visit);
    const chosen = chosenOf(choice);
    if (!chosen) return actionPage(visit, choice, { refusal: refused('Choose a workspace, an integration and an action first.') });
    const { form } = visit;
    if (form.get('act') === 'resume') return resume(visit, chosen);
    const choices = readChoices(form);
    const { input, problems } = await (isWhole(visit) ? readWhole(form) : readInput(chosen.props, choices, form));
    const state: ActionState = { typed: form, input, choices };
    if (form.get('act') === 'choices') return actionPage(visit, choice, { ...state, ...(await loadChoices(visit, chosen, input)) });
    if (Object.keys(problems).length > 0) return actionPage(visit, choice, { ...state, refusal: refused(undefined, problems) });
    const request = requestOf(chosen, input);
    if (form.get('act') === 'run') return run(visit, chosen, request, state);
    return actionPage(visit, choice, { ...state, explanation: await explainCall(visit.gateway, visit.principal, request) });
  },
};

interface Chosen {
  choice: ActionChoice;
  action: NonNullable<ActionChoice['action']>;
  workspaceId: string;
  props: Props;
}

function chosenOf(choice: ActionChoice): Chosen | undefined {
  const { action, workspaceId } = choice;
  if (!action || workspaceId === undefined) return undefined;
  return { choice, action, workspaceId, props: describeProps(action.inputSchema, action.dynamic) };
}

function isWhole({ query }: Visit): boolean {
  return query.get('as') === 'json';
}

function requestOf({ choice, action, workspaceId }: Chosen, input: Record<string, unknown>): ExecuteAction {
  const { alias, endUserId } = choice;
  const named = { integrationAlias: alias, endUserId };
  return { source: 'rest', workspaceId, integrationName: action.integrationName, actionName: action.name, input, ...named };
}

async function run(visit: Submission, { choice }: Chosen, request: ExecuteAction, state: ActionState): Promise<AppPage> {
  try {
    return await actionPage(visit, choice, { ...state, result: callResult(await executeAction(visit.gateway, visit.principal, request)) });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error;
    const issues = error.code === 'VALIDATION_ERROR' ? ((error.details?.issues ?? []) as Issue[]) : [];
    if (issues.length > 0) return actionPage(visit, choice, { ...state, refusal: refusedBy(visit, issues) });
    return actionPage(visit, choice, { ...state, result: errorResult(error) });
  }
}

/**
 * Waits for the decision, and runs the call if it was approved. The idempotency key of the call
 * prevents a second run.
 */
async function resume(visit: Submission, chosen: Chosen): Promise<AppPage> {
  const { gateway, principal, form } = visit;
  const { input } = await readWhole(form); // a hidden field of the page holds the input
  const state: ActionState = { input, choices: readChoices(form) };
  const id = found(approvalId.safeParse(form.get('approval')).data);
  const { status, idempotencyKey } = await awaitDecision(gateway, await getApproval(gateway, principal, id), waitSecondsOf(form));
  if (status === 'pending') return actionPage(visit, chosen.choice, { ...state, result: waitingResult(id) });
  const ended = ENDED[status];
  if (ended) return actionPage(visit, chosen.choice, { ...state, result: { ...waitingResult(undefined), lead: ended, tone: 'bad' } });
  return run(visit, chosen, { ...requestOf(chosen, input), idempotencyKey: idempotencyKey ?? undefined }, state);
}

const ENDED: Partial<Record<ApprovalStatus, string>> = {
  rejected: 'The request was rejected. Nothing was sent.',
  expired: 'Nobody decided in time. Nothing was sent.',
  canceled: 'The request was withdrawn. Nothing was sent.',
};

async function loadChoices(
  { gateway, principal }: Visit,
  { choice, action, workspaceId, props }: Chosen,
  input: Record<string, unknown>,
): Promise<{ choices: Choices; refusal?: Refusal }> {
  const names = Object.entries(props).flatMap(([name, prop]) => (isDynamic(prop) ? [name] : []));
  const { alias: integrationAlias, endUserId } = choice;
  const { integrationName, name: actionName } = action;
  const loaded = await Promise.all(
    names.map(async (propertyName) => {
      const request = { workspaceId, integrationName, actionName, propertyName, input, integrationAlias, endUserId };
      try {
        const { options, disabled } = await propertyOptions(gateway, principal, request);
        return {
          propertyName,
          options,
          problem: disabled ? 'has no choices yet: connect an account, or fill in what they depend on' : undefined,
        };
      } catch (error) {
        if (!(error instanceof GatewayError) || error.status >= 500) throw error;
        return { propertyName, options: [], problem: `has no choices: ${error.message.replace(/\.$/, '')}` };
      }
    }),
  );
  const problems = Object.fromEntries(loaded.flatMap(({ propertyName, problem }) => (problem ? [[fieldName(propertyName), problem]] : [])));
  return {
    choices: Object.fromEntries(loaded.map(({ propertyName, options }) => [propertyName, options])),
    ...(Object.keys(problems).length > 0 && { refusal: { ...refused(undefined, problems), status: 200 } }),
  };
}

function refused(sentence: string | undefined, problems: Record<string, string> = {}): Refusal {
  return { status: 400, lead: 'Nothing ran.', sentence, problems };
}

function refusedBy(visit: Visit, issues: readonly Issue[]): Refusal {
  const problems: Record<string, string> = {};
  const others: string[] = [];
  for (const { path, message } of issues) {
    const [, key, rest = ''] = /^input\.([^.]+)\.?(.*)$/.exec(path) ?? [];
    const name = isWhole(visit) ? WHOLE.name : fieldName(key ?? '');
    if (key === undefined) others.push(`${path} ${message}`.trim());
    else problems[name] ??= isWhole(visit) ? `${path.slice('input.'.length)} ${message}` : `${rest} ${message}`.trim();
  }
  return refused(others.length > 0 ? `${others.join('; ')}.` : undefined, problems);
}
