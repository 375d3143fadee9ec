import { ELEMENT, type PageElement, type PageNode, TEXT } from './page.ts';

/**
 * Returns the text of a node, without markup and scripts. Paragraphs are separated by an empty
 * line.
 */
export function toPlainText(root: PageNode): string {
  const written: Written = { parts: [], lineBreaks: 2 };
  write(root, written, false);
  return written.parts
    .join('')
    .replace(/(?<![ \t])[ \t]+\n/g, '\n')
    .trim();
}

interface Written {
  parts: string[];
  /** Number of line breaks at the end of the text so far. */
  lineBreaks: number;
}

const HIDDEN = new Set('title script style noscript template svg iframe object head canvas'.split(' '));
const LINES = new Set(
  'address article aside blockquote dd details div dl dt fieldset figcaption figure footer form header hr li main nav ol section summary table tr ul'.split(
    ' ',
  ),
);
const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 pre'.split(' '));

function write(node: PageNode, written: Written, isPreformatted: boolean): void {
  if (node.nodeType === TEXT) writeText(node.textContent, written, isPreformatted);
  else if (node.nodeType === ELEMENT) writeElement(node as PageElement, written, isPreformatted);
}

function writeElement(element: PageElement, written: Written, isPreformatted: boolean): void {
  const { localName } = element;
  if (HIDDEN.has(localName)) return;
  const apart = PARAGRAPHS.has(localName) ? 2 : LINES.has(localName) ? 1 : 0;
  breakLines(written, apart);
  for (const child of element.childNodes) write(child, written, isPreformatted || localName === 'pre');
  if (localName === 'br') writeText('\n', written, true);
  else if (localName === 'td' || localName === 'th') written.parts.push('\t');
  else breakLines(written, apart);
}

function writeText(text: string, written: Written, isPreformatted: boolean): void {
  const collapsed = isPreformatted ? text : text.replace(/\s+/g, ' ');
  const shown = !isPreformatted && written.lineBreaks > 0 ? collapsed.trimStart() : collapsed;
  if (shown === '') return;
  written.parts.push(shown);
  written.lineBreaks = shown.endsWith('\n') ? 1 : 0;
}

function breakLines(written: Written, wanted: number): void {
  const missing = wanted - written.lineBreaks;
  if (missing <= 0) return;
  written.parts.push('\n'.repeat(missing));
  written.lineBreaks = wanted;
}
