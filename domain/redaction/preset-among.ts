import { isSecretName } from './is-secret-name.ts';

/**
 * Returns the redacted paths that are also in `presets`, without names of secrets: their values
 * would be hidden anyway.
 */
export function presetAmong(redactedPaths: readonly string[], presets: readonly string[]): string[] {
  return redactedPaths.filter((path) => presets.includes(path) && !isSecretName(path));
}
