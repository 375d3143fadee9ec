import type { JsonSchema } from '../../integrations/catalog.ts';
import type { Surface } from '../surfaces/surface-cache.ts';
import { spellingsOf } from './code-names.ts';

/**
 * The names that code can write after `svc.`: aliases, their actions, and the inputs of each
 * action.
 */
export type SurfaceWords = Record<string, Record<string, string[]>>;

/** The names that an editor completes, without inputs that presets fill. */
export function surfaceWords({ actions, find }: Surface): SurfaceWords {
  const aliases = spellingsOf(Object.keys(actions));
  return Object.fromEntries(
    Object.entries(actions).map(([alias, names]) => {
      const spelled = spellingsOf(names);
      const words = names.map((name) => [spelled.get(name)![0]!, Object.keys(propertiesOf(find(alias, name)?.inputSchema))]);
      return [aliases.get(alias)![0]!, Object.fromEntries(words)];
    }),
  );
}

function propertiesOf(schema: JsonSchema | undefined): object {
  return (schema?.properties ?? {}) as object;
}
