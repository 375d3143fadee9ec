import type { CatalogAction, CatalogIntegration } from './catalog.ts';
import type { AuthMethod } from './definition.ts';
import { describeAuthProps, describeProps } from './describe-props.ts';
import { publicSchema } from './public-schema.ts';

/** A catalogue entry as callers see it, with its actions (decisions section 2, Catalogue). */
export function describeIntegration(integration: CatalogIntegration) {
  return {
    ...describeIdentity(integration),
    actions: Object.fromEntries([...integration.actions].map(([name, action]) => [name, describeAction(action)])),
    triggers: {},
  };
}

/** The same with the number of actions instead of the actions. */
export function summarizeIntegration(integration: CatalogIntegration) {
  return { ...describeIdentity(integration), actionCount: integration.actions.size, triggerCount: 0 };
}

function describeIdentity({ name, displayName, description, logoUrl, categories, auth }: CatalogIntegration) {
  return {
    ...{ name, displayName, description, logoUrl, categories },
    auth: auth && { type: [...new Set(auth.map(({ type }) => type))] },
    authOptions: (auth ?? []).map(describeAuthMethod),
  };
}

function describeAuthMethod(method: AuthMethod) {
  const { key, type, displayName, description } = method;
  return { key, type, displayName, description, ...(type === 'CUSTOM_AUTH' && { props: describeAuthProps(method) }) };
}

function describeAction({ name, displayName, description, category, inputSchema, outputSchema, dynamic }: CatalogAction) {
  return {
    ...{ name, displayName, description, category },
    props: describeProps(inputSchema, dynamic),
    inputSchema: publicSchema(inputSchema),
    outputSchema: publicSchema(outputSchema),
  };
}
