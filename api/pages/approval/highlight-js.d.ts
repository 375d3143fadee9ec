/** The part of highlight.js that the page uses. The package's own types bring those of a browser along, which would then hold everywhere. */
export interface Highlighter {
  registerLanguage(name: string, grammar: unknown): void;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
}

declare const highlighter: Highlighter;
export default highlighter;
