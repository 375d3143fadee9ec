import type { ProviderDocument } from '../declarative/document.ts';
import { inlineReferences } from '../declarative/inline-references.ts';
import type { Action, ActionSource } from '../definition.ts';
import { closureOf, definitionTexts, type UsedDefinitions } from './definitions.ts';
import type { ImportNote } from './import-report.ts';
import type { ImportedAction, ImportedIntegration } from './imported-integration.ts';
import { hashOf, withSortedParts } from './unordered.ts';

/**
 * The form in which an imported integration is stored and sent between threads. Each text is parsed
 * at its first use.
 */
export interface PackedIntegration {
  head: IntegrationHead;
  actions: readonly PackedAction[];
  /** JSON of shared schemas, by the SHA-256 of their content. */
  definitions: Readonly<Record<string, string>>;
  /** Base URLs and endpoints of `oauth2`, except those that depend on an account. */
  addresses: readonly string[];
}

/** The parts of an integration that all actions share. */
export type IntegrationHead = Omit<ImportedIntegration, 'actions' | '$defs' | 'choices' | 'paging'>;

/** The fields that lists show, and the whole action as text. */
export interface PackedAction extends Pick<Action, 'displayName' | 'description' | 'category'> {
  name: string;
  source: ActionSource;
  categoryFrom: string;
  /** JSON of the imported action. */
  text: string;
  uses: { input: UsedDefinitions; output: UsedDefinitions };
  /**
   * SHA-256 of the whole action with its shared schemas, in hexadecimal. The order of keys and of
   * set-like lists has no effect.
   */
  hash: string;
}

/**
 * Packs an imported integration. `notes`: the schemas that were cut. Takes about a second for a
 * large document.
 */
export function packIntegration(imported: ImportedIntegration): { packed: PackedIntegration; notes: ImportNote[] } {
  const { actions, $defs = {}, choices = {}, paging, ...rest } = imported;
  const shared = definitionTexts($defs);
  const notes: ImportNote[] = [];
  const used = new Map<string, string>();
  const packedActions = actions.map((action): PackedAction => {
    const input = closureOf(action.input ?? {}, shared);
    const output = closureOf(action.output, shared);
    for (const [side, { isCut }] of Object.entries({ input, output })) {
      if (isCut) notes.push({ operation: action.name, code: 'schema_cut', message: `The schema of the ${side} is larger than 256 kB.` });
    }
    const whole: ImportedAction = {
      ...withShared(action, { choices, paging }),
      ...(action.input && { input: input.schema }),
      output: output.schema,
    };
    const uses = { input: input.uses, output: output.uses };
    for (const hash of [...Object.values(uses.input), ...Object.values(uses.output)]) {
      if (hash !== null) used.set(hash, shared.byHash.get(hash)!);
    }
    const { name, displayName, description, category, source, categoryFrom } = action;
    return {
      ...{ name, displayName, description, category, source, categoryFrom },
      text: JSON.stringify(whole),
      uses,
      hash: hashOf({ action: withSortedParts({ ...whole }), uses }),
    };
  });
  const auth = rest.auth?.map((method) => (method.props ? { ...method, props: inlineReferences(method.props, $defs) } : method)) ?? null;
  const packed = {
    head: { ...rest, auth },
    actions: packedActions,
    definitions: Object.fromEntries(used),
    addresses: addressesOf(imported),
  };
  return { packed, notes };
}

function withShared(action: ImportedAction, { choices, paging }: Pick<ProviderDocument, 'choices' | 'paging'>): ImportedAction {
  const dynamic = Object.entries(action.dynamic ?? {}).map(([name, said]) => {
    const chosen = typeof said === 'string' ? choices![said]! : said;
    return [name, chosen.paging === true && paging ? { ...chosen, paging } : chosen];
  });
  return {
    ...action,
    ...(dynamic.length > 0 && { dynamic: Object.fromEntries(dynamic) }),
    ...(action.paging === true && paging && { paging }),
  };
}

function addressesOf({ baseUrl, auth, actions }: ImportedIntegration): string[] {
  const ofMethods = (auth ?? []).flatMap(({ baseUrl: own, oauth2 }) => [
    own,
    oauth2?.authorizationUrl,
    oauth2?.tokenUrl,
    oauth2?.refreshUrl,
  ]);
  const all = [baseUrl, ...ofMethods, ...actions.map((action) => action.baseUrl)];
  return [...new Set(all.filter((url) => url !== undefined && !url.includes('{')) as string[])];
}
