import { isSecretName } from './is-secret-name.ts';

/**
 * Returns the redacted paths that are also in `presets`. Omits paths whose name means a secret,
 * because their values would be hidden even if they were not preset.
 */
export function presetAmong(redactedPaths: readonly string[], presets: readonly string[]): string[] {
  return redactedPaths.filter((path) => presets.includes(path) && !isSecretName(path));
}
