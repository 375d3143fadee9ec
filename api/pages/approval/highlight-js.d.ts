/** Part of highlight.js. The package's own types would add all DOM types to the global scope. */
export interface Highlighter {
  registerLanguage(name: string, grammar: unknown): void;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
}

declare const highlighter: Highlighter;
export default highlighter;
