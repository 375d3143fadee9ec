import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFacts } from '../../../domain/policies/call-facts.ts';
import { providerNames, readProvider } from '../../../integrations/declarative/load-providers.ts';
import type { Action } from '../../../integrations/definition.ts';
import { parseInput } from '../../../integrations/parse-input.ts';
import { PROVIDER_CODE } from '../../../integrations/providers/code/index.ts';

/** Path of the folder with the providers' documents. */
export const FOLDER = join(import.meta.dirname, '../../../integrations/providers');
/** The names of all providers. */
export const NAMES = providerNames(FOLDER);
/** Reads a provider's document, together with the provider's code. */
export const read = (name: string) =>
  readProvider(name, readFileSync(join(FOLDER, `${name}.yaml`), 'utf8'), { folder: FOLDER, code: PROVIDER_CODE[name] });

/** Returns the categories, recipients and paths of a call, as policies see them. */
export function seen(action: Action, given: object) {
  const parsed = parseInput(action, given);
  if (!parsed.ok) throw new Error(parsed.issues.map(({ path, message }) => `${path} ${message}`).join('; '));
  const { input } = parsed;
  const category = action.categoryOf(input);
  const facts = openFacts({ category, input, recipients: action.recipients?.(input), paths: action.paths?.(input) });
  return {
    categories: [category, ...(action.otherCategoriesOf?.(input) ?? [])],
    recipients: facts.recipients()?.named,
    paths: facts.paths()?.named,
  };
}

/** Like `seen`, for an action that is named as in `github.create_issue`. */
export const call = (place: string, input: object) => {
  const [name = '', action = ''] = place.split('.');
  return seen(read(name).actions[action]!, input);
};
