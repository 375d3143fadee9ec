import { isSecretName } from './is-secret-name.ts';

/**
 * Returns the hidden paths that are preset inputs. Omits presets whose name means a secret, because
 * such presets count as secrets.
 */
export function presetAmong(redactedPaths: readonly string[], presets: readonly string[]): string[] {
  return redactedPaths.filter((path) => presets.includes(path) && !isSecretName(path));
}
