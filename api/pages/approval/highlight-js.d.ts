/**
 * The part of highlight.js that the page uses.
 * The package's types include DOM types, which would then be global.
 */
export interface Highlighter {
  registerLanguage(name: string, grammar: unknown): void;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
}

declare const highlighter: Highlighter;
export default highlighter;
