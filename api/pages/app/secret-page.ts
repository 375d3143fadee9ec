import type { AppPage } from './screen.ts';

/** A secret or a link that a page shows once. */
interface Secret {
  /** The purpose of the secret, and its expiry. */
  about: string;
  /** Accessible name of the text box with the secret. The button beside it is `Copy <label>`. */
  label: string;
  value: string;
  /** Label of a link that opens `value`, if `value` is a URL of this service. */
  open?: string;
}

/** The page that shows a secret once. `back` is a link below /app, `done` says what was done. */
export function secretPage(title: string, secret: Secret, back: { href: string; label: string }, done: string): AppPage {
  return { title, template: 'layout/secret-page', data: { title, secret, back }, hasSecret: true, done };
}
