import type { AppPage, Done } from '../screen.ts';
import { secretPage } from '../secret-page.ts';

/**
 * The page after a policy was saved. New webhooks get their signing secrets, which are shown this
 * once.
 */
export function afterSaving(path: string, done: string, secrets: ReadonlyMap<string, string>): AppPage | Done {
  if (secrets.size === 0) return { seeOther: path, done };
  const value = [...secrets].map(([url, secret]) => (secrets.size === 1 ? secret : `${url} ${secret}`)).join(' ');
  const about = 'Its webhooks sign with this. It is shown this once: give it to whoever receives them.';
  return secretPage('Signing secret', { about, label: 'Signing secret', value }, { href: path, label: 'Back to the policy' }, done);
}
