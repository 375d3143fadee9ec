import type { AppPage, Done } from '../screen.ts';
import { secretPage } from '../secret-page.ts';

/**
 * Redirects to `path` after a policy was saved, or shows new signing secrets once. `secrets` maps
 * URLs to secrets.
 */
export function afterSaving(path: string, done: string, secrets: ReadonlyMap<string, string>): AppPage | Done {
  if (secrets.size === 0) return { seeOther: path, done };
  const value = [...secrets].map(([url, secret]) => (secrets.size === 1 ? secret : `${url} ${secret}`)).join(' ');
  const about = 'This secret signs the webhooks of the policy. You see it only now: give it to the receiver of the webhooks.';
  return secretPage('Signing secret', { about, label: 'Signing secret', value }, { href: path, label: 'Back to the policy' }, done);
}
