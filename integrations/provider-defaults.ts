import type { AuthMethod, AuthValue } from './definition.ts';
import { methodOf } from './provider-auth.ts';
import { isPublicField } from './schema/value-schema.ts';

/** `accountDefaults`: names of inputs that are filled from public props of the account. */
export interface AccountDefaults {
  auth: readonly AuthMethod[];
  accountDefaults?: readonly string[];
}

/**
 * Returns those of `inputs` that the account can fill in. Throws TypeError for a prop that is not
 * public, because inputs are shown.
 */
export function takenFromAccount({ auth, accountDefaults = [] }: AccountDefaults, inputs: readonly string[]): string[] {
  const secret = accountDefaults.find((name) => !auth.some(({ props }) => props && isPublicField(props, name)));
  if (secret) throw new TypeError(`accountDefaults: ${secret} is not a public prop of the account`);
  return accountDefaults.filter((name) => inputs.includes(name));
}

/**
 * Fills missing inputs from the account. Ignores a prop that does not match its schema in the
 * account's own method, and a prop that is not public there.
 */
export function fillFromAccount(
  { auth, accountDefaults = [] }: AccountDefaults,
  input: Readonly<Record<string, unknown>>,
  account: AuthValue | null,
): Record<string, unknown> {
  if (account?.type !== 'CUSTOM_AUTH' && account?.type !== 'BASIC_AUTH') return { ...input };
  const { props: given = {} } = account;
  const props = methodOf(auth, account)?.props;
  const publicNames = accountDefaults.filter((name) => props && isPublicField(props, name));
  const brought = publicNames.filter(
    (name) => input[name] === undefined && given[name] !== undefined && props?.parseField(name, given[name]).ok,
  );
  return { ...input, ...Object.fromEntries(brought.map((name) => [name, given[name]])) };
}
