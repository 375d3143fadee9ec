import type { AppPage } from './screen.ts';

/** A page that asks for confirmation before a deletion: "Delete <name>?". */
interface Confirmation {
  /** The h1. */
  question: string;
  /** What breaks and what is kept, a paragraph each; see `consequencesOf`. */
  consequences: readonly string[];
  /** The label of the button: "Delete workspace". */
  button: string;
  /** Where "Keep it" leads, below /app. */
  back: string;
  /** Why it was refused, after "Nothing changed." The page then has status 409. */
  problem?: string | undefined;
}

/** The confirmation page before a deletion. Posting to the same path deletes. */
export function confirmPage(asked: Confirmation): AppPage {
  const status = asked.problem === undefined ? 200 : 409;
  return { status, title: asked.question, template: 'layout/confirm', data: { ...asked, keep: 'Keep it' } };
}
