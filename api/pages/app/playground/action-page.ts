import type { CallExplanation } from '../../../../commands/calls/explain-call.ts';
import { describeProps } from '../../../../integrations/describe-props.ts';
import { formView, type Refusal } from '../form.ts';
import type { AppPage, Visit } from '../screen.ts';
import type { ActionChoice } from './action-choice.ts';
import { asCode } from './as-code.ts';
import { explanationView } from './explain-view.ts';
import { type Choices, fieldName, inputFields, isDynamic, type Props, WHOLE, writeChoices } from './input-fields.ts';
import type { ResultView } from './show-result.ts';

/** The state of the page, apart from the chosen action. */
export interface ActionState {
  /** The posted fields. If undefined, the fields show `input`. */
  typed?: URLSearchParams;
  input?: Record<string, unknown>;
  choices?: Choices;
  refusal?: Refusal;
  explanation?: CallExplanation;
  result?: ResultView;
}

/** The page to choose an action, enter its input, see its result, and copy the call as code. */
export async function actionPage(visit: Visit, choice: ActionChoice, state: ActionState = {}): Promise<AppPage> {
  const { input, refusal, explanation, result } = state;
  return {
    ...{ title: 'Run an action', template: 'playground/action', status: refusal?.status ?? 200 },
    // Typed values may be secret.
    hasSecret: input !== undefined,
    data: {
      choice,
      call: choice.action && choice.workspaceId !== undefined ? callOf(visit, choice, state) : undefined,
      alert: refusal && { ...refusal, listed: [] },
      explanation: explanation && explanationView(explanation, choice.integrationName!, choice.displayName!),
      result,
      sent: JSON.stringify(input ?? {}),
      kept: writeChoices(state.choices ?? {}),
    },
  };
}

function callOf({ gateway, query, root }: Visit, choice: ActionChoice, { typed, input, choices = {}, refusal }: ActionState) {
  const { action, workspaceId, integrationName, alias, calledAs, endUserId, person } = choice;
  const props = describeProps(action!.inputSchema, action!.dynamic);
  const isWhole = query.get('as') === 'json';
  const fields = isWhole ? [WHOLE] : inputFields(props, choices, query);
  const shown = typed ?? (input && typedOf(props, input));
  const chosen = Object.entries({ workspace: workspaceId, integration: integrationName, alias, action: action!.name, person });
  const named = new URLSearchParams(chosen.flatMap(([key, value]): [string, string][] => (value ? [[key, value]] : [])));
  const path = `${root}/playground/action`;
  const call = {
    ...{
      workspaceId: workspaceId!,
      integrationName: integrationName!,
      isAmbiguous: alias !== undefined,
      actionName: action!.name,
      endUserId,
    },
    ...{ platformUrl: gateway.config.platformUrl, alias: calledAs, input: input ?? {} },
  };
  return {
    about: action!.description,
    form: formView({ title: '', fields, button: 'Run' }, shown, refusal),
    action: `${path}?${named}${isWhole ? '&as=json' : ''}`,
    otherWay: isWhole
      ? { href: `${path}?${named}`, text: 'Fill in fields' }
      : { href: `${path}?${named}&as=json`, text: 'Write the input as JSON' },
    hasChoices: !isWhole && Object.values(props).some(isDynamic),
    code: asCode(call),
  };
}

function typedOf(props: Props, input: Record<string, unknown>): URLSearchParams {
  const entries = Object.entries(input).flatMap(([key, value]): [string, string][] => {
    if (props[key]?.type === 'CHECKBOX') return value === true ? [[fieldName(key), 'yes']] : [];
    if (typeof value === 'object') return [[fieldName(key), JSON.stringify(value)]];
    return [[fieldName(key), String(value)]];
  });
  return new URLSearchParams([...entries, [WHOLE.name, JSON.stringify(input, null, 2)]]);
}
