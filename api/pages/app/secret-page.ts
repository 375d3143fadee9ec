import type { AppPage } from './screen.ts';

/** A secret or a link that is shown once, with a button that copies it. */
interface Secret {
  /** The purpose of the secret, and its expiry. */
  about: string;
  /** Accessible name of its text box; the button beside it is `Copy <label>`. */
  label: string;
  value: string;
  /** Label of a link that opens the value, which then is an address of this service. */
  open?: string;
}

/** The page that shows a secret once: what was done, and a link `back` below /app. */
export function secretPage(title: string, secret: Secret, back: { href: string; label: string }, done: string): AppPage {
  return { title, template: 'layout/secret-page', data: { title, secret, back }, hasSecret: true, done };
}
