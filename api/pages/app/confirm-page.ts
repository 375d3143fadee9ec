import type { AppPage } from './screen.ts';

/** The content of a page that asks before an action such as a deletion: "Delete <name>?". */
interface Confirmation {
  /** The h1. */
  question: string;
  /** Paragraphs about what breaks and what is kept; see `consequencesOf`. */
  consequences: readonly string[];
  /** The label of the button: "Delete workspace". */
  button: string;
  /** Path that the link "Keep it" leads to, below /app. */
  back: string;
  /** Why the action was refused; shown after "Nothing changed." Sets the status to 409. */
  problem?: string | undefined;
}

/**
 * The page that asks for confirmation. Its form posts to the same path, which performs the action.
 */
export function confirmPage(asked: Confirmation): AppPage {
  const status = asked.problem === undefined ? 200 : 409;
  return { status, title: asked.question, template: 'layout/confirm', data: { ...asked, keep: 'Keep it' } };
}
