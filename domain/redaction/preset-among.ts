import { isSecretName } from './is-secret-name.ts';

/**
 * Of the hidden paths, those of preset inputs. A preset under the name of a secret counts as
 * secret.
 */
export function presetAmong(redactedPaths: readonly string[], presets: readonly string[]): string[] {
  return redactedPaths.filter((path) => presets.includes(path) && !isSecretName(path));
}
