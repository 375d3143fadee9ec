import type { AppPage } from './screen.ts';

interface Confirmation {
  question: string;
  consequences: readonly string[];
  button: string;
  /** Path of the link "Keep it", below /app. */
  back: string;
  /** Shown after "Nothing changed." */
  problem?: string | undefined;
}

/**
 * The page that asks for confirmation. Its form posts to the same path, which performs the action.
 */
export function confirmPage(asked: Confirmation): AppPage {
  const status = asked.problem === undefined ? 200 : 409;
  return { status, title: asked.question, template: 'layout/confirm', data: { ...asked, keep: 'Keep it' } };
}
