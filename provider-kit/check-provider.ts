import type { ProviderDocument } from '../integrations/declarative/document.ts';
import type { Integration } from '../integrations/definition.ts';
import { factDifferences } from './compare-facts.ts';
import type { Examples } from './examples.ts';
import { providerPage } from './provider-page.ts';
import type { Facts } from './read-facts.ts';
import { runExamples } from './run-examples.ts';
import { undescribedInputs } from './undescribed-inputs.ts';

/** The minimum number of actions of a provider. */
export const MIN_ACTIONS = 10;

/** A provider, and the data that the checks compare it with. */
export interface CheckedProvider {
  name: string;
  integration: Integration;
  document: ProviderDocument;
  examples: Examples | undefined;
  /** Undefined if the API has no document. */
  facts: Facts | undefined;
  accepted: readonly string[];
  /** Undefined for a provider outside the catalogue. */
  page: string | undefined;
}

/** Runs every check of a provider. Returns one sentence for each problem. */
export async function checkProvider(checked: CheckedProvider): Promise<string[]> {
  const { name, integration, document, examples, facts, accepted, page } = checked;
  const actions = Object.entries(integration.actions);
  const findings = examples ? await runExamples(integration, examples) : [];
  const differences = facts ? factDifferences(document, facts) : [];
  return [
    ...(actions.length < MIN_ACTIONS ? [`there are ${actions.length} actions, and at least ${MIN_ACTIONS} are expected`] : []),
    ...actions
      .flatMap(([action, { input }]) => undescribedInputs(input.json, action))
      .map((input) => `${input}: the input has no description`),
    ...(examples ? [] : ['there are no examples']),
    ...findings.flatMap(({ place, example, problems }) => problems.map((problem) => `${place}, example ${example}: ${problem}`)),
    ...differences.filter((difference) => !accepted.includes(difference)),
    ...accepted
      .filter((difference) => !differences.includes(difference))
      .map((one) => `remove this difference from facts-differ.json, it no longer exists: ${one}`),
    ...(page === undefined || page === providerPage(name, document) ? [] : ['the page is outdated: run npm run provider -- docs']),
  ];
}
