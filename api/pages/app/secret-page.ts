import type { AppPage } from './screen.ts';

interface Secret {
  about: string;
  label: string;
  value: string;
  /** Link text, if `value` is a URL of this service. */
  open?: string;
}

/** The page that shows a secret once. `back` is a link below /app, `done` says what was done. */
export function secretPage(title: string, secret: Secret, back: { href: string; label: string }, done: string): AppPage {
  return { title, template: 'layout/secret-page', data: { title, secret, back }, hasSecret: true, done };
}
