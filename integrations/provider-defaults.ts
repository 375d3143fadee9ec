import type { Action, AuthMethod, AuthValue } from './definition.ts';

/** Inputs that the account brings where a call leaves them out: public props of the same name. */
export interface AccountDefaults {
  auth: readonly AuthMethod[];
  accountDefaults?: readonly string[];
}

/** The action, completed by the account before anybody judges a call of it. Throws TypeError for a prop that is not public: inputs are shown. */
export function completedByAccount({ auth, accountDefaults = [] }: AccountDefaults, action: Action): Action {
  const secret = accountDefaults.find((name) => !auth.some(({ props }) => props?.shape[name]?.meta()?.public === true));
  if (secret) throw new TypeError(`accountDefaults: ${secret} is no public prop of the account`);
  const taken = accountDefaults.filter((name) => Object.hasOwn(action.input.shape, name));
  if (taken.length === 0) return action;
  return { ...action, completeInput: (input, account) => fillFromAccount({ auth, accountDefaults: taken }, input, account) };
}

/** The input with what the account brings; a prop that does not fit its schema counts for none. */
export function fillFromAccount(
  { auth, accountDefaults = [] }: AccountDefaults,
  input: Readonly<Record<string, unknown>>,
  account: AuthValue | null,
): Record<string, unknown> {
  if (account?.type !== 'CUSTOM_AUTH') return { ...input };
  const shape = auth.find(({ type }) => type === 'CUSTOM_AUTH')?.props?.shape ?? {};
  const brought = accountDefaults.filter((name) => input[name] === undefined && shape[name]?.safeParse(account.props[name]).success);
  return { ...input, ...Object.fromEntries(brought.map((name) => [name, account.props[name]])) };
}
