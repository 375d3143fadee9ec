import type { CatalogAction, CatalogIntegration } from './catalog.ts';
import type { AuthMethod } from './definition.ts';
import { describeAuthProps, describeProps } from './describe-props.ts';
import { publicSchema } from './public-schema.ts';

/** A catalogue entry for callers, with its actions (contract decisions 2, Catalogue). */
export function describeIntegration(integration: CatalogIntegration) {
  return {
    ...describeIdentity(integration),
    actions: Object.fromEntries([...integration.actions].map(([name, action]) => [name, describeAction(action)])),
    triggers: {},
  };
}

/** Like `describeIntegration`, with the number of actions in place of the actions. */
export function summarizeIntegration(integration: CatalogIntegration) {
  return { ...describeIdentity(integration), actionCount: integration.actions.size, triggerCount: 0 };
}

/** An integration without its actions. */
export function describeIdentity({
  name,
  displayName,
  description,
  logoUrl,
  categories,
  auth,
  verification,
  customId,
}: CatalogIntegration) {
  return {
    custom: customId !== undefined,
    ...{ name, displayName, description, logoUrl, categories },
    auth: auth && { type: [...new Set(auth.map(({ type }) => type))] },
    authOptions: (auth ?? []).map(describeAuthMethod),
    ...(verification && { verification: { ...verification, sources: [...verification.sources] } }),
  };
}

function describeAuthMethod(method: AuthMethod) {
  const { key, type, displayName, description } = method;
  return { key, type, displayName, description, ...(method.props && { props: describeAuthProps(method) }) };
}

/** An action with its inputs and schemas. */
export function describeAction(action: CatalogAction) {
  const { inputSchema, outputSchema, dynamic } = action;
  return {
    ...nameAction(action),
    props: describeProps(inputSchema, dynamic),
    inputSchema: publicSchema(inputSchema),
    outputSchema: publicSchema(outputSchema),
  };
}

/** An action without its inputs and schemas. */
export function nameAction({ name, displayName, description, category, own }: CatalogAction) {
  const facts = own && { source: own.source, categoryFrom: own.categoryFrom, enabled: own.isEnabled };
  return { name, displayName, description, category, ...facts };
}
